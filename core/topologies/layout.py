"""Where to draw the vertices of a network: ranks on a circle or a grid, switches inside, nearer to whom they serve."""

from __future__ import annotations

import numpy as np

from core.topology import Topology

INWARD = 0.82  # how far from the centre a switch is, of the middle of those it serves
CIRCLE = 0.22  # radius on which switches of one place are dealt out


def positions(topology: Topology) -> np.ndarray:
    """x and y of every vertex, float64 [num_vertices, 2], within -1 .. 1."""
    ranks = topology.world_size
    place = np.zeros((topology.num_vertices, 2))
    shape = grid_of(topology)
    if shape:
        rows, columns = np.divmod(np.arange(ranks), shape[1])
        place[:ranks] = np.stack([_spread(columns, shape[1]), -_spread(rows, shape[0])], axis=1)
        return place
    angle = np.pi / 2 - 2 * np.pi * np.arange(ranks) / ranks
    place[:ranks] = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    level = levels(topology)
    for vertex in np.argsort(level, kind="stable")[ranks:]:
        below = topology.src[(topology.dst == vertex) & (level[topology.src] < level[vertex])]
        place[vertex] = INWARD * place[below].mean(axis=0)
    _pull_apart(place, ranks)
    return place


def grid_of(topology: Topology) -> tuple[int, int] | None:
    """Rows and columns of a torus of two axes, None for everything else."""
    words = topology.name.removeprefix("torus of ").split(" x ")
    sizes = [int(word) for word in words if word.isdigit()]
    return (sizes[0], sizes[1]) if topology.name.startswith("torus of") and len(sizes) == 2 else None


def levels(topology: Topology) -> np.ndarray:
    """How many cables every vertex is from the nearest rank, int64 [num_vertices]; ranks 0."""
    level = np.where(np.arange(topology.num_vertices) < topology.world_size, 0, topology.num_vertices)
    while True:
        nearer = level.copy()
        np.minimum.at(nearer, topology.dst, level[topology.src] + 1)
        if (nearer == level).all():
            return level
        level = nearer


def _spread(index: np.ndarray, count: int) -> np.ndarray:
    return 2 * index / max(count - 1, 1) - 1 if count > 1 else np.zeros(len(index))


def _pull_apart(place: np.ndarray, ranks: int) -> None:
    """Switches that fell on one spot (they serve the same ranks) are dealt out on a small circle around it."""
    _, which, count = np.unique(place.round(6) + 0.0, axis=0, return_inverse=True, return_counts=True)
    nth = np.zeros(len(count), int)
    for vertex in range(ranks, len(place)):
        spot = which.ravel()[vertex]
        if count[spot] > 1:
            angle = 2 * np.pi * (nth[spot] / count[spot] + vertex / 997)  # never two circles with the same angles
            place[vertex] += CIRCLE * np.array([np.cos(angle), np.sin(angle)])
            nth[spot] += 1
