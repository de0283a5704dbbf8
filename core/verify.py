"""Prove that a schedule does what its collective promises.

Instead of numbers, every vertex holds counts: held[vertex, chunk, origin] says how many times `origin`'s input
has been added into that copy of the chunk. A finished chunk has each input exactly once.
"""

from __future__ import annotations

import numpy as np

from core.collective import Collective
from core.replay import each_chunk, replay
from core.schedule import COPY, Schedule


class WrongSchedule(Exception):
    """Says which rank ends with what, and what it should have."""


def initial_counts(schedule: Schedule, collective: Collective) -> np.ndarray:
    """held at the start, int32 [num_vertices, num_slots, world_size]: switches and scratch buffers have nothing."""
    rank, chunk, origin = np.ogrid[: schedule.world_size, : schedule.num_chunks, : schedule.world_size]
    held = np.zeros((schedule.num_vertices, schedule.num_slots, schedule.world_size), np.int32)
    held[: schedule.world_size, : schedule.num_chunks] = collective.starts(rank, chunk, origin)
    return held


def check(schedule: Schedule, collective: Collective) -> None:
    """Raise WrongSchedule unless every rank ends with what it needs."""
    check_ranges(schedule)
    check_races(schedule)
    held = initial_counts(schedule, collective)
    complete = held.max(axis=0)[: schedule.num_chunks] > 0  # [chunk, origin]: the inputs that exist at all
    for _ in replay(schedule, held):  # updates held
        pass
    rank, chunk = np.ogrid[: schedule.world_size, : schedule.num_chunks]
    ranks = held[: schedule.world_size, : schedule.num_chunks]
    wrong = (ranks != complete).any(axis=2) & collective.needs(rank, chunk)
    if wrong.any():
        r, c = np.argwhere(wrong)[0]
        missing = np.flatnonzero(complete[c] & (held[r, c] == 0)).tolist()
        twice = np.flatnonzero(held[r, c] > 1).tolist()
        faults = [f"misses ranks {missing}"] * bool(missing) + [f"has ranks {twice} more than once"] * bool(twice)
        raise WrongSchedule(f"{schedule.name}: at the end, chunk {c} of rank {r} {' and '.join(faults)}")


def check_ranges(schedule: Schedule) -> None:
    """Raise WrongSchedule if a transfer names a chunk that is not there, or a vertex sends to itself."""
    ends = (at % schedule.num_chunks + schedule.count for at in (schedule.chunk, schedule.into))
    outside = np.logical_or.reduce([end > schedule.num_chunks for end in ends])
    for at in (schedule.chunk, schedule.into):
        outside |= (at < 0) | (at >= schedule.num_slots) | (schedule.count < 1)
    lost = (schedule.src < 0) | (schedule.dst < 0) | (schedule.src == schedule.dst)
    for wrong, problem in (
        (outside, "names a chunk outside the buffer"),
        (lost, "does not go from one vertex to another"),
    ):
        if wrong.any():
            i = int(np.argmax(wrong))
            src, dst, chunk, count = (int(getattr(schedule, c)[i]) for c in ("src", "dst", "chunk", "count"))
            raise WrongSchedule(f"{schedule.name}: transfer {i} ({src} -> {dst}, chunk {chunk} x {count}) {problem}")


def check_races(schedule: Schedule) -> None:
    """Raise WrongSchedule if a chunk is overwritten while another transfer writes it in the same step."""
    for s, step in enumerate(schedule):
        i, _, into = each_chunk(step)
        place = step.dst[i].astype(np.int64) * schedule.num_slots + into
        places, writers = np.unique(place, return_counts=True)
        copied = np.unique(place[step.op[i] == COPY])
        races = np.intersect1d(copied, places[writers > 1])
        if len(races):
            v, c = divmod(int(races[0]), schedule.num_slots)
            raise WrongSchedule(f"{schedule.name}: in step {s} two transfers write chunk {c} of vertex {v}")
