"""What is left when transfers are lost: schedules with a dead link, and which cells still end complete."""

from __future__ import annotations

from collections.abc import Container

import numpy as np

from core.collective import ALL_REDUCE, Collective
from core.replay import replay
from core.schedule import Schedule, send
from core.verify import initial_counts


def without_link(schedule: Schedule, src: int, dst: int, steps: Container[int] | None = None) -> Schedule:
    """The schedule without what `src` sends to `dst` in `steps` (counted from 0; in every step, if not given)."""

    def survivors():
        for s, step in enumerate(schedule):
            lost = (step.src == src) & (step.dst == dst) & (steps is None or s in steps)
            columns = (column[~lost] for column in (step.src, step.dst, step.chunk, step.count))
            into = None if step.into is None else step.into[~lost]
            yield send(*columns, op=step.op[~lost], phase=step.phase, into=into)

    return _again(schedule, survivors())


def first_steps(schedule: Schedule, num_steps: int) -> Schedule:
    """The schedule up to and including its step number `num_steps`."""
    return _again(schedule, (schedule.step(s) for s in range(min(num_steps, schedule.num_steps))))


def complete_cells(schedule: Schedule, collective: Collective = ALL_REDUCE) -> np.ndarray:
    """bool [world_size, num_chunks]: which ranks end with which chunks complete, each input exactly once."""
    held = initial_counts(schedule, collective)
    complete = held.any(axis=0)[: schedule.num_chunks]
    for _ in replay(schedule, held):  # updates held
        pass
    return (held[: schedule.world_size, : schedule.num_chunks] == complete).all(axis=2)


def _again(schedule: Schedule, steps) -> Schedule:
    return Schedule.from_steps(
        steps,
        name=schedule.name,
        world_size=schedule.world_size,
        num_chunks=schedule.num_chunks,
        num_buffers=schedule.num_buffers,
    )
