"""Where the switches of a schedule sit: on switches of the topology that can add, or on ideal ones of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.schedule import REDUCE, Schedule
from core.topology import Topology


@dataclass(frozen=True, eq=False)
class Seats:
    """Where each vertex of a schedule sits, and the private links of ideal switches, numbered after the topology's."""

    at: np.ndarray  # int64 [num_vertices], a vertex of the topology; beyond its last one: an ideal switch
    note: str = ""  # what a page must say about the switches
    src: np.ndarray | None = None  # int64 [num_extra], schedule vertices joined by a private link, sorted
    dst: np.ndarray | None = None
    latency: np.ndarray | None = None  # float64 [num_extra]
    bandwidth: np.ndarray | None = None

    def numbers(self, topology: Topology) -> tuple[np.ndarray, np.ndarray]:
        """Copies of latency and bandwidth of all links, float64 [num_links] each."""
        if self.src is None:
            return topology.latency.copy(), topology.bandwidth.copy()
        return np.append(topology.latency, self.latency), np.append(topology.bandwidth, self.bandwidth)

    def paths(self, topology: Topology, src: np.ndarray, dst: np.ndarray) -> np.ndarray:
        if self.src is None:
            return topology.paths(self.at[src], self.at[dst])
        wired = np.maximum(self.at[src], self.at[dst]) < topology.num_vertices
        hops = np.full((len(src), 1), -1, np.int32)
        if wired.any():
            found = topology.paths(self.at[src[wired]], self.at[dst[wired]])
            hops = np.full((len(src), found.shape[1]), -1, np.int32)
            hops[wired] = found
        size = len(self.at)
        key = np.asarray(src[~wired], np.int64) * size + dst[~wired]
        hops[~wired, 0] = topology.num_links + np.searchsorted(self.src * size + self.dst, key)
        return hops

    def ends(self, topology: Topology, link: int) -> tuple[int, int]:
        """The two vertices of the topology (or beyond) that a link joins."""
        if link < topology.num_links:
            return int(topology.src[link]), int(topology.dst[link])
        extra = link - topology.num_links
        return int(self.at[self.src[extra]]), int(self.at[self.dst[extra]])


def seat_switches(schedule: Schedule, topology: Topology, hosts: np.ndarray) -> Seats | None:
    """Each switch of the schedule on the nearest switch that can add, from the ranks up; None if none can.

    Nearest: the smallest sum of hops from the vertices that send to it to be added, and on a tie the switch with
    the lowest number. Several may share one: the messages between them then cost nothing.
    """
    world_size = schedule.world_size
    at = np.concatenate([hosts, np.full(schedule.num_vertices - world_size, -1)]).astype(np.int64)
    if schedule.num_vertices == world_size:
        return Seats(at)
    if not topology.reduces:
        return None
    able = np.array(topology.reduces)
    children = _children(schedule)
    waiting = list(range(world_size, schedule.num_vertices))
    while waiting:
        ready = [v for v in waiting if (at[children[v]] >= 0).all()] or waiting
        for vertex in ready:
            below = at[children[vertex]]
            at[vertex] = _nearest(topology, below[below >= 0], able)
        waiting = [v for v in waiting if v not in ready]
    names = ", ".join(dict.fromkeys(topology.names[v] for v in at[world_size : world_size + 8]))
    return Seats(at, f"the schedule's switches sit on {names}" + (" ..." if len(at) > world_size + 8 else ""))


def _children(schedule: Schedule) -> dict[int, np.ndarray]:
    """The vertices that send something to be added to each switch; failing that, all that send to it."""
    found = {}
    for vertex in range(schedule.world_size, schedule.num_vertices):
        into = schedule.dst == vertex
        adding = into & (schedule.op == REDUCE)
        found[vertex] = np.unique(schedule.src[adding if adding.any() else into])
    return found


def _nearest(topology: Topology, below: np.ndarray, able: np.ndarray) -> int:
    src, dst = np.repeat(below, len(able)), np.tile(able, len(below))
    hops = (topology.paths(src, dst) >= 0).sum(axis=1).reshape(len(below), len(able))
    return int(able[np.argmin(hops.sum(axis=0))]) if len(below) else int(able[0])


def ideal_switches(schedule: Schedule, topology: Topology, hosts: np.ndarray) -> Seats:
    """Switches of their own, each joined to every vertex it talks to by a private link like a rank's own port."""
    world_size, vertices = schedule.world_size, schedule.num_vertices
    mine = np.maximum(schedule.src, schedule.dst) >= world_size
    key = np.unique(schedule.src[mine].astype(np.int64) * vertices + schedule.dst[mine])
    src, dst = np.divmod(key, vertices)
    port = np.isin(topology.src, hosts)
    latency, bandwidth = 0.0, np.inf  # of a network without any link
    if port.any():
        latency, bandwidth = np.median(topology.latency[port]), np.median(topology.bandwidth[port])
    at = np.append(hosts, topology.num_vertices + np.arange(vertices - world_size)).astype(np.int64)
    note = "no switch of this network can add: the schedule's switches are ideal ones with private links"
    return Seats(at, note, src, dst, np.full(len(key), latency), np.full(len(key), bandwidth))
