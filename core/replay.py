"""Carry out a schedule on an array state[vertex, chunk, ...], or on real buffers with uneven chunks.

What the array holds decides what you learn: numbers give the result, counts of contributions give a proof,
strings give a picture of who has what.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from core.chunks import slot_bounds
from core.moves import batches, moves
from core.schedule import COPY, Schedule, Step

BLOCK = 1 << 15  # elements
OPS = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum, "avg": np.add}


def replay(steps: Iterable[Step], state: np.ndarray, reduce: np.ufunc = np.add) -> Iterator[np.ndarray]:
    """Yield `state` at the start and after each step. It is updated in place: copy it to keep it."""
    yield state
    for step in steps:
        apply(step, state, reduce)
        yield state


def apply(step: Step, state: np.ndarray, reduce: np.ufunc = np.add) -> None:
    """Do one step: every transfer reads, then every transfer writes."""
    i, chunk, into = each_chunk(step)
    dst, copies = step.dst[i], step.op[i] == COPY
    arriving = state[step.src[i], chunk]  # indexing with arrays copies, so this is the "read first"
    state[dst[copies], into[copies]] = arriving[copies]
    reduce.at(state, (dst[~copies], into[~copies]), arriving[~copies])


def each_chunk(step: Step) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One entry per chunk moved: which transfer moves it, which chunk it is, and which chunk it becomes."""
    transfer = np.repeat(np.arange(len(step)), step.count)
    nth = np.arange(len(transfer)) - np.repeat(np.cumsum(step.count) - step.count, step.count)
    chunk = step.chunk[transfer] + nth
    return transfer, chunk, chunk if step.into is None else step.into[transfer] + nth


def identity(op: str, dtype) -> float | int:
    """What a switch or a scratch buffer holds before anything arrives: x op identity == x."""
    dtype = np.dtype(dtype)
    if op in ("sum", "avg"):
        return 0
    if op == "prod":
        return 1
    limits = np.iinfo(dtype) if dtype.kind in "iu" else np.finfo(dtype)
    smallest, largest = (limits.min, limits.max) if dtype.kind in "iu" else (-np.inf, np.inf)
    return smallest if op == "max" else largest


def reduce_buffers(schedule: Schedule, inputs: np.ndarray, op: str = "sum", layout: str = "even") -> np.ndarray:
    """The buffers of all vertices after the schedule, [num_vertices, num_elements], from inputs[rank, num_elements].

    `op` is sum, prod, max, min or avg (a sum, divided by world_size at the end; integers divide downwards).
    """
    _refuse(schedule, inputs, op)
    num_elements = inputs.shape[1]
    buffers = np.full(
        (schedule.num_vertices, num_elements * schedule.num_buffers), identity(op, inputs.dtype), inputs.dtype
    )
    buffers[: schedule.world_size, :num_elements] = inputs
    carry_out(schedule, buffers, layout, OPS[op])
    result = buffers[:, :num_elements]
    if op == "avg":
        result = result // schedule.world_size if inputs.dtype.kind in "iu" else result / schedule.world_size
    return result.astype(inputs.dtype, copy=False)


def _refuse(schedule: Schedule, inputs: np.ndarray, op: str) -> None:
    if op not in OPS:
        raise ValueError(f"unknown operation {op!r}: choose one of {', '.join(OPS)}")
    if inputs.ndim != 2 or len(inputs) != schedule.world_size:
        raise ValueError(f"inputs have shape {inputs.shape}: one row for each of {schedule.world_size} ranks is needed")
    if inputs.dtype.kind not in "iuf":
        raise ValueError(f"inputs have type {inputs.dtype}: integers or floats are needed")


def carry_out(schedule: Schedule, buffers: np.ndarray, layout: str = "even", reduce: np.ufunc = np.add) -> None:
    """Do all steps in place on buffers[num_vertices, num_elements * num_buffers], about as fast as numpy reduces.

    The transfers of a step are done in their order, so that the bits of a floating-point sum are defined. A piece is
    set aside only if an earlier transfer of its step writes what it reads.
    """
    first, last = slot_bounds(schedule, buffers.shape[1] // schedule.num_buffers, layout)
    begin, end = first[schedule.chunk], last[schedule.chunk + schedule.count - 1]
    into, until = first[schedule.into], last[schedule.into + schedule.count - 1]
    _refuse_other_sizes(schedule, end - begin, until - into)
    late = read_after_write(schedule)
    columns = (schedule.src, begin, end, schedule.dst, into, until, schedule.op == COPY, late)
    rows, held = list(zip(*(c.tolist() for c in columns))), list(buffers)
    if not late.any():  # the order of the transfers is all that matters
        return _do_part(rows, held, reduce)
    for start, stop in pairwise(schedule.step_ptr.tolist()):
        _do(rows[start:stop], held, reduce)


def _do(step: list[tuple], held: list[np.ndarray], reduce: np.ufunc) -> None:
    """One step of (sender, first, last + 1, receiver, first, last + 1, is it a COPY?, must it be set aside?)."""
    if not any(row[7] for row in step) or any(row[1] != row[4] for row in step):
        _do_part(step, held, reduce)
    else:  # a block at a time, so that what is set aside stays in the cache
        for low in range(min(row[1] for row in step), max(row[2] for row in step), BLOCK):
            part = [(row, max(row[1], low), min(row[2], low + BLOCK)) for row in step]
            _do_part([(row[0], a, b, row[3], a, b, *row[6:]) for row, a, b in part if a < b], held, reduce)


def _do_part(step: list[tuple], held: list[np.ndarray], reduce: np.ufunc) -> None:
    aside = [held[src][a:b].copy() for src, a, b, *_, late in step if late]
    aside.reverse()
    for src, a, b, dst, c, d, copies, late in step:
        piece, mine = aside.pop() if late else held[src][a:b], held[dst][c:d]
        if copies:
            mine[...] = piece
        else:
            reduce(mine, piece, out=mine)


def _refuse_other_sizes(schedule: Schedule, sent: np.ndarray, received: np.ndarray) -> None:
    if not np.array_equal(sent, received):
        row = int(np.argmax(sent != received))
        raise ValueError(
            f"{schedule.name}: transfer {row} puts chunk {schedule.chunk[row]} in the place of chunk "
            f"{schedule.into[row]}, which has another size: choose a number of elements that num_chunks divides"
        )


def read_after_write(schedule: Schedule) -> np.ndarray:
    """bool [num_transfers]: does the transfer read what an earlier one of its step writes?"""
    late, places = np.zeros(schedule.num_transfers, bool), schedule.num_vertices * schedule.num_slots
    for low, high in batches(schedule):
        rows = slice(int(schedule.step_ptr[low]), int(schedule.step_ptr[high]))
        row = np.repeat(np.arange(rows.start, rows.stop), schedule.count[rows])
        batch = moves(schedule, low, high)
        step = np.repeat(np.arange(high - low), np.diff(batch.ptr)) * places
        place, first = np.unique(step + batch.dst, return_index=True)
        at = np.minimum(np.searchsorted(place, step + batch.src), len(place) - 1)
        late[row[(place[at] == step + batch.src) & (row[first[at]] < row)]] = True
    return late
