"""Cut every chunk into segments that follow each other through the steps, as on an assembly line.

The result is a schedule like any other: it can be proved, drawn and timed. While segment 0 is in step s, segment 1 is
in step s - 1. More messages, but a rank sends, receives and adds at the same time, and what arrives is still in the
cache when it is added.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from core.schedule import Schedule, Step, send, together


def segmented(schedule: Schedule, segments: int) -> Schedule:
    """The same collective with segments * num_chunks chunks and num_steps + segments - 1 steps."""
    if segments == 1 or not schedule.num_steps:
        return schedule
    return Schedule.from_steps(
        _ticks(schedule, segments),
        name=schedule.name,
        world_size=schedule.world_size,
        num_chunks=schedule.num_chunks * segments,
        num_buffers=schedule.num_buffers,
    )


def _ticks(schedule: Schedule, segments: int) -> Iterator[Step]:
    thin = [_one_by_one(step) for step in schedule]
    for tick in range(len(thin) + segments - 1):
        busy = range(max(0, tick - segments + 1), min(tick, len(thin) - 1) + 1)
        yield together(_segment(thin[s], tick - s, segments) for s in busy)


def _segment(step: Step, segment: int, segments: int) -> Step:
    into = None if step.into is None else step.into * segments + segment
    return replace(step, chunk=step.chunk * segments + segment, into=into)


def _one_by_one(step: Step) -> Step:
    """The same transfers, one for every chunk: the segments of neighbouring chunks are not neighbours."""
    row = np.repeat(np.arange(len(step)), step.count)
    nth = np.arange(len(row)) - np.repeat(np.cumsum(step.count) - step.count, step.count)
    into = None if step.into is None else step.into[row] + nth
    return send(step.src[row], step.dst[row], step.chunk[row] + nth, op=step.op[row], phase=step.phase, into=into)
