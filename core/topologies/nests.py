"""Boxes within boxes: which ranks are near each other, as the wires themselves say (nodes, racks, pods, groups)."""

from __future__ import annotations

import numpy as np

from core.topology import Topology


def levels(topology: Topology) -> np.ndarray:
    """How many links each vertex is away from the nearest rank, int64 [num_vertices]."""
    level = np.full(topology.num_vertices, topology.num_vertices)
    level[: topology.world_size] = 0
    while True:
        nearer = level.copy()
        np.minimum.at(nearer, topology.dst, level[topology.src] + 1)
        np.minimum.at(nearer, topology.src, level[topology.dst] + 1)
        if np.array_equal(nearer, level):
            return level
        level = nearer


def nests(topology: Topology) -> list[np.ndarray]:
    """Partitions of the ranks from fine to coarse, each int64 [world_size]; neither single ranks nor all together.

    Wires are laid from the lowest switches up, at each height the quick ones first; whoever is joined by then belongs
    together. So the pods of a fat tree appear below its cores, and the groups of a dragonfly before its long cables.

    >>> from core.topologies import fat_tree3
    >>> [found.tolist() for found in nests(fat_tree3(16, radix=4))]
    [[0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7], [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]]
    """
    level = levels(topology)
    height = np.maximum(level[topology.src], level[topology.dst])
    rank = np.stack([height, topology.latency, -topology.bandwidth], axis=1)
    stage = np.unique(rank, axis=0, return_inverse=True)[1].ravel()
    label, found = np.arange(topology.num_vertices), []
    for nth in range(stage.max(initial=-1) + 1):
        label = _joined(label, topology.src[stage == nth], topology.dst[stage == nth])
        group = np.unique(label[: topology.world_size], return_inverse=True)[1]
        count = int(group.max()) + 1
        if 1 < count < topology.world_size and not (found and count == int(found[-1].max()) + 1):
            found.append(group)
    return found


def around(inner: np.ndarray, partitions: list[np.ndarray]) -> np.ndarray | None:
    """The finest partition whose groups hold several whole groups of `inner`; None if there is none."""
    for outer in partitions:
        pairs = len(np.unique(np.stack([inner, outer]), axis=1).T)
        if pairs == len(np.unique(inner)) and 1 < len(np.unique(outer)) < pairs:
            return outer
    return None


def _joined(label: np.ndarray, src: np.ndarray, dst: np.ndarray) -> np.ndarray:
    """The labels after everything that a link joins has taken the smallest of them; int64 [num_vertices]."""
    while True:
        before = label
        label = label.copy()
        low = np.minimum(label[src], label[dst])
        for end in (before[src], before[dst]):  # the vertex that a label names speaks for all that carry it
            np.minimum.at(label, end, low)
        label = label[label]
        if np.array_equal(label, before):
            return label
