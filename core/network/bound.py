"""No schedule is faster than its busiest link, and no all-reduce faster than this; a time below is a bug."""

from __future__ import annotations

import numpy as np

from core.network.conditions import Network
from core.schedule import Schedule


class BelowBound(AssertionError):
    """The engine computed a time that cannot be: please report it."""


def link_bound(network: Network, link_bytes: np.ndarray) -> float:
    """Seconds that the busiest link needs for the bytes it carries; cut links left out."""
    works = network.bandwidth > 0
    return float((link_bytes[works] / network.bandwidth[works]).max(initial=0.0))


def all_reduce_bound(network: Network, nbytes: float) -> float:
    """Seconds that no all-reduce without in-network reduction can beat on this network, latency left out.

    All ranks together send 2(n-1) buffers through all their ports, each rank sends and receives one buffer, and
    n-1 buffers are added by n ranks. With equal ports this is 2(n-1)/n S / B, B all the ports of one rank
    (Patarasuk and Yuan 2009).
    """
    n = network.world_size
    if n < 2:
        return 0.0
    hosts, topology = network.seats.at[:n], network.topology
    bandwidth = network.bandwidth[: topology.num_links]
    ports = [np.bincount(ends, bandwidth, topology.num_vertices)[hosts] for ends in (topology.src, topology.dst)]
    if min(port.min() for port in ports) <= 0:
        return 0.0  # a rank is cut off: there is no time to compare with
    moved = max(max(2 * (n - 1) / port.sum(), 1 / port.min()) for port in ports)
    with np.errstate(divide="ignore"):
        speed = (1 / network.gamma[:n]).sum()
    added = (n - 1) / speed if np.isfinite(speed) else 0.0
    return float(nbytes * max(moved, added))


def guard(
    schedule: Schedule, network: Network, seconds: float, link_bytes: np.ndarray, all_reduce_bytes: float
) -> None:
    """Raise BelowBound if a time is too short for the bytes it moved. all_reduce_bytes is 0 for anything else."""
    least = link_bound(network, link_bytes)
    if schedule.num_vertices == schedule.world_size:
        least = max(least, all_reduce_bound(network, all_reduce_bytes))
    if seconds < least * (1 - 1e-9):
        raise BelowBound(f"{schedule.name}: {seconds:.9g} s is below the bound of {least:.9g} s on this network")
