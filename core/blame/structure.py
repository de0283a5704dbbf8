"""Transfers that mean nothing: names of vertices and chunks that do not exist, and vertices that send to themselves."""

from __future__ import annotations

import numpy as np

from core.blame.report import Report
from core.blame.words import Words
from core.edits import hop
from core.schedule import Schedule


def malformed(schedule: Schedule) -> Report | None:
    """A Report about the first transfer that names something that does not exist; None if all are well formed."""
    if _clearly_well_formed(schedule):
        return None
    for test, problem in (
        (_bad_chunks, f"there are {_chunk_names(schedule)}"),
        (_bad_vertices, f"there are ranks 0 to {schedule.world_size - 1}, and switches numbered on from them"),
        (_to_itself, "a vertex cannot send to itself"),
        (_bad_ops, "op must be COPY (0) or REDUCE (1)"),
    ):
        if (bad := test(schedule)).any():
            return _report(schedule, np.flatnonzero(bad), problem)
    return None


def _clearly_well_formed(schedule: Schedule) -> bool:
    """A quick look at the common case, for schedules of tens of millions of transfers."""
    if schedule.num_transfers == 0:
        return True
    if schedule.moves_chunks or schedule.num_buffers > 1 or schedule.count.max() > 1:
        return False
    lowest = min(int(column.min()) for column in (schedule.src, schedule.dst, schedule.chunk))
    inside = schedule.chunk.max() < schedule.num_chunks and schedule.num_vertices <= _end(schedule)
    return bool(
        lowest >= 0
        and schedule.count.min() == 1
        and inside
        and schedule.op.max() <= 1
        and not _to_itself(schedule).any()
    )


def _chunk_names(schedule: Schedule) -> str:
    scratch = f" in each of {schedule.num_buffers} buffers" if schedule.num_buffers > 1 else ""
    return f"chunks 0 to {schedule.num_chunks - 1}{scratch}"


def _report(schedule: Schedule, rows: np.ndarray, problem: str) -> Report:
    first = hop(schedule, int(rows[0]))
    what = f"transfer {rows[0]} ({Words(schedule).transfer(first)})"
    more = f" So do {len(rows) - 1} more transfers." if len(rows) > 1 else ""
    return Report(
        right=False,
        sentence=f"{schedule.name}: in step {first.step + 1}, {what} cannot be: {problem}.{more}",
        kind="out of range",
        step=first.step,
        transfers=tuple(rows[:3].tolist()),
        faults=len(rows),
    )


def _bad_chunks(schedule: Schedule) -> np.ndarray:
    """A transfer must stay within one buffer."""
    bad = schedule.count < 1
    for at in [schedule.chunk, schedule.into] if schedule.moves_chunks else [schedule.chunk]:
        chunk = at % schedule.num_chunks if schedule.num_buffers > 1 else at
        bad |= (at < 0) | (at >= schedule.num_slots) | (chunk + schedule.count > schedule.num_chunks)
    return bad


def _bad_vertices(schedule: Schedule) -> np.ndarray:
    end = _end(schedule)
    return (schedule.src < 0) | (schedule.dst < 0) | (schedule.src >= end) | (schedule.dst >= end)


def _end(schedule: Schedule) -> int:
    """N transfers can name 2 N switches; a number beyond them is a slip, and would need memory for all in between."""
    return schedule.world_size + 2 * schedule.num_transfers


def _to_itself(schedule: Schedule) -> np.ndarray:
    return schedule.src == schedule.dst


def _bad_ops(schedule: Schedule) -> np.ndarray:
    return schedule.op > 1
