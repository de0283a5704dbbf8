"""Two engines that time a step at a time: rendezvous sends, and the lock-step contrast.

Rendezvous: a message starts when both its ends have finished their previous step, and a vertex finishes a step when
all its messages of that step have arrived (and, at a receiver, have been added).
Lock-step: nobody starts a step before everybody has finished the one before.
"""

from __future__ import annotations

import numpy as np

from core.network.conditions import Network
from core.network.shares import Shares
from core.network.steps import Load, Steps
from core.schedule import Step


class Rendezvous:
    """Streams: holds one time a vertex and nothing else."""

    def __init__(self, network: Network, steps: Steps, inside: bool):
        self.network, self.steps, self.shares = network, steps, Shares(network, inside)
        self.time = network.late.copy()  # when each vertex is ready for its next step
        self.last: tuple[Load, np.ndarray] | None = None
        self.adds = bool(network.gamma.any())

    def advance(self, number: int, load: Load, step: Step) -> tuple[np.ndarray, np.ndarray]:
        """Time one step: start and end of its messages, float64 [num_messages] each."""
        time, pattern = self.time, load.pattern
        took, floor = self.duration(number, load), self.shares.floor(load)
        if pattern.back is not None and not self.adds:  # everybody sends and receives: no need to look up who
            start = np.maximum(time, time.take(pattern.dst))
            end = start + took if floor is None else np.maximum(start + took, floor)
            self.time = np.maximum(end, end.take(pattern.back))
            return start, end
        src, dst = pattern.src, pattern.dst
        start = np.maximum(time[src], time[dst])
        arrive = start + took if floor is None else np.maximum(start + took, floor)
        end = arrive + self.adding(step, load) if self.adds else arrive
        if pattern.solo:
            time[src] = arrive
            time[dst] = np.maximum(time[dst], end)
        else:
            np.maximum.at(time, src, arrive)
            np.maximum.at(time, dst, end)
        return start, end

    def duration(self, number: int, load: Load) -> np.ndarray:
        """Latency and drain of each message of a step, all draining together."""
        if self.last and self.last[0] is load and not self.network.jitter:
            return self.last[1]
        pattern = load.pattern
        latency = pattern.alpha + self.network.extra_latency(number, len(pattern))
        if not self.network.multiport:
            latency = latency * pattern.queued
        took = latency + self.shares.together(load)
        self.last = (load, took)
        return took

    def adding(self, step: Step, load: Load) -> np.ndarray:
        """Seconds that each message's receiver adds in this step, once everything is there."""
        dst = load.pattern.dst
        added = np.bincount(dst, self.steps.added(step, load), self.network.num_vertices)
        return (self.network.gamma * added)[dst]


class Lockstep(Rendezvous):
    """The contrast: a barrier after each step, as the closed forms assume."""

    def advance(self, number: int, load: Load, step: Step) -> tuple[np.ndarray, np.ndarray]:
        now = float(self.time.max(initial=0.0))
        start = np.full(len(load.pattern), now)
        end = start + self.duration(number, load)
        if self.adds:
            end = end + self.adding(step, load)
        self.time = np.array([max(now, float(end.max(initial=0.0)))])
        return start, end
