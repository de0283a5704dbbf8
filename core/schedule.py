"""A schedule says who sends which chunk to whom, one step after another.

    transfer   src sends chunks chunk .. chunk+count-1 to dst, which adds them to its own (REDUCE)
               or overwrites its own with them (COPY)
    message    all transfers of one step from one src to one dst: it pays the latency once
    step       transfers that happen together: all of them read before any of them writes
    schedule   all the steps of one collective, as columns: entry i of each column is transfer i

A vertex is anything that can hold data: ranks are 0 .. world_size-1, switches are numbered after them.
A few algorithms keep a second buffer (num_buffers = 2): its chunks are numbered on from num_chunks, start empty,
and the column `into` says where an arriving chunk goes when that is not where it came from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

COPY, REDUCE = 0, 1
COLUMNS = {"src": np.int32, "dst": np.int32, "chunk": np.int32, "count": np.int32, "op": np.uint8}


@dataclass(frozen=True, eq=False)
class Step:
    """Transfers that happen together; every array has one entry per transfer."""

    src: np.ndarray  # int32 [k], sending vertex
    dst: np.ndarray  # int32 [k], receiving vertex
    chunk: np.ndarray  # int32 [k], first chunk sent
    count: np.ndarray  # int32 [k], how many chunks, counting up from `chunk`
    op: np.ndarray  # uint8 [k], REDUCE or COPY
    phase: str = ""
    into: np.ndarray | None = None  # int32 [k], first chunk written at dst; None: the same as `chunk`

    def __len__(self) -> int:
        return len(self.src)


def send(src, dst, chunk, count=1, *, op, phase: str = "", into=None) -> Step:
    """Every `src` sends to its `dst`, all at once. Numbers and arrays may be mixed; they broadcast."""
    given = [src, dst, chunk, count, op] + ([] if into is None else [into])
    shape = np.broadcast(*given).shape
    columns = [_filled(shape, c, dtype) for c, dtype in zip(given, (*COLUMNS.values(), np.int32))]
    return Step(*columns[:5], phase, None if into is None else columns[5])


def _filled(shape: tuple[int, ...], values, dtype) -> np.ndarray:
    """A copy in one dimension. broadcast_arrays takes three times as long, and schedules have thousands of steps."""
    column = np.empty(shape, dtype)
    column[...] = values
    return column.ravel()


def together(steps: Iterable[Step]) -> Step:
    """Merge several steps into one that does all their transfers at the same time."""
    steps = list(steps)
    phase = " + ".join(dict.fromkeys(step.phase for step in steps if step.phase))
    return Step(*(np.concatenate([getattr(step, c) for step in steps]) for c in COLUMNS), phase, _joined_into(steps))


def _joined_into(steps: list[Step]) -> np.ndarray | None:
    if all(step.into is None for step in steps):
        return None
    return np.concatenate([step.chunk if step.into is None else step.into for step in steps])


@dataclass(frozen=True, eq=False)
class Schedule:
    """All the steps of one collective. Holds tens of millions of transfers: 17 bytes for each."""

    name: str
    world_size: int
    num_chunks: int
    src: np.ndarray  # int32 [num_transfers]
    dst: np.ndarray  # int32 [num_transfers]
    chunk: np.ndarray  # int32 [num_transfers]
    count: np.ndarray  # int32 [num_transfers]
    op: np.ndarray  # uint8 [num_transfers]
    step_ptr: np.ndarray  # int64 [num_steps + 1]; step s owns transfers step_ptr[s] .. step_ptr[s+1]-1
    phases: tuple[str, ...]  # [num_steps], what each step belongs to
    into: np.ndarray  # int32 [num_transfers]; the very array `chunk` when every chunk keeps its place
    num_buffers: int = 1  # buffer 0 is the data, the others are scratch and start empty

    @classmethod
    def from_steps(
        cls, steps: Iterable[Step], *, name: str, world_size: int, num_chunks: int, num_buffers: int = 1
    ) -> Schedule:
        steps = list(steps)
        everything = together([*steps, send([], [], [], op=COPY)])  # the empty step keeps an empty schedule legal
        columns = {c: getattr(everything, c) for c in COLUMNS}
        into = columns["chunk"] if everything.into is None else everything.into
        step_ptr = np.cumsum([0] + [len(step) for step in steps], dtype=np.int64)
        for column in (*columns.values(), into, step_ptr):
            column.setflags(write=False)  # schedules are cached and shared
        phases = tuple(step.phase for step in steps)
        return cls(
            name,
            world_size,
            num_chunks,
            **columns,
            step_ptr=step_ptr,
            phases=phases,
            into=into,
            num_buffers=num_buffers,
        )

    def __iter__(self) -> Iterator[Step]:
        return (self.step(s) for s in range(self.num_steps))

    def step(self, s: int) -> Step:
        """Step `s`, as views into the columns (nothing is copied)."""
        rows = slice(self.step_ptr[s], self.step_ptr[s + 1])
        into = self.into[rows] if self.moves_chunks else None
        return Step(*(getattr(self, c)[rows] for c in COLUMNS), self.phases[s], into)

    @property
    def moves_chunks(self) -> bool:
        """Does any transfer put a chunk elsewhere than where it came from?"""
        return self.into is not self.chunk

    @property
    def num_steps(self) -> int:
        return len(self.phases)

    @property
    def num_transfers(self) -> int:
        return len(self.src)

    @property
    def num_slots(self) -> int:
        """How many chunks a vertex can hold, scratch buffers included."""
        return self.num_chunks * self.num_buffers

    @cached_property  # it looks at every transfer
    def num_vertices(self) -> int:
        return int(max(self.world_size, self.src.max(initial=-1) + 1, self.dst.max(initial=-1) + 1))

    @property
    def step_of(self) -> np.ndarray:
        """int64 [num_transfers], the step of every transfer."""
        return np.repeat(np.arange(self.num_steps), np.diff(self.step_ptr))


@dataclass(frozen=True, eq=False)
class Messages:
    """The messages of a schedule, in order of step, src, dst. A message carries each chunk once."""

    step: np.ndarray  # int64 [num_messages]
    src: np.ndarray  # int32 or int64 [num_messages]
    dst: np.ndarray  # int32 or int64 [num_messages]
    chunks: np.ndarray  # int32 or int64 [num_messages], how many chunks it carries
    of_transfer: np.ndarray  # int64 [num_transfers], the message each transfer travels in


def messages(schedule: Schedule) -> Messages:
    """Group the transfers of each step by (src, dst)."""
    vertices, step = schedule.num_vertices, schedule.step_of
    if not schedule.moves_chunks and _each_a_message(schedule):
        return Messages(step, schedule.src, schedule.dst, schedule.count, np.arange(schedule.num_transfers))
    key = (step * vertices + schedule.src) * vertices + schedule.dst
    keys, of_transfer = np.unique(key, return_inverse=True)
    once = np.ones(schedule.num_transfers, bool)
    if schedule.moves_chunks:  # the same chunk delivered to two places travels once
        payload = np.stack([of_transfer, schedule.chunk, schedule.count])
        once[:] = False
        once[np.unique(payload, axis=1, return_index=True)[1]] = True
    chunks = np.bincount(of_transfer[once], schedule.count[once], minlength=len(keys)).astype(np.int64)
    pair = keys % (vertices * vertices)
    return Messages(keys // (vertices * vertices), pair // vertices, pair % vertices, chunks, of_transfer)


def _each_a_message(schedule: Schedule) -> bool:
    """Is every transfer a message of its own, and all in order already? That is the usual case, and quickly seen."""
    src, dst = schedule.src, schedule.dst
    rising = src[1:] > src[:-1]
    rising |= (src[1:] == src[:-1]) & (dst[1:] > dst[:-1])
    first = schedule.step_ptr[:-1]
    rising[first[(first > 0) & (first < len(src))] - 1] = True  # a new step may begin anywhere
    return bool(rising.all())
