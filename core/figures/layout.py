"""Where to draw the vertices of a network: grids as grids, everything else in rings around its highest switches."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import numpy as np

from core.topologies.nests import levels
from core.topology import Topology


def places(topology: Topology) -> np.ndarray:
    """float64 [num_vertices, 2]"""
    if topology.num_vertices == topology.world_size and (shape := grid_shape(topology)):
        return _grid(shape)
    level = levels(topology)
    spots = np.zeros((topology.num_vertices, 2))
    spots[level == 0] = _circle(int((level == 0).sum()))
    rings = _rings(topology, level)
    for nth, members in enumerate(rings, 1):
        radius = 1 - nth / len(rings) if len(rings[-1]) == 1 else 1 - nth / (len(rings) + 0.6)
        spots[members] = radius * _around(topology, members, spots, level)
    return spots


def grid_shape(topology: Topology) -> tuple[int, ...] | None:
    """The shape of a torus of two or three axes, found in the links of rank 0; None for anything else."""
    near = set(topology.dst[topology.src == 0].tolist())
    return next((shape for shape in _shapes(topology.world_size) if _neighbours(shape) == near), None)


def _shapes(size: int) -> Iterator[tuple[int, ...]]:
    """All shapes of two or three axes, each of two or more."""
    for a in (d for d in range(2, size // 2 + 1) if size % d == 0):
        yield a, size // a
        for b in (d for d in range(2, size // a // 2 + 1) if size // a % d == 0):
            yield a, b, size // a // b


def _neighbours(shape: tuple[int, ...]) -> set[int]:
    """Whom rank 0 is wired to on a torus."""
    stride = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    return {step * way for length, step in zip(shape, stride) for way in (1, length - 1)}


def _grid(shape: tuple[int, ...]) -> np.ndarray:
    """Rows and columns; the layers of a third axis lie behind each other, a little up and to the right."""
    *layer, row, column = np.unravel_index(np.arange(math.prod(shape)), shape)
    deep = layer[0] / shape[0] if layer else np.zeros(len(row))
    return np.stack([column + 0.8 * deep, -(row + 0.0) + 0.8 * deep], axis=1)


def _circle(count: int) -> np.ndarray:
    angle = math.pi / 2 - 2 * math.pi * np.arange(count) / max(count, 1)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _rings(topology: Topology, level: np.ndarray) -> list[np.ndarray]:
    """The switches of each level and kind (their name without numbers), from the ranks inwards."""
    kinds: dict[tuple[int, str], list[int]] = {}
    for vertex in range(topology.world_size, topology.num_vertices):
        kind = re.sub(r"[\d.]+", "", topology.names[vertex])
        kinds.setdefault((int(level[vertex]), kind), []).append(vertex)
    return [np.array(kinds[key]) for key in sorted(kinds, key=lambda key: key[0])]


def _around(topology: Topology, members: np.ndarray, spots: np.ndarray, level: np.ndarray) -> np.ndarray:
    """Each in the direction of what hangs below it, or evenly spread where that has no direction."""
    below = level[topology.dst] < level[topology.src]
    pull = np.zeros_like(spots)
    np.add.at(pull, topology.src[below], spots[topology.dst[below]])
    pull = pull[members]
    size = np.linalg.norm(pull, axis=1, keepdims=True)
    if (size < 1e-6).any() or len(np.unique(np.round(pull / size, 3), axis=0)) < len(members):
        return _circle(len(members))
    return pull / size
