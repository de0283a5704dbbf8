"""Simulated times on a chosen network: made once, kept for all sessions, read only."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import streamlit as st

from core.explain import Explanation, LinkLoads, explain, link_loads, what_would_help
from core.figures.wiring import Wiring, wiring
from core.machines import Machine
from core.network import Stuck, meet, simulate
from core.partial import arrived
from core.shapes import make
from core.topologies import from_machine, place
from core.topology import Topology
from core.trace import Trace
from lessons.parts.built import Built, rebuilt

AS_FORMULA = "Crossbar of the machine"  # the network that the formula has in mind
QUICK = 20_000  # transfers that the flow model times again and again without a pause


@dataclass(frozen=True)
class Setup:
    """A network and what is the matter with it; it can be hashed, so that everything made from it can be kept."""

    name: str  # AS_FORMULA, or a name in core.shapes
    knobs: tuple[tuple[str, float], ...] = ()  # what differs from the network's defaults, as shown
    machine: Machine | None = None  # for AS_FORMULA
    placement: str | tuple[int, ...] = "natural"
    seed: int = 0
    model: str = "links"
    send: str = "buffered"
    slots: int | None = None
    multiport: bool | None = None  # do a rank's messages of one step start together? None: as the network says
    late: tuple[tuple[int, float], ...] = ()  # (rank, seconds)
    slow: tuple[tuple[int, float], ...] = ()  # (rank, times)
    degraded: tuple[tuple[int, float], ...] = ()  # (link, share of its bandwidth that is left)

    def topology(self, world_size: int) -> Topology:
        """Raises BadTopology with a sentence."""
        if self.name == AS_FORMULA:
            return from_machine(world_size, self.machine)
        return make(self.name, world_size, self.knobs)

    def conditions(self) -> dict:
        """As `meet` takes them."""
        placement = self.placement if isinstance(self.placement, str) else list(self.placement)
        changed = {"late": dict(self.late), "slow": dict(self.slow), "degraded": dict(self.degraded)}
        return {"placement": placement, "seed": self.seed, "multiport": self.multiport, **changed}

    def everything(self) -> dict:
        """As `simulate` takes it."""
        return {"model": self.model, "send": self.send, "slots": self.slots, **self.conditions()}

    def undisturbed(self) -> Setup:
        return replace(self, late=(), slow=(), degraded=())

    @property
    def together(self) -> bool:
        """Do a rank's messages of one step start together?"""
        if self.multiport is None and self.machine is not None:
            return self.machine.multiport
        return self.multiport is not False

    @property
    def disturbed(self) -> bool:
        return bool(self.late or self.slow or self.degraded)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What the simulation gave."""

    topology: Topology
    seats: np.ndarray  # int64 [world_size]
    trace: Trace  # up to where it got stuck, if it did
    stuck: str  # who waits for whom; "" when it ended
    cause: str  # the head of that chain, in a few words
    notes: tuple[str, ...]  # what a page must say about the simulation

    @property
    def seconds(self) -> float | None:
        return None if self.stuck else self.trace.seconds

    @cached_property
    def how(self) -> str:
        """The model in a few words."""
        model = self.trace.about.get("model", "")
        names = {"ports": "ports only", "links": "link loads", "flow": "fair sharing", "lockstep": "lock-step"}
        return names.get(model, "until it got stuck")


def simulated(built: Built, size: int, setup: Setup) -> Outcome:
    """The outcome for a buffer of `size` bytes. Raises BadTopology with a sentence for what does not fit."""
    return _simulated(built.key, size, setup)


def loads(built: Built, size: int, setup: Setup) -> LinkLoads:
    """How many bytes each link carries."""
    return _loads(built.key, size, setup)


def wires(built: Built, setup: Setup) -> Wiring:
    """The network as the player draws it: pods, classes of links, which of them each pair of ranks uses."""
    return _wires(built.key, setup)


def until_stuck(built: Built, size: int, setup: Setup) -> LinkLoads:
    """How many bytes each link carries before everything stops."""
    return _until_stuck(built.key, size, setup)


def explained(built: Built, size: int, setup: Setup) -> Explanation:
    """Why it takes so long. Raises BadTopology, with a sentence, where there are too many messages."""
    return _explained(built.key, size, setup)


def helpful(built: Built, size: int, setup: Setup) -> list[tuple[int, float]]:
    """[(link, seconds if it were twice as fast)] for the busiest links, the best first."""
    return _helpful(built.key, size, setup)


@st.cache_resource(max_entries=12, show_spinner="Simulating the network")
def _simulated(key: tuple, size: int, setup: Setup) -> Outcome:
    built = rebuilt(*key)
    schedule, nbytes = built.schedule, built.nbytes(size)
    topology = setup.topology(schedule.world_size)
    seats = place(topology, schedule.world_size, setup.conditions()["placement"], setup.seed)
    try:
        trace, stuck, cause = simulate(schedule, nbytes, topology, **setup.everything()), "", ""
    except Stuck as problem:
        trace = arrived(schedule, nbytes, problem.start, problem.end, "simulation")
        stuck, cause = str(problem), problem.cause
    nodes = topology.node_of[seats]
    if 1 < len(np.unique(nodes)) < schedule.world_size:
        trace.about["node_of"] = nodes.tolist()
    notes = tuple(str(trace.about[name]) for name in ("note", "switches") if trace.about.get(name))
    return Outcome(topology, seats, trace, stuck, cause, notes)


@st.cache_resource(max_entries=24, show_spinner=False)
def _loads(key: tuple, size: int, setup: Setup) -> LinkLoads:
    built = rebuilt(*key)
    topology = setup.topology(built.schedule.world_size)
    return link_loads(built.schedule, built.nbytes(size), topology, **setup.conditions())


@st.cache_resource(max_entries=12, show_spinner=False)
def _wires(key: tuple, setup: Setup) -> Wiring:
    schedule = rebuilt(*key).schedule
    return wiring(schedule, meet(setup.topology(schedule.world_size), schedule, **setup.conditions()))


@st.cache_resource(max_entries=12, show_spinner=False)
def _until_stuck(key: tuple, size: int, setup: Setup) -> LinkLoads:
    outcome = _simulated(key, size, setup)
    trace = outcome.trace
    return link_loads(trace.schedule, trace.nbytes, outcome.topology, **setup.conditions())


@st.cache_resource(max_entries=8, show_spinner="Looking for the reasons")
def _explained(key: tuple, size: int, setup: Setup) -> Explanation:
    built = rebuilt(*key)
    outcome = simulated(built, size, setup)
    return explain(outcome.trace, outcome.topology, **setup.conditions())


@st.cache_resource(max_entries=8, show_spinner="Trying faster links")
def _helpful(key: tuple, size: int, setup: Setup) -> list[tuple[int, float]]:
    built = rebuilt(*key)
    if setup.model == "flow" and built.schedule.num_transfers > QUICK:
        setup = replace(setup, model="links")
    topology = setup.topology(built.schedule.world_size)
    return what_would_help(built.schedule, built.nbytes(size), topology, **setup.everything())
