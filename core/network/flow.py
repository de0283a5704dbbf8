"""The flow model: messages share links max-min fairly, and every change of the sharing is an event.

rendezvous  a message starts when both its ends have finished their previous step, spends its latency, then drains
buffered    it starts to drain when its data is there and its out-port is free, and arrives its latency later
With rendezvous sends on full-duplex links this equals SimGrid.
"""

from __future__ import annotations

import heapq
from collections import defaultdict

import numpy as np

from core.network.groups import alone_in_step, by_port, by_step, links
from core.network.plan import Plan, data_edges
from core.network.sharing import ARRIVE, DONE, DRAINED, ENTER, JOIN, Sharing

BUDGET = 3.0  # seconds of work before giving up; counted, not measured, so that the same call always decides alike
PER_MESSAGE, PER_VISIT = 10e-6, 0.4e-6  # seconds, on an ordinary processor: of a message, of a look at one of its links


class TooMuch(Exception):
    """The flow model would take too long for this schedule on this network."""


def flow(plan: Plan, send: str, slots: int | None = None, budget: float = BUDGET) -> tuple[np.ndarray, np.ndarray]:
    """(start, end) of every message, float64 [num_messages], infinity where it never happens. Raises TooMuch."""
    most = (budget - PER_MESSAGE * len(plan)) / PER_VISIT
    if most <= 0:
        raise TooMuch
    run = _Rendezvous(plan) if send == "rendezvous" else _Buffered(plan, slots)
    run.play(most)
    return np.array(run.start), np.array(run.end)


class _Run:
    """What both ways of sending have in common. Events on the heap are (time, 8 * message + what)."""

    def __init__(self, plan: Plan, shared: list[tuple[int, ...]]):
        self.heap: list[tuple[float, int]] = []
        self.src, self.dst, self.alpha = plan.src.tolist(), plan.dst.tolist(), plan.alpha.tolist()
        self.nbytes, self.late = plan.nbytes.tolist(), plan.network.late.tolist()
        self.start, self.end = [np.inf] * len(plan), [np.inf] * len(plan)
        with np.errstate(divide="ignore"):
            cap = (1 / plan.beta).tolist()
        self.sharing = Sharing(shared, cap, plan.network.bandwidth.tolist(), self.heap)
        self.adding = (plan.added * plan.network.gamma[plan.dst]).tolist()
        self.add_free = [0.0] * len(self.late)

    def play(self, most: float) -> None:
        heap, sharing = self.heap, self.sharing
        react = {JOIN: self.join, ARRIVE: self.arrived, DONE: self.done, ENTER: self.enter}
        pop, ends, leave, drained = heapq.heappop, sharing.ends, sharing.leave, self.drained
        while heap:
            now = heap[0][0]
            moment = now * (1 + 1e-12)  # what rounding has pulled apart happens together
            while heap and heap[0][0] <= moment:
                time, code = pop(heap)
                which, what = code >> 3, code & 7
                if what != DRAINED:
                    react[what](which, time)
                elif ends[which] == time:
                    leave(which)
                    drained(which, time)
            if sharing.changed:
                sharing.refill(now)
                if sharing.visits > most:
                    raise TooMuch

    def join(self, message: int, now: float) -> None:
        self.sharing.join(message, self.nbytes[message], now)

    def arrived(self, message: int, now: float) -> None:
        """Add it, after whatever the receiver has to add first; then it is done."""
        rank = self.dst[message]
        now = max(now, self.late[rank])
        if self.adding[message]:
            now = self.add_free[rank] = max(now, self.add_free[rank]) + self.adding[message]
        if now < np.inf:
            heapq.heappush(self.heap, (now, 8 * message + DONE))


class _Rendezvous(_Run):
    def __init__(self, plan: Plan):
        super().__init__(plan, links(plan, alone_in_step(plan, plan.src, plan.dst)))
        self.gate = [2] * len(plan)  # how many of a message's ends have not come to its step yet
        self.groups = by_step(plan)  # for each vertex its messages, step by step
        self.at = [0] * len(self.late)  # the step each vertex is in
        self.pending = [0] * len(self.late)  # messages of that step that are not done
        for vertex, time in enumerate(self.late):
            if time < np.inf and self.groups[vertex]:
                self.heap.append((time, 8 * vertex + ENTER))
        heapq.heapify(self.heap)

    def enter(self, vertex: int, now: float) -> None:
        group = self.groups[vertex][self.at[vertex]]
        self.pending[vertex] = len(group)
        for message in group:
            self.gate[message] -= 1
            if not self.gate[message]:
                self.start[message] = now
                heapq.heappush(self.heap, (now + self.alpha[message], 8 * message + JOIN))

    def drained(self, message: int, now: float) -> None:
        if self.adding[message]:
            self.finish(self.src[message], now)
            self.arrived(message, now)
        else:
            self.end[message] = now
            self.finish(self.src[message], now)
            self.finish(self.dst[message], now)

    def done(self, message: int, now: float) -> None:
        self.end[message] = now
        self.finish(self.dst[message], now)

    def finish(self, vertex: int, now: float) -> None:
        self.pending[vertex] -= 1
        if not self.pending[vertex]:
            self.at[vertex] += 1
            if self.at[vertex] < len(self.groups[vertex]):
                self.enter(vertex, now)


class _Buffered(_Run):
    def __init__(self, plan: Plan, slots: int | None):
        super().__init__(plan, links(plan, alone_in_step(plan, plan.out_port)))
        needs = data_edges(plan, slots)
        if needs is None:
            raise TooMuch
        self.gate = [1 + len(need) for need in needs]  # its sender's entry, and the messages that must be done before
        self.feeds: list[list[int]] = [[] for _ in needs]
        for message, need in enumerate(needs):
            for other in need:
                self.feeds[other].append(message)
        self.queues = by_port(plan)  # for each out-port its messages, step by step
        self.port = {message: port for port, steps in self.queues.items() for step in steps for message in step}
        self.turn = dict.fromkeys(self.queues, 0)  # the step that each port is at
        self.unsent = {port: len(steps[0]) for port, steps in self.queues.items()}  # messages of that step
        self.current = [False] * len(plan)  # is its port at its step?
        for steps in self.queues.values():
            for message in steps[0]:
                self.current[message] = True
        self.busy = dict.fromkeys(self.queues, False)
        self.mine: dict[int, list[int]] = defaultdict(list)
        for message, vertex in enumerate(self.src):
            self.mine[vertex].append(message)
        for vertex, messages in self.mine.items():
            if self.late[vertex] < np.inf and messages:
                self.heap.append((self.late[vertex], 8 * vertex + ENTER))
        heapq.heapify(self.heap)

    def enter(self, vertex: int, now: float) -> None:
        self.release(self.mine[vertex], now)

    def release(self, messages: list[int], now: float) -> None:
        """One thing less to wait for."""
        gate, current = self.gate, self.current
        for message in messages:
            gate[message] -= 1
            if not gate[message] and current[message]:
                self.begin(message, now)

    def begin(self, message: int, now: float) -> None:
        """Its data is there and its port is at its step."""
        self.start[message] = now
        self.sharing.join(message, self.nbytes[message], now)

    def drained(self, message: int, now: float) -> None:
        there = now + self.alpha[message]
        if self.adding[message]:
            heapq.heappush(self.heap, (there, 8 * message + ARRIVE))
        elif (late := self.late[self.dst[message]]) < np.inf:
            heapq.heappush(self.heap, (max(there, late), 8 * message + DONE))
        port = self.port[message]
        self.unsent[port] -= 1
        if not self.unsent[port]:
            self.next_step(port, now)

    def next_step(self, port: int, now: float) -> None:
        self.turn[port] += 1
        if self.turn[port] < len(self.queues[port]):
            group = self.queues[port][self.turn[port]]
            self.unsent[port] = len(group)
            for message in group:
                self.current[message] = True
            for message in group:
                if not self.gate[message]:
                    self.begin(message, now)

    def done(self, message: int, now: float) -> None:
        self.end[message] = now
        self.release(self.feeds[message], now)
