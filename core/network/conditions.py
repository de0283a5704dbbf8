"""The network as one run meets it: who sits where, what is slow, late, cut or jittery."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from core.network.switches import Seats, ideal_switches, seat_switches
from core.schedule import Schedule
from core.topologies.placement import place
from core.topology import BadTopology, Topology

Late = Mapping[int, float] | Sequence[float] | np.ndarray | None


@dataclass(frozen=True, eq=False)
class Network:
    """A topology with the vertices of a schedule seated on it. Bandwidth 0 is a cut link, late = inf a dead rank."""

    topology: Topology
    world_size: int  # ranks of the schedule
    seats: Seats  # where each vertex of the schedule sits, and links to ideal switches
    late: np.ndarray  # float64 [num_vertices], seconds after the others
    latency: np.ndarray  # float64 [num_links]
    bandwidth: np.ndarray  # float64 [num_links], bytes per second
    gamma: np.ndarray  # float64 [num_vertices], seconds per byte added; switches add for free
    jitter: float  # seconds, the mean of what is added to each latency
    seed: int
    multiport: bool  # may a rank start all its messages of a step at once? If not, their latencies add up
    about: dict = field(default_factory=dict)  # how it was set up, in plain numbers
    patterns: dict = field(default_factory=dict)  # what the engines have worked out about steps seen before

    @property
    def num_links(self) -> int:
        return len(self.latency)

    @property
    def num_vertices(self) -> int:
        return len(self.late)

    def paths(self, src: np.ndarray, dst: np.ndarray) -> np.ndarray:
        """The links from each vertex of the schedule to another, int32 [k, longest], filled up with -1."""
        return self.seats.paths(self.topology, src, dst)

    def name(self, vertex: int) -> str:
        """What to call a vertex of the schedule."""
        if vertex < self.world_size:
            return f"rank {vertex}"
        at = int(self.seats.at[vertex])
        return self.topology.names[at] if at < self.topology.num_vertices else f"ideal switch {vertex}"

    def link_ends(self, link: int) -> tuple[str, str]:
        """What a link joins: ranks by their own numbers, everything else by its name in the topology."""
        src, dst = self.seats.ends(self.topology, link)
        names = self.topology.names
        return tuple(self._sits.get(v, names[v] if v < len(names) else "an ideal switch") for v in (src, dst))

    @cached_property
    def _sits(self) -> dict[int, str]:
        """Who sits on which vertex of the topology."""
        return {int(at): f"rank {rank}" for rank, at in enumerate(self.seats.at[: self.world_size])}

    def extra_latency(self, step: int, count: int) -> np.ndarray | float:
        """What jitter adds to the messages of one step, the same for the same seed."""
        if not self.jitter:
            return 0.0
        return np.random.default_rng([self.seed, step]).exponential(self.jitter, count)


def meet(
    topology: Topology,
    schedule: Schedule,
    *,
    placement: str | Sequence[int] | None = None,
    late: Late = None,
    jitter: float = 0.0,
    degraded: Mapping | None = None,
    slow: Mapping[int, float] | None = None,
    seed: int = 0,
    multiport: bool | None = None,
) -> Network:
    """Seat a schedule on a topology. Raises BadTopology with a sentence for whatever does not fit.

    placement  "natural", "round_robin", "shuffled" (by seed), or the seat of each rank
    late       {rank: seconds} or one number a rank: enters so much later; infinity never enters
    jitter     seconds: every latency grows by a random time with this mean (exponential, by seed)
    multiport  whether latencies of a rank's messages of one step overlap; None: as the topology says
    degraded   {link: share of its bandwidth that is left}, link as number or (vertex, vertex); 0 cuts it
    slow       {rank: times slower}: both its additions and its own ports
    """
    world_size = schedule.world_size
    hosts = place(topology, world_size, placement, seed)
    seats = seat_switches(schedule, topology, hosts) or ideal_switches(schedule, topology, hosts)
    latency, bandwidth = seats.numbers(topology)
    gamma = np.zeros(schedule.num_vertices)
    gamma[:world_size] = topology.gamma
    _slow_down(topology, hosts, slow or {}, gamma, bandwidth)
    _degrade(topology, degraded or {}, bandwidth)
    if not (np.isfinite(jitter) and jitter >= 0):
        raise BadTopology(f"jitter is {jitter!r}: give a time in seconds, zero or more")
    about = {"placement": placement if isinstance(placement, str) else "given" if placement is not None else "natural"}
    about |= {"switches": seats.note} if seats.note else {}
    lateness = _lateness(late, world_size, schedule.num_vertices)
    many = topology.multiport if multiport is None else bool(multiport)
    return Network(topology, world_size, seats, lateness, latency, bandwidth, gamma, float(jitter), seed, many, about)


def _slow_down(topology: Topology, hosts: np.ndarray, slow: Mapping, gamma: np.ndarray, bandwidth: np.ndarray) -> None:
    for rank, times in slow.items():
        _refuse_rank(rank, len(hosts), "slow")
        if not (np.isfinite(times) and times >= 1):
            raise BadTopology(f"rank {rank} is {times!r} times slower: give a number, 1 or more")
        gamma[rank] *= times
        own = (topology.src == hosts[rank]) | (topology.dst == hosts[rank])
        bandwidth[: topology.num_links][own] /= times


def _degrade(topology: Topology, degraded: Mapping, bandwidth: np.ndarray) -> None:
    for link, left in degraded.items():
        number = topology.link(*link) if isinstance(link, tuple) else _link(topology, link)
        if not (np.isfinite(left) and left >= 0):
            raise BadTopology(f"link {link} keeps {left!r} of its bandwidth: give a number, 0 (cut) or more")
        bandwidth[number] *= left


def _lateness(late: Late, world_size: int, num_vertices: int) -> np.ndarray:
    seconds = np.zeros(num_vertices)
    if isinstance(late, Mapping):
        for rank, time in late.items():
            _refuse_rank(rank, world_size, "late")
            seconds[rank] = time
    elif late is not None:
        if len(late) != world_size:
            raise BadTopology(f"late has {len(late)} numbers for {world_size} ranks")
        seconds[:world_size] = late
    if not (seconds >= 0).all():
        rank = int(np.argmin(seconds >= 0))
        raise BadTopology(f"rank {rank} is late by {seconds[rank]!r}: give seconds, zero or more, or infinity")
    return seconds


def _refuse_rank(rank: int, world_size: int, what: str) -> None:
    if not (isinstance(rank, int | np.integer) and 0 <= rank < world_size):
        raise BadTopology(f"{what} names rank {rank!r}: there are ranks 0 to {world_size - 1}")


def _link(topology: Topology, link: int) -> int:
    if not (isinstance(link, int | np.integer) and 0 <= link < topology.num_links):
        raise BadTopology(f"{topology.name} has no link {link!r}: there are links 0 to {topology.num_links - 1}")
    return int(link)
