"""The chunk moves behind a schedule's transfers: flat arrays, a batch of steps at a time.

A transfer of five chunks is five chunk moves. A place is one chunk slot of one vertex. A batch is small enough to
stay in the processor's cache, so a schedule of many millions of transfers needs no more memory than a small one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from core.schedule import COPY, Schedule

BATCH = 1 << 16  # chunk moves


@dataclass(frozen=True, eq=False)
class Moves:
    """The chunk moves of some consecutive steps, in row order."""

    ptr: list[int]  # step i of them owns moves ptr[i] .. ptr[i+1]-1
    src: np.ndarray  # intp [m], place read
    dst: np.ndarray  # intp [m], place written
    copies: np.ndarray  # bool [m], COPY


def batches(schedule: Schedule, limit: int = BATCH) -> Iterator[tuple[int, int]]:
    """(first, last + 1) of consecutive steps that together hold about `limit` chunk moves, or one larger step."""
    total = np.concatenate([[0], np.cumsum(_sizes(schedule))])
    first = 0
    while first < schedule.num_steps:
        last = max(first + 1, int(np.searchsorted(total, total[first] + limit, side="right")) - 1)
        yield first, last
        first = last


def moves(schedule: Schedule, first: int, last: int, low: int = 0, high: int | None = None) -> Moves:
    """The moves of steps first .. last-1 for the chunks low .. high-1 (of every buffer).

    Place of slot (buffer b, chunk c) of vertex v, with width = high - low: (v * num_buffers + b) * width + c - low.
    """
    high = schedule.num_chunks if high is None else high
    rows = slice(int(schedule.step_ptr[first]), int(schedule.step_ptr[last]))
    row, chunk, into = _expand(schedule, rows)
    if high - low < schedule.num_chunks:
        chosen = (chunk % schedule.num_chunks >= low) & (chunk % schedule.num_chunks < high)
        row = np.arange(rows.start, rows.stop) if isinstance(row, slice) else row
        row, chunk, into = row[chosen], chunk[chosen], into[chosen]
    src, dst = (_places(schedule, v[row], slot, low, high) for v, slot in ((schedule.src, chunk), (schedule.dst, into)))
    ptr = schedule.step_ptr[first : last + 1]
    ptr = ptr - ptr[0] if isinstance(row, slice) else np.searchsorted(row, ptr)
    return Moves(ptr.tolist(), src, dst, schedule.op[row] == COPY)


def _sizes(schedule: Schedule) -> np.ndarray:
    """int64 [num_steps]: chunk moves of each step."""
    if schedule.count.max(initial=1) == 1:
        return np.diff(schedule.step_ptr)
    return np.bincount(schedule.step_of, schedule.count, minlength=schedule.num_steps).astype(np.int64)


def _expand(schedule: Schedule, rows: slice) -> tuple[np.ndarray | slice, np.ndarray, np.ndarray]:
    """(transfer, chunk slot read, chunk slot written) of every chunk move of `rows`."""
    count = schedule.count[rows]
    chunk, into = schedule.chunk[rows], schedule.into[rows]
    if (count == 1).all():
        return rows, chunk, into
    nth = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    return (
        np.repeat(np.arange(rows.start, rows.stop), count),
        np.repeat(chunk, count) + nth,
        np.repeat(into, count) + nth,
    )


def _places(schedule: Schedule, vertex: np.ndarray, slot: np.ndarray, low: int, high: int) -> np.ndarray:
    if high - low == schedule.num_chunks:
        narrow = schedule.num_vertices * schedule.num_slots < 2**31  # half as wide, twice as fast
        place = vertex.astype(np.int32 if narrow else np.int64, copy=False) * schedule.num_slots
        place += slot
        return place.astype(np.intp)
    buffer, chunk = np.divmod(slot, schedule.num_chunks)
    return (vertex.astype(np.intp) * schedule.num_buffers + buffer) * (high - low) + (chunk - low)


def steps(batch: Moves, nth: np.ndarray | None) -> Iterator[tuple[int, int, list[np.ndarray] | bool]]:
    """For each step that moves something: (first move, last + 1, how to do it). `nth` is from `turns`.

    How: True if all moves copy, False if all add and to different places. Otherwise a list of moves to do one part
    after another: no part writes a place twice, or both copies and adds. (All of a step reads before any of it writes.)
    """
    for first, last in pairwise(batch.ptr):
        if first == last:
            continue
        copied = int(np.count_nonzero(batch.copies[first:last]))
        if copied in (0, last - first) and (nth is None or not nth[first:last].any()):
            yield first, last, copied > 0
        else:
            yield first, last, _parts(batch, nth, first, last)


def _parts(batch: Moves, nth: np.ndarray | None, first: int, last: int) -> list[np.ndarray]:
    """The copies of a step, then its first additions to each place, then the second ones ..."""
    turn = (np.zeros(last - first, np.int64) if nth is None else nth[first:last]) + 1
    turn[batch.copies[first:last]] = 0
    order = np.argsort(turn, kind="stable")
    return np.split(first + order, np.flatnonzero(np.diff(turn[order])) + 1)


def turns(batch: Moves, num_places: int) -> np.ndarray | None:
    """int64 [m]: 0 for the first move that writes a place in its step, 1 for the second ...; None if all are 0."""
    key = _written(batch, num_places)
    falls = np.count_nonzero(key[1:] <= key[:-1])
    nearly_sorted = 16 * falls < len(key)
    ordered = np.sort(key, kind="stable" if nearly_sorted else None)  # several times as fast on nearly sorted numbers
    if (ordered[1:] != ordered[:-1]).all():
        return None
    order = np.argsort(key, kind="stable")
    new = np.append(True, np.diff(key[order]) > 0)
    nth = np.empty(len(order), np.int64)
    nth[order] = np.arange(len(order)) - np.flatnonzero(new)[np.cumsum(new) - 1]
    return nth


def racing(batch: Moves, num_places: int) -> np.ndarray:
    """bool [m]: the moves to a place that several moves of their step write, one of them a COPY."""
    _, place = np.unique(_written(batch, num_places), return_inverse=True)
    return ((np.bincount(place) > 1) & (np.bincount(place, batch.copies) > 0))[place]


def _written(batch: Moves, num_places: int) -> np.ndarray:
    """int32 or int64 [m]: one number for each (step, place written)."""
    num_steps = len(batch.ptr) - 1
    dtype = np.int32 if num_steps * num_places < 2**31 else np.int64  # half as wide, twice as fast to sort
    return np.repeat(np.arange(num_steps, dtype=dtype) * num_places, np.diff(batch.ptr)) + batch.dst.astype(dtype)
