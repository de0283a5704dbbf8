"""The one function that gives every time in the product, and its streaming sister."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from core.collective import ALL_REDUCE, Collective
from core.network.bound import guard
from core.network.buffered import Buffered
from core.network.conditions import Network, meet
from core.network.flow import BUDGET, TooMuch, flow
from core.network.history import TABLE_LIMIT, Layers, Table, history
from core.network.plan import plan
from core.network.rendezvous import Lockstep, Rendezvous
from core.network.steps import Steps
from core.network.stuck import diagnose
from core.schedule import Schedule, Step
from core.topology import BadTopology, Topology
from core.trace import Trace

MODELS = ("ports", "links", "flow", "lockstep")
SENDS = ("buffered", "rendezvous")
SETTINGS = ("model", "send", "slots", "collective", "envelope", "budget")  # of `simulate`; the rest are conditions
SOURCES = {"ports": "simulation", "flow": "simulation", "links": "loads", "lockstep": "lockstep"}  # keys of ORIGINS


def simulate(
    schedule: Schedule,
    nbytes: float,
    topology: Topology | Network,
    model: str = "flow",
    send: str = "buffered",
    slots: int | None = None,
    *,
    collective: Collective | None = None,
    envelope: float = 0.0,
    budget: float = BUDGET,
    **conditions,
) -> Trace:
    """Times of every transfer of `schedule` for buffers of `nbytes` on `topology`, from the moment ranks may enter.

    topology    or what `meet` made of it, which saves time when only nbytes, model or way of sending change
    slots       how many messages a sender may have under way to one receiver (buffered); None: any number
    collective  when it is ALL_REDUCE, its lower bound is checked too; the bound of every link always is
    envelope    bytes added to every message
    budget      seconds that the flow model may take, by count; beyond it static loads answer, and say so
    conditions  placement, late, jitter, degraded, slow, seed: see `meet`

    trace.about says which model and way of sending were used, and why, if they are not those asked for ("note").
    Raises BadTopology for a setting that does not fit, Stuck when the schedule can never end.
    """
    _refuse(nbytes, model, send, slots, envelope)
    network = _network(topology, schedule, conditions)
    about = {"model": model, "send": send, "slots": slots, "topology": network.topology.name, **network.about}
    notes = []
    if model == "flow" and not network.multiport:
        about["model"] = model = "links"
        notes.append("ranks start messages one after another, which the flow model cannot: static link loads")
    if model == "flow":
        try:
            return _by_events(schedule, nbytes, network, envelope, budget, collective, about)
        except TooMuch:
            about["model"] = model = "links"
            notes.append(f"the flow model would take more than {budget:g} s: static link loads instead")
    past = history(schedule, network.late) if send == "buffered" and model != "lockstep" else None
    if send == "buffered" and model != "lockstep" and past is None:
        about["send"] = send = "rendezvous"
        notes.append("too many chunks to follow one by one: rendezvous sends instead of buffered ones")
    about |= {"note": "; ".join(notes)} if notes else {}
    engine = _engine(network, Steps(network, nbytes / schedule.num_chunks, envelope), model, past, slots)
    start, end = _march(schedule, engine)
    carried = engine.steps.link_bytes(inside=model != "ports")
    return _trace(schedule, nbytes, network, start, end, carried, envelope, collective, about)


def finish(
    steps: Iterable[Step],
    world_size: int,
    num_chunks: int,
    nbytes: float,
    topology: Topology,
    model: str = "ports",
    send: str = "rendezvous",
    slots: int | None = None,
    *,
    envelope: float = 0.0,
    **conditions,
) -> float:
    """Only when the last transfer ends, in seconds: steps are timed as they come and then forgotten.

    Takes the steps of an algorithm that uses no switches, and the models ports, links and lockstep. With rendezvous
    sends it holds one time a rank; with buffered sends one a rank and chunk.
    """
    _refuse(nbytes, model, send, slots, envelope)
    if model == "flow":
        raise BadTopology("the flow model needs the whole schedule: call simulate")
    nothing = Schedule.from_steps([], name="stream", world_size=world_size, num_chunks=num_chunks)
    network = meet(topology, nothing, **conditions)
    past, work = None, Steps(network, nbytes / num_chunks, envelope)
    if send == "buffered" and model != "lockstep":
        if world_size * num_chunks > TABLE_LIMIT:
            raise BadTopology(
                f"{world_size} ranks with {num_chunks} chunks are too many to follow: use rendezvous sends"
            )
        past = Table(network.late, num_chunks)
    engine, last = _engine(network, work, model, past, slots), 0.0
    for number, (load, step) in enumerate(work.stream(steps)):
        last = max(last, float(engine.advance(number, load, step)[1].max(initial=0.0)))
    guard(nothing, network, last, work.link_bytes(inside=model != "ports"), 0.0)
    return last


def _network(topology: Topology | Network, schedule: Schedule, conditions: dict) -> Network:
    if isinstance(topology, Topology):
        return meet(topology, schedule, **conditions)
    if conditions or topology.num_vertices != schedule.num_vertices:
        raise BadTopology("a network that was met before comes with its own schedule's vertices and its conditions")
    return topology


def _engine(network: Network, steps: Steps, model: str, past: Table | Layers | None, slots: int | None):
    """What times one step after another; without a memory of the past, sends are rendezvous."""
    if model == "lockstep":
        return Lockstep(network, steps, inside=True)
    if past is None:
        return Rendezvous(network, steps, inside=model == "links")
    return Buffered(network, steps, model == "links", past, slots)


def _by_events(schedule, nbytes, network, envelope, budget, collective, about) -> Trace:
    everything = plan(schedule, network, nbytes, envelope)
    start, end = flow(everything, about["send"], about["slots"], budget)
    hops = everything.paths.shape[1]
    carried = np.bincount(everything.paths.ravel(), np.repeat(everything.nbytes, hops), network.num_links + 1)[:-1]
    rows = everything.of_row
    return _trace(schedule, nbytes, network, start[rows], end[rows], carried, envelope, collective, about)


def _march(schedule: Schedule, engine: Rendezvous | Buffered) -> tuple[np.ndarray, np.ndarray]:
    """Start and end of every transfer, float64 [num_transfers] each."""
    start, end = np.empty(schedule.num_transfers), np.empty(schedule.num_transfers)
    first = schedule.step_ptr.tolist()
    for number, (load, step) in enumerate(engine.steps.walk(schedule)):
        rows = slice(first[number], first[number + 1])
        begins, ends = engine.advance(number, load, step)
        start[rows], end[rows] = load.pattern.per_row(begins), load.pattern.per_row(ends)
    return start, end


def _trace(
    schedule: Schedule,
    nbytes: float,
    network: Network,
    start: np.ndarray,
    end: np.ndarray,
    link_bytes: np.ndarray,
    envelope: float,
    collective: Collective | None,
    about: dict,
) -> Trace:
    trace = Trace(schedule, nbytes, start, end, SOURCES[about["model"]], about)
    if np.isinf(end).any():
        everything = plan(schedule, network, nbytes, envelope)
        times = np.full((2, len(everything)), np.inf)
        times[:, everything.of_row] = start, end
        stuck = diagnose(everything, *times, about)
        stuck.start, stuck.end = start, end
        raise stuck
    guard(schedule, network, trace.seconds, link_bytes, nbytes if collective is ALL_REDUCE else 0.0)
    return trace


def _refuse(nbytes: float, model: str, send: str, slots: int | None, envelope: float) -> None:
    if not (np.isfinite(nbytes) and nbytes >= 0 and np.isfinite(envelope) and envelope >= 0):
        raise BadTopology(f"nbytes is {nbytes!r} and envelope {envelope!r}: give numbers of bytes, zero or more")
    if model not in MODELS:
        raise BadTopology(f"unknown model {model!r}: choose one of {', '.join(MODELS)}")
    if send not in SENDS:
        raise BadTopology(f"unknown way of sending {send!r}: choose one of {', '.join(SENDS)}")
    if slots is not None and not (isinstance(slots, int) and slots >= 1):
        raise BadTopology(f"slots is {slots!r}: a sender needs at least one, or None for any number")
