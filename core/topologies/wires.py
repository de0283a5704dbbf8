"""Collect cables, then make a Topology of them."""

from __future__ import annotations

import numpy as np

from core.topology import BadTopology, Rule, Topology

MAX_RANKS = 1 << 16
MAX_LINKS = 1 << 22


class Wires:
    """Cables between hosts (named "host 0", "host 1", ...: where ranks sit) and whatever vertices are added."""

    def __init__(self, world_size: int):
        refuse_size(world_size)
        self.world_size = world_size
        self.names = [f"host {r}" for r in range(world_size)]
        self._ends: list[np.ndarray] = []
        self._numbers: list[np.ndarray] = []
        self._kinds: list[str] = []

    def vertices(self, names: list[str]) -> np.ndarray:
        """New vertices that are no ranks; their numbers, int64 [len(names)]."""
        first = len(self.names)
        self.names.extend(names)
        return np.arange(first, len(self.names))

    def one_way(self, a, b, latency, bandwidth, kind: str) -> np.ndarray:
        """Links from each of a to its b; numbers and arrays may be mixed. Returns the links' numbers."""
        first = len(self._kinds)
        columns = [np.ravel(c) for c in np.broadcast_arrays(a, b, latency, bandwidth)]
        self._ends.append(np.stack(columns[:2]).astype(np.int32))
        self._numbers.append(np.stack(columns[2:]).astype(np.float64))
        self._kinds.extend([kind] * len(columns[0]))
        if len(self._kinds) > MAX_LINKS:
            raise BadTopology(f"this network would need more than {MAX_LINKS} links: choose fewer ranks")
        return np.arange(first, len(self._kinds))

    def cable(self, a, b, latency, bandwidth, kind: str) -> tuple[np.ndarray, np.ndarray]:
        """Full-duplex cables: the links from each a to its b, and the links back."""
        return self.one_way(a, b, latency, bandwidth, kind), self.one_way(b, a, latency, bandwidth, kind)

    def topology(self, name: str, *, node_of=None, rule: Rule | None = None, **about) -> Topology:
        src, dst = np.concatenate(self._ends or [np.zeros((2, 0), np.int32)], axis=1)
        latency, bandwidth = np.concatenate(self._numbers or [np.zeros((2, 0))], axis=1)
        nodes = np.arange(self.world_size) if node_of is None else node_of
        return Topology(
            name,
            self.world_size,
            src,
            dst,
            latency,
            bandwidth,
            tuple(self._kinds),
            tuple(self.names),
            np.asarray(nodes, np.int32),
            rule,
            **about,
        )


def refuse_size(world_size: int) -> None:
    if type(world_size) is not int or world_size < 1:
        raise BadTopology(f"world_size is {world_size!r}: it must be a whole number of ranks, 1 or more")
    if world_size > MAX_RANKS:
        raise BadTopology(f"{world_size} ranks are more than the {MAX_RANKS} that this simulator takes")


def every_pair(count: int) -> tuple[np.ndarray, np.ndarray]:
    """All ordered pairs of different numbers below `count`, int64 [count * (count - 1)] each."""
    if count * (count - 1) > MAX_LINKS:
        raise BadTopology(f"{count} things all wired to each other are more than {MAX_LINKS} links: choose fewer ranks")
    return np.where(~np.eye(count, dtype=bool))


def whole(name: str, value: int, low: int = 1) -> int:
    """`value` if it is a whole number of at least `low`; else a sentence."""
    if type(value) is not int or value < low:
        raise BadTopology(f"{name} is {value!r}: it must be a whole number, {low} or more")
    return value


def groups_of(world_size: int, size: int, what: str) -> np.ndarray:
    """The group that each rank sits in when groups of `size` fill up one after another, int64 [world_size]."""
    return np.arange(world_size) // whole(what, size)
