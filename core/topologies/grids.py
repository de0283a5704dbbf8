"""Networks without switches, in which ranks pass messages on: rings and tori."""

from __future__ import annotations

import math

import numpy as np

from core.topologies.wires import Wires, refuse_size, whole
from core.topology import BadTopology, Topology


def ring(world_size: int, latency=1e-6, bandwidth=50e9, **about) -> Topology:
    """Every rank has a cable to the next one; `latency` is for one hop."""
    return torus((world_size,), latency, bandwidth, **about)


def torus(shape: tuple[int, ...], latency=1e-6, bandwidth=50e9, kind="link", **about) -> Topology:
    """A grid whose every row closes to a ring; ranks count along the last axis first.

    A message corrects one axis after another (dimension order), the shorter way round; halfway round is a tie, and
    ranks with an even position on that axis go up, the others down. An axis of two has one cable, not two.
    """
    size = math.prod(whole("an axis of the torus", n) for n in shape)
    refuse_size(size)
    wires = Wires(size)
    rank = np.arange(size)
    position = np.array(np.unravel_index(rank, shape))  # [axes, ranks]
    stride = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    up, down = np.full((len(shape), size), -1), np.full((len(shape), size), -1)
    for axis, length in enumerate(shape):
        beyond = rank + ((position[axis] + 1) % length - position[axis]) * stride[axis]
        before = rank + ((position[axis] - 1) % length - position[axis]) * stride[axis]
        if length > 1:
            up[axis] = wires.one_way(rank, beyond, latency, bandwidth, kind)
            down[axis] = up[axis] if length == 2 else wires.one_way(rank, before, latency, bandwidth, kind)

    def rule(at, dst):
        step = np.full(len(at), -1)
        for axis in reversed(range(len(shape))):  # the first axis that differs is written last, so it wins
            here, length = position[axis][at], shape[axis]
            ahead = (position[axis][dst] - here) % length
            go_up = (2 * ahead < length) | ((2 * ahead == length) & (here % 2 == 0))
            step = np.where(ahead == 0, step, np.where(go_up, up[axis][at], down[axis][at]))
        return step

    name = "ring" if len(shape) == 1 else "torus"
    about = {"forwards": np.ones(size, bool), **about}
    return wires.topology(f"{name} of {' x '.join(map(str, shape))}", rule=rule, **about)


def squarest(world_size: int, axes: int) -> tuple[int, ...]:
    """The most even shape of `axes` whole numbers whose product is world_size, largest first.

    >>> squarest(64, 3), squarest(8, 2), squarest(7, 2)
    ((4, 4, 4), (4, 2), (7, 1))
    """
    if axes == 1:
        return (world_size,)
    target = world_size ** (1 / axes)
    shorter = max(d for d in range(1, int(target + 1e-9) + 1) if world_size % d == 0)
    return (*squarest(world_size // shorter, axes - 1), shorter)


def torus_of(world_size: int, axes: int, **options) -> Topology:
    """The most even torus with this many ranks."""
    refuse_size(world_size)
    if axes not in (2, 3):
        raise BadTopology(f"a torus of {axes} axes is not offered: choose 2 or 3")
    return torus(squarest(world_size, axes), **options)
