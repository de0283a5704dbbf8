"""The engine for buffered sends: data moves on as soon as it is there, chunk by chunk.

A message starts when its data is there, its out-port is free, and its in-port will be free when it arrives. It
occupies the out-port while it drains and is at the receiver a latency later; the sender does not wait for that.
With `slots`, it also waits until its receiver has taken in all but slots - 1 of the messages sent to it before.
"""

from __future__ import annotations

import numpy as np

from core.network.conditions import Network
from core.network.history import Layers, Table
from core.network.ports import Ports
from core.network.shares import Shares
from core.network.steps import Load, Pattern, Steps
from core.schedule import Step


class Buffered:
    def __init__(self, network: Network, steps: Steps, inside: bool, past: Table | Layers, slots: int | None = None):
        self.network, self.steps, self.past = network, steps, past
        self.shares = Shares(network, inside)
        self.ports = Ports(network)
        self.add_free = network.late.copy()
        self.adds, self.waits = bool(network.gamma.any()), bool(network.late.any())
        self.window = Window(slots) if slots else None
        self.last: tuple[Load, np.ndarray] | None = None

    def advance(self, number: int, load: Load, step: Step) -> tuple[np.ndarray, np.ndarray]:
        """Time one step: start and end of its messages, float64 [num_messages] each."""
        pattern, drain = load.pattern, self.drain(load)
        extra = self.network.extra_latency(number, len(pattern))
        ready = self.past.ready(load, step)
        if self.window:
            ready = np.maximum(ready, self.window.credit(pattern))
        start, arrive = self.ports.serve(load, ready, extra, drain, self.shares.floor(load), self.shares.links(load))
        end = self.taken_in(step, load, arrive)
        self.past.write(load, step, end)
        if self.window:
            self.window.sent(pattern, end)
        return start, end

    def drain(self, load: Load) -> np.ndarray:
        if not (self.last and self.last[0] is load):
            self.last = (load, self.shares.together(load))
        return self.last[1]

    def taken_in(self, step: Step, load: Load, arrive: np.ndarray) -> np.ndarray:
        """When each message is where it belongs: its receiver is there, and has added it."""
        dst = load.pattern.dst
        end = np.maximum(arrive, self.network.late[dst]) if self.waits else arrive
        if not self.adds:
            return end
        work = self.network.gamma[dst] * self.steps.added(step, load)
        for turn in (slice(None),) if load.pattern.solo else _by_arrival(dst, end):
            busy = work[turn] > 0
            done = np.maximum(end[turn], np.where(busy, self.add_free[dst[turn]], 0.0)) + work[turn]
            self.add_free[dst[turn]] = np.where(busy, done, self.add_free[dst[turn]])
            end[turn] = done
        return end


class Window:
    """For each connection, when the last `slots` messages on it were taken in."""

    def __init__(self, slots: int):
        self.slots = slots
        self.known: dict[tuple[int, int], int] = {}  # (src, dst) -> number of the connection
        self.lines: dict[Pattern, np.ndarray] = {}  # the connection of each message
        self.taken = np.zeros((0, slots))  # [connections, slots], a ring buffer for each
        self.count = np.zeros(0, np.int64)  # messages sent on each connection

    def credit(self, pattern: Pattern) -> np.ndarray:
        """When each message's slot is free again, float64 [num_messages]."""
        line = self._lines(pattern)
        return self.taken[line, self.count[line] % self.slots]

    def sent(self, pattern: Pattern, end: np.ndarray) -> None:
        line = self._lines(pattern)
        self.taken[line, self.count[line] % self.slots] = end
        self.count[line] += 1

    def _lines(self, pattern: Pattern) -> np.ndarray:
        if pattern not in self.lines:
            pairs = zip(pattern.src.tolist(), pattern.dst.tolist())
            self.lines[pattern] = np.array([self.known.setdefault(pair, len(self.known)) for pair in pairs], int)
            new = len(self.known) - len(self.taken)
            self.taken = np.vstack([self.taken, np.zeros((new, self.slots))])
            self.count = np.append(self.count, np.zeros(new, np.int64))
        return self.lines[pattern]


def _by_arrival(dst: np.ndarray, arrive: np.ndarray) -> list[np.ndarray]:
    """Turns in which no receiver has two messages: the first arrival of each, the second of each, ..."""
    order = np.lexsort((arrive, dst))
    first = np.searchsorted(dst[order], dst[order])
    nth = np.arange(len(order)) - first
    return [order[nth == k] for k in range(int(nth.max(initial=-1)) + 1)]
