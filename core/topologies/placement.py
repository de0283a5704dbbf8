"""Which rank sits where: the same algorithm is fast or slow depending on it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.topology import BadTopology, Topology

PLACEMENTS = ("natural", "round_robin", "shuffled")


def place(topology: Topology, world_size: int, how: str | Sequence[int] | None = None, seed: int = 0) -> np.ndarray:
    """The seat (rank of the topology) of each rank of a schedule, int64 [world_size].

    natural      one after another, so that neighbours share a node
    round_robin  dealt out over the nodes like cards, so that neighbours never share a node
    shuffled     at random, the same for the same seed
    a list       as given: all its numbers different
    """
    seats = topology.world_size
    if world_size > seats:
        raise BadTopology(f"{world_size} ranks do not fit on {topology.name}, which has room for {seats}")
    if how is None or isinstance(how, str):
        how = how or "natural"
        if how not in PLACEMENTS:
            raise BadTopology(f"unknown placement {how!r}: choose one of {', '.join(PLACEMENTS)}, or give a list")
        if how == "shuffled":
            return np.random.default_rng(seed).permutation(seats)[:world_size]
        return (np.arange(seats) if how == "natural" else _dealt(topology))[:world_size]
    return _given(np.asarray(how), world_size, seats)


def _dealt(topology: Topology) -> np.ndarray:
    """All seats, first those that come first in their node, then those that come second ..."""
    node = topology.node_of
    order = np.argsort(node, kind="stable")
    first = np.searchsorted(node[order], node[order])
    return order[np.argsort(np.arange(len(order)) - first, kind="stable")]


def _given(seat: np.ndarray, world_size: int, seats: int) -> np.ndarray:
    if seat.shape != (world_size,) or seat.dtype.kind not in "iu":
        raise BadTopology(f"a placement of {world_size} ranks is a list of {world_size} whole numbers, one seat each")
    outside = np.flatnonzero((seat < 0) | (seat >= seats))
    if len(outside):
        rank = int(outside[0])
        raise BadTopology(f"the placement puts rank {rank} on seat {seat[rank]}: there are seats 0 to {seats - 1}")
    taken, times = np.unique(seat, return_counts=True)
    if (times > 1).any():
        twice = int(taken[times > 1][0])
        ranks = np.flatnonzero(seat == twice)[:2].tolist()
        raise BadTopology(f"the placement is no permutation: ranks {ranks[0]} and {ranks[1]} both sit on seat {twice}")
    return seat.astype(np.int64)
