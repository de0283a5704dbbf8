"""Small schedules that do nothing useful: one kind of step, over and over, to learn what such a step costs here.

walk   everyone sends a chunk to the right and receives another, from one end of the buffer to the other (ring)
swap   everyone sends the whole buffer to the right while the same place is changed (recursive doubling)
hop    every second rank sends its whole buffer to the next one, then back (trees)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from core.collective import Collective
from core.schedule import COPY, REDUCE, Schedule, Step, send

NOTHING = Collective(
    "calibration",
    starts=lambda rank, chunk, origin: origin == rank,
    needs=lambda rank, chunk: False,
    bus_factor=lambda n: 0,
    promise="Nothing: the steps are only timed.",
)


def _walk(world_size: int, op: int) -> Iterator[Step]:
    rank = np.arange(world_size)
    for step in range(world_size):
        yield send(rank, (rank + 1) % world_size, chunk=(rank - step) % world_size, op=op)


def _swap(world_size: int, op: int) -> Iterator[Step]:
    rank = np.arange(world_size)
    for _ in range(2):
        yield send(rank, (rank + 1) % world_size, chunk=0, op=op)


def _hop(world_size: int, op: int) -> Iterator[Step]:
    even = np.arange(0, world_size - 1, 2)
    yield send(even, even + 1, chunk=0, op=op)
    yield send(even + 1, even, chunk=0, op=op)


KINDS: dict[str, tuple[Callable, int]] = {
    "walk_add": (_walk, REDUCE),
    "walk_copy": (_walk, COPY),
    "swap_add": (_swap, REDUCE),
    "hop_add": (_hop, REDUCE),
    "hop_copy": (_hop, COPY),
}


def shift(kind: str, world_size: int) -> Schedule:
    """The schedule of one kind of step, for two ranks or more."""
    steps, op = KINDS[kind]
    return Schedule.from_steps(
        steps(world_size, op), name=kind, world_size=world_size, num_chunks=world_size if steps is _walk else 1
    )


def kinds_of(schedule: Schedule) -> list[str]:
    """Which of KINDS each step of any schedule is like."""
    return [_kind(step) for step in schedule]


def _kind(step: Step) -> str:
    into = step.chunk if step.into is None else step.into
    adds, both = (step.op == REDUCE).any(), np.intersect1d(step.src, step.dst)
    if not len(both):
        return "hop_add" if adds else "hop_copy"
    if adds and any(_crosses(step, into, rank) for rank in both):
        return "swap_add"
    return "walk_add" if adds else "walk_copy"


def _crosses(step: Step, into: np.ndarray, rank: int) -> bool:
    """Does this rank change what it also sends?"""
    out, arriving = step.src == rank, step.dst == rank
    first, last = step.chunk[out][:, None], (step.chunk + step.count)[out][:, None]
    return bool(((first < (into + step.count)[arriving]) & (into[arriving] < last)).any())
