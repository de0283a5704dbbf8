"""Follow data through a schedule: backward, what made a place what it is; forward, what one transfer changes.

>>> from core.algorithms.ring import ring
>>> cone(ring(3), vertex=0, chunk=0, step=2).tolist()  # rank 0's finished sum: 1 -> 2 in step 0, 2 -> 0 in step 1
[1, 5]
"""

from __future__ import annotations

import numpy as np

from core.replay import each_chunk
from core.schedule import COPY, Schedule, Step


def cone(schedule: Schedule, vertex: int, chunk: int, step: int) -> np.ndarray:
    """The transfers that fed this place up to the start of `step` (num_steps: the end). int64, ascending.

    `chunk` is a slot: scratch buffers follow the data. What was overwritten on the way does not count.
    """
    _refuse(schedule, vertex, chunk, step)
    wanted = np.zeros((schedule.num_vertices, schedule.num_slots), bool)
    wanted[vertex, chunk] = True
    found = []
    for s in range(step - 1, -1, -1):
        now = schedule.step(s)
        row, read, written, copies = _moves(now)
        feeds = wanted[now.dst[row], written]
        found.append(schedule.step_ptr[s] + np.unique(row[feeds]))
        lost = feeds & copies
        wanted[now.dst[row[lost]], written[lost]] = False
        wanted[now.src[row[feeds]], read[feeds]] = True
    return np.concatenate([np.zeros(0, np.int64), *reversed(found)])


def influence(schedule: Schedule, transfer: int) -> np.ndarray:
    """The later transfers that carry on something which this one delivered. int64, ascending.

    >>> from core.algorithms.ring import ring
    >>> influence(ring(3), 1).tolist()  # the rest of chunk 0's way: once more to be added, then twice to be copied
    [5, 6, 10]
    """
    if not 0 <= transfer < schedule.num_transfers:
        raise ValueError(f"there is no transfer {transfer}: they are numbered 0 to {schedule.num_transfers - 1}")
    first = int(np.searchsorted(schedule.step_ptr, transfer, side="right")) - 1
    touched = np.zeros((schedule.num_vertices, schedule.num_slots), bool)
    into = int(schedule.into[transfer])
    touched[schedule.dst[transfer], into : into + int(schedule.count[transfer])] = True
    found = []
    for s in range(first + 1, schedule.num_steps):
        now = schedule.step(s)
        row, read, written, copies = _moves(now)
        carries = touched[now.src[row], read]
        found.append(schedule.step_ptr[s] + np.unique(row[carries]))
        lost = copies & ~carries
        touched[now.dst[row[lost]], written[lost]] = False
        touched[now.dst[row[carries]], written[carries]] = True
    return np.concatenate([np.zeros(0, np.int64), *found])


def _moves(step: Step) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(transfer, slot read, slot written, is it a COPY?) of every chunk move of a step."""
    row, read, written = each_chunk(step)
    return row, read, written, step.op[row] == COPY


def _refuse(schedule: Schedule, vertex: int, chunk: int, step: int) -> None:
    for name, value, end in (
        ("vertex", vertex, schedule.num_vertices),
        ("chunk", chunk, schedule.num_slots),
        ("step", step, schedule.num_steps + 1),
    ):
        if not 0 <= value < end:
            raise ValueError(f"there is no {name} {value}: it must be 0 to {end - 1}")
