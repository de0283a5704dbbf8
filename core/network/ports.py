"""Ports that take one message at a time: when is each free, and whose turn is it?"""

from __future__ import annotations

import numpy as np

from core.network.steps import Pattern


class Ports:
    """When the out-port and the in-port of every link are free again.

    While one pattern repeats, its ports' times are kept in the order of its messages: no need to look them up.
    """

    def __init__(self, num_links: int):
        self.free = np.zeros((2, num_links + 1))  # [out or in, link]; the last column is "no link", always free
        self.pattern: Pattern | None = None
        self.out, self.into = np.zeros(0), np.zeros(0)  # the same times for the messages of a solo pattern

    def look_at(self, pattern: Pattern) -> None:
        """The next messages to serve are those of `pattern`."""
        if pattern is self.pattern:
            return
        if self.pattern is not None:
            self.free[0, self.pattern.out_port], self.free[1, self.pattern.in_port] = self.out, self.into
            self.free[:, -1] = 0.0
        self.pattern = pattern if pattern.solo else None
        if pattern.solo:
            self.out, self.into = self.free[0, pattern.out_port], self.free[1, pattern.in_port]

    def serve(self, pattern: Pattern, ready, latency, drain, hold) -> tuple[np.ndarray, np.ndarray]:
        """(start, arrival) of the messages of a step, float64 [num_messages] each, from their times in seconds.

        A message starts when it is ready, its out-port is free, and its in-port will be when it gets there. It keeps
        the out-port for `hold`. What never arrives keeps no in-port.
        """
        self.look_at(pattern)
        if pattern.solo:
            start = np.maximum(np.maximum(ready, self.out), self.into - latency)
            self.out, arrive = start + hold, start + (drain + latency)
            self.into = arrive if np.isfinite(arrive).all() else np.where(np.isfinite(arrive), arrive, self.into)
            return start, arrive
        start, arrive = np.empty(len(pattern)), np.empty(len(pattern))
        for turn in self._turns(pattern, ready, latency):
            out, into = pattern.out_port[turn], pattern.in_port[turn]
            start[turn] = begin = np.maximum(ready[turn], np.maximum(self.free[0, out], self.free[1, into] - latency[turn]))
            self.free[0, out] = begin + hold[turn]
            arrive[turn] = there = begin + (drain[turn] + latency[turn])
            self.free[1, into] = np.where(np.isfinite(there), there, self.free[1, into])
            self.free[:, -1] = 0.0
        return start, arrive

    def _turns(self, pattern: Pattern, ready: np.ndarray, latency: np.ndarray) -> list[np.ndarray]:
        """The messages of a step in turns without a port twice: who could start first goes first."""
        could = np.maximum(self.free[0, pattern.out_port], self.free[1, pattern.in_port] - latency)
        could = np.maximum(could, ready)
        grain = 1e-12 * max(could.max(where=np.isfinite(could), initial=0.0), 1e-9)  # rounding must not decide
        could = np.round(could / grain)
        if could.min() < could.max():
            return turns(pattern, could)
        if "turns" not in pattern.notes:
            pattern.notes["turns"] = turns(pattern, could)
        return pattern.notes["turns"]


def turns(pattern: Pattern, could: np.ndarray) -> list[np.ndarray]:
    """Serve both ports of every message in one order: earliest first, then by how far on the receiver is.

    When everyone sends to everyone, that makes perfect turns: first all to the next rank, then to the one after ...
    """
    around = max(pattern.src.max(initial=0), pattern.dst.max(initial=0)) + 1
    order = np.lexsort((pattern.src, (pattern.dst - pattern.src) % around, could))
    senders, receivers = _Line(pattern.out_port, order), _Line(pattern.in_port, order)
    heads, result = senders.heads(), []
    while len(heads):
        turn = heads[receivers.is_head(heads)]
        result.append(turn)
        receivers.drop(turn)
        heads = np.append(np.setdiff1d(heads, turn, assume_unique=True), senders.drop(turn))
    return result


class _Line:
    """The messages that wait at each port, in order."""

    def __init__(self, port: np.ndarray, order: np.ndarray):
        self.order = order[np.argsort(port[order], kind="stable")]
        ports, first = np.unique(port[self.order], return_index=True)
        self.port = np.searchsorted(ports, port)  # of each message
        self.at, self.end = first.copy(), np.append(first[1:], len(order))

    def heads(self) -> np.ndarray:
        return self.order[self.at]

    def is_head(self, message: np.ndarray) -> np.ndarray:
        return self.order[np.minimum(self.at[self.port[message]], len(self.order) - 1)] == message

    def drop(self, message: np.ndarray) -> np.ndarray:
        """These heads are served; returns those that come next."""
        port = self.port[message]
        self.at[port] += 1
        port = port[self.at[port] < self.end[port]]
        return self.order[self.at[port]]
