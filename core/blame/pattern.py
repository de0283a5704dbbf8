"""How well a transfer fits into its step: of several repairs, the one that restores the pattern is the likeliest.

Schedules are regular: in most steps all transfers do the same thing, to partners equally far away, on chunks in
the same position. A transfer that breaks its step's pattern is a likely culprit, one that completes it a likely repair.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from core.edits import Edit, Hop, hop
from core.schedule import Schedule


class _Step(NamedTuple):
    counts: list[Counter]  # for each trait, how many transfers of the step have which value
    size: int  # how many transfers it has
    mean: float  # how well an average transfer of the step fits
    ports: tuple[Counter, Counter]  # transfers of each sending, and of each receiving rank


class Pattern:
    """Compares transfers with the other transfers of their step."""

    def __init__(self, schedule: Schedule):
        self.schedule = schedule
        self._steps: dict[int, _Step] = {}
        pairs = schedule.src.astype(np.int64) * schedule.num_vertices + schedule.dst
        self._links = Counter(pairs.tolist())

    def score(self, edit: Edit) -> float:
        """Larger is likelier: how much more regular the schedule becomes."""
        old = None if edit.row is None else hop(self.schedule, edit.row)
        new = edit.hops[0] if edit.hops else None
        if old is None:  # one transfer more: an average one would change nothing
            return self._fit(new, None) - self._step(new.step).mean
        if new is None:
            return self._step(old.step).mean - self._fit(old, old)
        return self._fit(new, old) - self._fit(old, old)

    def _fit(self, h: Hop, instead_of: Hop | None) -> float:
        """At most 8: like all other transfers of its step, on a link that others use, at ports as busy as others."""
        step = self._step(h.step)
        own = self._traits(*instead_of[1:6]) if instead_of and instead_of.step == h.step else None
        size = step.size - (own is not None)
        share = sum(c[t] for c, t in zip(step.counts, self._traits(*h[1:6])))
        share -= sum(a == b for a, b in zip(own, self._traits(*h[1:6]))) if own else 0
        own_ports = instead_of[1:3] if own else (None, None)
        ranks = self.schedule.world_size  # a switch has ports enough
        crowd = sum(_crowd(c, v, mine) for c, v, mine in zip(step.ports, h[1:3], own_ports) if v < ranks)
        return (share / size if size else 0.0) + self._known_link(h, instead_of) - crowd

    def _step(self, step: int) -> _Step:
        if step not in self._steps:
            rows = slice(self.schedule.step_ptr[step], self.schedule.step_ptr[step + 1])
            columns = (getattr(self.schedule, c)[rows].astype(np.int64) for c in Hop._fields[1:6])
            counts = [Counter(np.ravel(values).tolist()) for values in self._traits(*columns)]
            size = int(rows.stop - rows.start)
            mean = sum(n * n for c in counts for n in c.values()) / size**2 if size else 0.0
            ends = (getattr(self.schedule, c)[rows] for c in ("src", "dst"))
            ports = tuple(Counter(v[v < self.schedule.world_size].tolist()) for v in ends)
            self._steps[step] = _Step(counts, size, mean + 2, ports)
        return self._steps[step]

    def _traits(self, src, dst, chunk, count, op) -> tuple:
        """What makes two transfers alike; numbers or arrays."""
        ranks, chunks = self.schedule.world_size, self.schedule.num_chunks
        return op, count, (dst - src) % ranks, dst ^ src, (chunk - src) % chunks, (chunk - dst) % chunks

    def _known_link(self, h: Hop, instead_of: Hop | None) -> int:
        """1 if another transfer goes from src to dst, and 1 more if one goes there or back."""
        own = instead_of is not None and (instead_of.src, instead_of.dst)
        there = self._links[h.src * self.schedule.num_vertices + h.dst] - (own == (h.src, h.dst))
        back = self._links[h.dst * self.schedule.num_vertices + h.src] - (own == (h.dst, h.src))
        return (there > 0) + (there + back > 0)


def _crowd(port: Counter, vertex: int, own: int | None) -> float:
    """0 to 1: how much busier this vertex would be than the others that send (or receive) in the step."""
    busy = port[vertex] - (vertex == own) + 1
    usual = max(1.0, port.total() / len(port)) if port else 1.0
    return min(1.0, max(0.0, busy - usual))
