"""Why a simulated time is what it is: the critical path, idle ranks, busy links, slack, and what would help."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.network import meet, simulate
from core.network.causes import LIMIT, Causes, Times, times
from core.network.engine import SETTINGS
from core.network.plan import Plan, plan
from core.network.steps import Steps
from core.schedule import Schedule
from core.topology import BadTopology, Topology
from core.trace import Trace


@dataclass(frozen=True)
class Part:
    """One message of the critical path; its shares add up to the time from its release to the next one's."""

    src: int  # vertex
    dst: int
    step: int
    row: int  # its first transfer in the schedule
    start: float  # seconds
    until: float  # when it released the next message, or the end
    latency: float
    bandwidth: float  # seconds to push its bytes through the slowest link on its way, alone
    sharing: float  # seconds lost because others used its links, too
    adding: float
    why: str  # what it waited for: "data", "port", "slots", "step", "barrier", "late" or "start"


@dataclass(frozen=True, eq=False)
class Explanation:
    """Where the time goes. All times in seconds."""

    seconds: float
    path: tuple[Part, ...]  # the critical path, first message first
    shares: dict[str, float]  # latency, bandwidth, sharing, adding, late, waiting: of the path, they add up to 1
    idle: np.ndarray  # float64 [world_size], neither sends, receives nor adds
    link_busy: np.ndarray  # float64 [num_links], share of the time it is full; above 1 where the port model cheats
    slack: np.ndarray  # float64 [num_transfers], how much later each transfer could end for free
    gone: np.ndarray  # float64 [num_transfers], when each has left its sender's port


def explain(trace: Trace, topology: Topology, *, envelope: float = 0.0, **conditions) -> Explanation:
    """Explain a trace of `simulate`; give it the same topology and conditions. Raises BadTopology if too large."""
    conditions = {name: value for name, value in conditions.items() if name not in SETTINGS}
    network = meet(topology, trace.schedule, **conditions)
    everything = plan(trace.schedule, network, trace.nbytes, envelope)
    if len(everything) > LIMIT:
        raise BadTopology(f"{len(everything)} messages are too many to explain one by one: at most {LIMIT}")
    row = np.zeros(len(everything), np.int64)
    row[everything.of_row[::-1]] = np.arange(len(everything.of_row))[::-1]
    at = times(everything, trace.start[row], trace.end[row])
    causes = Causes(everything, at, trace.about)
    path, shares = _path(everything, at, causes, row)
    return Explanation(
        trace.seconds,
        path,
        shares,
        _idle(everything, at, trace.seconds),
        _link_busy(everything, trace.seconds),
        causes.slack()[everything.of_row],
        at.gone[everything.of_row],
    )


def _path(everything: Plan, at: Times, causes: Causes, row: np.ndarray) -> tuple[tuple[Part, ...], dict[str, float]]:
    if not len(everything):
        return (), {}
    found = causes.path()
    total = dict.fromkeys(("latency", "bandwidth", "sharing", "adding", "late", "waiting"), 0.0)
    total["late"] = found[0][1].release
    parts = []
    for (message, cause), following in zip(found, [*found[1:], None]):
        until = float(at.end[message]) if following is None else max(following[1].release, float(at.start[message]))
        took = until - float(at.start[message])
        alone = float(everything.nbytes[message] * everything.beta[message])
        shares = {"adding": max(until - float(at.arrive[message]), 0.0)}
        shares["bandwidth"] = min(alone, took - shares["adding"])
        shares["latency"] = min(float(everything.alpha[message]), took - shares["adding"] - shares["bandwidth"])
        shares["sharing"] = max(took - sum(shares.values()), 0.0)
        total["waiting"] += float(at.start[message]) - cause.release
        for name, seconds in shares.items():
            total[name] += seconds
        src, dst, step = (int(column[message]) for column in (everything.src, everything.dst, everything.step))
        parts.append(Part(src, dst, step, int(row[message]), float(at.start[message]), until, why=cause.why, **shares))
    end = float(at.end.max())
    return tuple(parts), {name: seconds / end if end else 0.0 for name, seconds in total.items()}


def _idle(everything: Plan, at: Times, seconds: float) -> np.ndarray:
    """Seconds in which each rank's ports and adder rest, float64 [world_size]."""
    ranks = everything.schedule.world_size
    drain = at.gone - at.start
    who = np.concatenate([everything.src, everything.dst])
    begin = np.concatenate([at.start, at.arrive - drain])
    until = np.concatenate([at.gone, at.end])
    order = np.lexsort((begin, who))
    who, begin, until = who[order], begin[order], until[order]
    busy = np.zeros(ranks)
    for rank, part in enumerate(np.split(np.arange(len(who)), np.searchsorted(who, np.arange(1, ranks)))):
        part = part[who[part] == rank]
        reached = np.maximum.accumulate(until[part]) if len(part) else until[part]
        fresh = np.maximum(begin[part], np.append(0.0, reached[:-1]))
        busy[rank] = np.maximum(reached - fresh, 0.0).sum()
    return np.maximum(seconds - busy, 0.0)


def _link_busy(everything: Plan, seconds: float) -> np.ndarray:
    """The bytes of each link over its bandwidth, as a share of the time, float64 [num_links]."""
    busy = link_seconds(everything)
    return busy / seconds if seconds > 0 else np.zeros_like(busy)


def link_seconds(everything: Plan) -> np.ndarray:
    """How long each link needs for all the bytes it carries, float64 [num_links]; infinity if it is cut."""
    network, hops = everything.network, everything.paths.shape[1]
    carried = np.bincount(everything.paths.ravel(), np.repeat(everything.nbytes, hops), network.num_links + 1)[:-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(carried > 0, carried / network.bandwidth, 0.0)


@dataclass(frozen=True, eq=False)
class LinkLoads:
    """For colouring links; one entry for each link of the topology."""

    nbytes: np.ndarray  # float64, bytes carried in all
    seconds: np.ndarray  # float64, bytes over bandwidth
    heat: np.ndarray  # float64, 0 (unused) to 1 (the busiest link)
    names: tuple[tuple[str, str], ...]  # what it joins, ranks by their own numbers


def link_loads(schedule: Schedule, nbytes: float, topology: Topology, **conditions) -> LinkLoads:
    """How much each link of the topology carries and how long that takes it at least. No simulation."""
    network, links = meet(topology, schedule, **conditions), topology.num_links
    steps = Steps(network, nbytes / schedule.num_chunks)
    for _ in steps.walk(schedule):  # only to count: a plan of all messages would take ten times longer
        pass
    carried = steps.link_bytes()[:links]
    with np.errstate(divide="ignore", invalid="ignore"):
        seconds = np.where(carried > 0, carried / network.bandwidth[:links], 0.0)
    finite = seconds[np.isfinite(seconds)]
    top = finite.max(initial=0.0)
    heat = np.clip(seconds / top, 0.0, 1.0) if top > 0 else (carried > 0).astype(float)
    return LinkLoads(carried, seconds, heat, tuple(network.link_ends(link) for link in range(links)))


def what_if(
    schedule: Schedule, nbytes: float, topology: Topology, link: int, times: float = 2.0, **setup
) -> tuple[float, float]:
    """(seconds now, seconds if this link were `times` as fast), both simulated; `setup` as for `simulate`."""
    degraded = dict(setup.pop("degraded", None) or {})
    now = simulate(schedule, nbytes, topology, degraded=degraded, **setup).seconds
    key = next((k for k in degraded if (topology.link(*k) if isinstance(k, tuple) else k) == link), link)
    changed = {**degraded, key: degraded.get(key, 1.0) * times}
    return now, simulate(schedule, nbytes, topology, degraded=changed, **setup).seconds


def what_would_help(
    schedule: Schedule, nbytes: float, topology: Topology, times: float = 2.0, most: int = 5, **setup
) -> list[tuple[int, float]]:
    """The links worth making `times` as fast, one at a time: (link, seconds then), the best first.

    Only the `most` busiest links are tried.
    """
    conditions = {name: value for name, value in setup.items() if name not in SETTINGS}
    loads = link_loads(schedule, nbytes, topology, **conditions)
    busiest = np.argsort(-loads.seconds, kind="stable")[:most]
    tried = [(int(link), what_if(schedule, nbytes, topology, int(link), times, **setup)[1]) for link in busiest]
    return sorted(tried, key=lambda pair: pair[1])
