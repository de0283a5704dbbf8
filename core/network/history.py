"""When the data that a vertex sends was there: two ways to remember, both exact.

Table   one time for every chunk of every vertex: best when chunks are few, or messages small
Layers  the last writes of every vertex, step by step, as runs of chunks: best for a few steps of long runs
Neither needs to know more than the latest write into what a message carries.
"""

from __future__ import annotations

import numpy as np

from core.network.steps import Load
from core.schedule import Schedule, Step

TABLE_LIMIT = 1 << 25  # entries: 256 MB
LAYER_LIMIT = 64  # steps


class Table:
    """float64 [num_vertices * num_slots]: when each chunk was last written."""

    def __init__(self, late: np.ndarray, num_slots: int):
        self.num_slots = num_slots
        self.time = np.repeat(late, num_slots)

    def ready(self, load: Load, step: Step) -> np.ndarray:
        """When everything that each message carries is there, float64 [num_messages]."""
        place, owner = self._places(load, "src", step.chunk, step)
        return _latest(self.time.take(place), owner, load)

    def write(self, load: Load, step: Step, end: np.ndarray) -> None:
        """The messages of a step have been written at `end`."""
        place, owner = self._places(load, "dst", step.chunk if step.into is None else step.into, step)
        values = load.pattern.per_row(end)
        if owner is None and load.pattern.solo:
            self.time[place] = np.maximum(self.time.take(place), values)
        else:
            np.maximum.at(self.time, place, values if owner is None else values[owner])

    def _places(self, load: Load, end: str, chunk: np.ndarray, step: Step) -> tuple[np.ndarray, np.ndarray | None]:
        """Where each chunk of each transfer is in `time`, and the transfer it belongs to (None: one each)."""
        if end not in load.notes:
            load.notes[end] = getattr(step, end).astype(np.int64) * self.num_slots
        first, count = load.notes[end] + chunk, step.count
        if load.single:
            return first, None
        owner = np.repeat(np.arange(len(count)), count)
        return first[owner] + np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count), owner


class Layers:
    """For each step so far the run of chunks that each vertex was sent, and when."""

    def __init__(self, late: np.ndarray):
        self.late = late
        self.layers: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []  # first, last + 1, end; [num_vertices] each

    def ready(self, load: Load, step: Step) -> np.ndarray:
        src = step.src
        time, low, high = self.late[src], step.chunk, step.chunk + step.count
        for first, last, end in self.layers:
            touches = (first[src] < high) & (last[src] > low)
            np.maximum(time, end[src], out=time, where=touches)
        return _latest(time, None, load)

    def write(self, load: Load, step: Step, end: np.ndarray) -> None:
        rows, into = load.pattern.per_row(end), step.chunk if step.into is None else step.into
        if load.pattern.solo and load.pattern.of_row is None:
            self._layer(step.dst, into, into + step.count, rows)
            return
        left = np.arange(len(step))
        while len(left):
            vertex, one = np.unique(step.dst[left], return_index=True)  # one write of each vertex a layer
            row = left[one]
            self._layer(vertex, into[row], into[row] + step.count[row], rows[row])
            left = np.delete(left, one)

    def _layer(self, vertex: np.ndarray, first: np.ndarray, last: np.ndarray, end: np.ndarray) -> None:
        layer = np.zeros(len(self.late), np.int32), np.zeros(len(self.late), np.int32), np.zeros(len(self.late))
        for column, values in zip(layer, (first, last, end)):
            column[vertex] = values
        self.layers.append(layer)


def _latest(time: np.ndarray, owner: np.ndarray | None, load: Load) -> np.ndarray:
    """The latest time of each message, from times of chunks (with their transfers) or of transfers."""
    of_row = load.pattern.of_row
    message = of_row if owner is None else owner if of_row is None else of_row[owner]
    if message is None:
        return time
    latest = np.zeros(len(load.pattern))
    np.maximum.at(latest, message, time)
    return latest


def history(schedule: Schedule, late: np.ndarray) -> Table | Layers | None:
    """The cheaper of the two for this schedule, or None if either is too large."""
    entries = len(late) * schedule.num_slots
    chunks = int(schedule.count.sum(dtype=np.int64))
    if schedule.num_steps <= LAYER_LIMIT and schedule.num_transfers * schedule.num_steps < 2 * max(chunks, entries):
        return Layers(late)
    return Table(late, schedule.num_slots) if entries <= TABLE_LIMIT else None
