"""Carry out a schedule on an array state[vertex, chunk, ...], or on real buffers with uneven chunks.

What the array holds decides what you learn: numbers give the result, counts of contributions give a proof,
strings give a picture of who has what.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from core.chunks import slot_bounds
from core.schedule import COPY, Schedule, Step

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
    if op not in OPS:
        raise ValueError(f"unknown operation {op!r}: choose one of {', '.join(OPS)}")
    if inputs.ndim != 2 or len(inputs) != schedule.world_size:
        raise ValueError(f"inputs have shape {inputs.shape}: one row for each of {schedule.world_size} ranks is needed")
    num_elements = inputs.shape[1]
    first, last = slot_bounds(schedule, num_elements, layout)
    buffers = np.full(
        (schedule.num_vertices, num_elements * schedule.num_buffers), identity(op, inputs.dtype), inputs.dtype
    )
    buffers[: schedule.world_size, :num_elements] = inputs
    for step in schedule:
        apply_to_buffers(step, buffers, first, last, OPS[op])
    result = buffers[:, :num_elements]
    if op == "avg":
        result = result // schedule.world_size if inputs.dtype.kind in "iu" else result / schedule.world_size
    return result.astype(inputs.dtype, copy=False)


def apply_to_buffers(step: Step, buffers: np.ndarray, first: np.ndarray, last: np.ndarray, reduce: np.ufunc) -> None:
    """Do one step on flat buffers [num_vertices, elements]; chunk c is elements first[c] .. last[c]-1."""
    into = step.chunk if step.into is None else step.into
    rows = list(zip(step.src, step.dst, step.chunk, into, step.count, step.op))
    arriving = [buffers[src, first[c] : last[c + k - 1]].copy() for src, _, c, _, k, _ in rows]
    for (_, dst, _, c, k, op), piece in zip(rows, arriving):
        mine = buffers[dst, first[c] : last[c + k - 1]]
        if op == COPY:
            mine[...] = piece
        else:
            reduce(mine, piece, out=mine)
