"""What the messages of one step have to do with the network, worked out once for every pattern of senders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from core.network.conditions import Network
from core.schedule import REDUCE, Schedule, Step
from core.topology import BadTopology


@dataclass(eq=False)
class Pattern:
    """Who sends to whom in a step; the same pattern usually returns in many steps.

    A message's ports are the first and the last link of its path. Column num_links of every per-link array stands
    for "no link": it is free at any time and infinitely fast.
    """

    src: np.ndarray  # int64 [num_messages]
    dst: np.ndarray  # int64 [num_messages]
    of_row: np.ndarray | None  # int64 [num_transfers], the message of each transfer; None: one transfer a message
    paths: np.ndarray  # int64 [num_messages, longest path], filled up with num_links
    alpha: np.ndarray  # float64 [num_messages], latency of the path
    beta: np.ndarray  # float64 [num_messages], seconds per byte at its slowest link
    out_port: np.ndarray  # int64 [num_messages]
    in_port: np.ndarray  # int64 [num_messages]
    solo: bool  # does every vertex send at most one message, and receive at most one?
    alone: bool  # does every port serve at most one message?
    queued: np.ndarray  # float64 [num_messages], messages at the busier of its two ports, its own included
    back: np.ndarray | None  # int64 [num_vertices], if message v is sent by vertex v: the message it receives
    notes: dict = field(default_factory=dict)  # what the engines work out once for this pattern

    def __len__(self) -> int:
        return len(self.src)

    def per_message(self, rows: np.ndarray) -> np.ndarray:
        """The sum of a quantity of the transfers over each message."""
        return rows if self.of_row is None else np.bincount(self.of_row, rows, len(self))

    def ports(self, nothing: int) -> np.ndarray:
        """The two ports of each message, int64 [num_messages, 2]; a path of one link has only one."""
        return np.stack([self.out_port, np.where(self.in_port == self.out_port, nothing, self.in_port)], axis=1)

    def per_row(self, values: np.ndarray) -> np.ndarray:
        return values if self.of_row is None else values[self.of_row]


@dataclass(eq=False)
class Load:
    """The messages of one step and their sizes; steps in a row that differ only in their chunks share one."""

    pattern: Pattern
    nbytes: np.ndarray  # float64 [num_messages]
    even: bool  # are all sizes equal?
    single: bool  # does every transfer carry one chunk?
    times: int = 0  # steps so far
    notes: dict = field(default_factory=dict)  # what the engines work out once for this load


class Steps:
    """Turns steps into loads, and remembers the patterns it has seen."""

    def __init__(self, network: Network, chunk_bytes: float, envelope: float = 0.0):
        self.network, self.chunk_bytes, self.envelope = network, chunk_bytes, envelope
        self.known: dict[tuple[bytes, bytes], Pattern] = network.patterns
        self.loads: list[Load] = []

    def stream(self, steps: Iterable[Step]) -> Iterator[tuple[Load, Step]]:
        """Each step with its load, as they come."""
        last = None
        for step in steps:
            same = last is not None and _same(last, step)
            yield self._next(step, same), step
            last = step

    def walk(self, schedule: Schedule) -> Iterator[tuple[Load, Step]]:
        """The same for a schedule whose steps are all there to be compared at once."""
        first, step = schedule.step_ptr.tolist(), None
        for number, same in enumerate(_like_the_one_before(schedule)):
            if same:  # only which chunks travel is new
                rows = slice(first[number], first[number + 1])
                step = Step(step.src, step.dst, schedule.chunk[rows], step.count, schedule.op[rows])
            else:
                step = schedule.step(number)
            yield self._next(step, same), step

    def _next(self, step: Step, same: bool) -> Load:
        if not same:
            pattern = self._pattern(step)
            nbytes = pattern.per_message(_payload(step, pattern)) * self.chunk_bytes + self.envelope
            even = len(nbytes) == 0 or nbytes.min() == nbytes.max()
            self.loads.append(Load(pattern, nbytes, bool(even), int(step.count.max(initial=1)) == 1))
        self.loads[-1].times += 1
        return self.loads[-1]

    def _pattern(self, step: Step) -> Pattern:
        key = step.src.tobytes(), step.dst.tobytes()
        if key not in self.known:
            highest = int(max(step.src.max(initial=0), step.dst.max(initial=0)))
            if highest >= self.network.num_vertices:
                raise BadTopology(f"a step names vertex {highest}: a stream has only ranks; build the schedule")
            self.known[key] = _pattern(self.network, step.src.astype(np.int64), step.dst.astype(np.int64))
        return self.known[key]

    def added(self, step: Step, load: Load) -> np.ndarray:
        """Bytes of each message that its receiver adds to its own, float64 [num_messages]."""
        return load.pattern.per_message(step.count * (step.op == REDUCE)) * self.chunk_bytes

    def link_bytes(self, inside: bool = True) -> np.ndarray:
        """Bytes that each link has carried so far, float64 [num_links]; only as first or last link, if not inside."""
        total = np.zeros(self.network.num_links + 1)
        for load in self.loads:
            paths = load.pattern.paths if inside else load.pattern.ports(self.network.num_links)
            total += np.bincount(paths.ravel(), np.repeat(load.nbytes * load.times, paths.shape[1]), len(total))
        return total[:-1]


def _same(a: Step, b: Step) -> bool:
    if a.into is not None or b.into is not None:
        return False
    return all(np.array_equal(x, y) for x, y in ((a.src, b.src), (a.dst, b.dst), (a.count, b.count)))


def _like_the_one_before(schedule: Schedule) -> list[bool]:
    """Has each step the same senders, receivers and counts as the step before it?"""
    sizes = np.diff(schedule.step_ptr)
    if schedule.moves_chunks or schedule.num_steps < 2:
        return [False] * schedule.num_steps
    same = np.append(False, sizes[1:] == sizes[:-1])
    if (sizes == sizes[0]).all() and sizes[0]:
        for column in (schedule.src, schedule.dst, schedule.count):
            rows = column.reshape(-1, sizes[0])
            same[1:] &= (rows[1:] == rows[:-1]).all(axis=1)
        return same.tolist()
    return [bool(maybe) and _same(schedule.step(s - 1), schedule.step(s)) for s, maybe in enumerate(same)]


def _payload(step: Step, pattern: Pattern) -> np.ndarray:
    """Chunks that each transfer adds to its message: a chunk delivered to two places travels once."""
    if step.into is None or pattern.of_row is None:
        return step.count
    first = np.unique(np.stack([pattern.of_row, step.chunk, step.count]), axis=1, return_index=True)[1]
    once = np.zeros(len(step), step.count.dtype)
    once[first] = step.count[first]
    return once


def _pattern(network: Network, src: np.ndarray, dst: np.ndarray) -> Pattern:
    of_row = None
    if not (_distinct(src, network.num_vertices) or _distinct(dst, network.num_vertices)):
        key = src * network.num_vertices + dst
        _, first, rows = np.unique(key, return_index=True, return_inverse=True)
        if len(first) < len(key):
            src, dst, of_row = src[first], dst[first], rows
    paths = network.paths(src, dst).astype(np.int64)
    nothing = network.num_links
    paths[paths < 0] = nothing
    latency, bandwidth = np.append(network.latency, 0.0), np.append(network.bandwidth, np.inf)
    with np.errstate(divide="ignore"):
        beta = 1 / along(np.minimum, bandwidth, paths)
    length = along(np.add, np.append(np.ones(nothing, np.int64), 0), paths)
    out_port, in_port = paths[:, 0], paths[np.arange(len(paths)), np.maximum(length - 1, 0)]
    one = [_distinct(ends, network.num_vertices) for ends in (src, dst)]
    solo = all(one)
    alone = _distinct(np.append(out_port, in_port[in_port != out_port]), nothing + 1)
    everyone = solo and np.array_equal(src, np.arange(network.num_vertices))
    queued = np.maximum(*(np.bincount(port, minlength=nothing + 1)[port] for port in (out_port, in_port)))
    return Pattern(
        src,
        dst,
        of_row,
        paths,
        along(np.add, latency, paths),
        beta,
        out_port,
        in_port,
        solo,
        alone,
        queued.astype(float),
        np.argsort(dst) if everyone else None,
    )


def along(combine: np.ufunc, values: np.ndarray, paths: np.ndarray) -> np.ndarray:
    """The sum, minimum ... of `values` of the links of each path. (numpy is slow along a short last axis.)"""
    return reduce(combine, (values[column] for column in paths.T))


def _distinct(numbers: np.ndarray, below: int) -> bool:
    seen = np.zeros(below, bool)
    seen[numbers] = True
    return int(np.count_nonzero(seen)) == len(numbers)
