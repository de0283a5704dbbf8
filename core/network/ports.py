"""Ports that serve one step after another: when is each free, and when has a message left it?"""

from __future__ import annotations

import numpy as np

from core.network.conditions import Network
from core.network.shares import times
from core.network.steps import Load, Pattern, along


class Ports:
    """When every link that serves as somebody's port is free again, by the clock of the message's sender end.

    While one pattern repeats, its ports' times are kept in the order of its messages: no need to look them up.
    """

    def __init__(self, network: Network):
        self.free = np.zeros(network.num_links + 1)  # the last entry is "no link", always free
        self.latency = np.append(network.latency, 0.0)
        self.bandwidth = np.append(network.bandwidth, np.inf)
        self.serial = not network.multiport  # do the latencies of messages keep their ports busy too?
        self.whole = bool((network.bandwidth > 0).all() and np.isfinite(network.late).all())  # does everything arrive?
        self.pattern: Pattern | None = None
        self.before = np.zeros(0)  # until the first byte of a message comes to its in-port
        self.out, self.into = np.zeros(0), np.zeros(0)  # `free` for the ports of the pattern

    def serve(self, load: Load, ready, extra, drain, floor, links) -> tuple[np.ndarray, np.ndarray]:
        """(start, arrival) of the messages of a step, float64 [num_messages] each, from their times in seconds.

        A message starts when it is ready, its out-port has done with earlier steps, and its in-port will have when
        it gets there. Both are busy while it drains, which does not end before `floor`. `extra` is added to its
        latency. `links` are those it shares with the others. What never arrives keeps no in-port.
        """
        pattern = load.pattern
        self._look_at(pattern)
        latency, before = pattern.alpha, self.before
        if not isinstance(extra, float):
            latency, before = latency + extra, before + extra
        if self.serial:
            latency = latency * pattern.queued
        start = np.maximum(np.maximum(ready, self.out), self.into - before)
        gone = start + drain
        if not pattern.alone:
            gone = np.minimum(gone, self._emptied(load, start, links))
        if floor is not None:
            gone = np.maximum(gone, floor)
        busy = gone + latency if self.serial else gone
        there = busy + before
        if not self.whole:
            there = np.where(np.isfinite(there), there, self.into)
        self.out, self.into = (busy, there) if pattern.alone else self._slowest(pattern, busy, there, before)
        return start, gone + latency

    def _look_at(self, pattern: Pattern) -> None:
        """The next messages to serve are those of `pattern`."""
        if pattern is self.pattern:
            return
        if self.pattern is not None:
            np.maximum.at(self.free, self.pattern.in_port, self.into)
            np.maximum.at(self.free, self.pattern.out_port, self.out)
            self.free[-1] = 0.0
        self.pattern = pattern
        self.before = pattern.alpha - self.latency[pattern.in_port]
        self.out, self.into = self.free[pattern.out_port], self.free[pattern.in_port]

    def _slowest(self, pattern: Pattern, busy, there, before) -> tuple[np.ndarray, np.ndarray]:
        """Ports that several messages share are free when the last of them is through."""
        np.maximum.at(self.free, pattern.in_port, there)
        np.maximum.at(self.free, pattern.out_port, busy)
        self.free[-1] = 0.0
        return self.free[pattern.out_port], self.free[pattern.in_port]

    def _emptied(self, load: Load, start: np.ndarray, links: np.ndarray) -> np.ndarray:
        """When each message has drained at the latest: when every link on its way has done all of this step's work.

        Messages that start at different times are not in each other's way all the time.
        """
        latest = start[np.isfinite(start)]
        if len(latest) == 0 or latest.min() == latest.max():
            return np.full(len(start), np.inf)
        hops = links.shape[1]
        link, time = links.ravel(), np.repeat(start, hops)
        work = np.repeat(load.nbytes, hops) / np.where(self.bandwidth[link] > 0, self.bandwidth[link], np.inf)
        done = along(np.maximum, _busy_until(link, time, work, len(self.free)), links)
        return np.maximum(done, start + times(load.nbytes, load.pattern.beta))


def _busy_until(link: np.ndarray, time: np.ndarray, work: np.ndarray, num_links: int) -> np.ndarray:
    """When each link has done all its work, pieces of which come at different times, float64 [num_links].

    The latest of: a piece comes, and it and all that come later are done without a pause.
    """
    order = np.lexsort((-time, link))  # of each link the last piece first
    link, time, work = link[order], time[order], work[order]
    so_far = np.cumsum(work)
    first = np.flatnonzero(np.diff(link, prepend=-1))
    so_far -= np.repeat((so_far - work)[first], np.diff(first, append=len(link)))
    until = np.zeros(num_links)
    np.maximum.at(until, link, time + so_far)
    return until
