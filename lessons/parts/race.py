"""Algorithms raced on a simulated network: over sizes, over ranks, and over both at once as a map."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

import numpy as np
import streamlit as st

from core.algorithms import ALGORITHMS
from core.crossover import told_ranks, told_sizes
from core.network import all_reduce_bound, meet
from core.regions import Winners, times_by_size, winners
from core.schedule import Schedule
from core.topology import BadTopology
from core.units import show_bytes
from lessons.parts.built import Built, rebuilt
from lessons.parts.chart import chart, is_dark
from lessons.parts.facts import small
from lessons.parts.picker import refusal
from lessons.parts.simulated import Setup

RANKS = tuple(2**k for k in range(1, 9))
SIZES = tuple(2.0**k for k in range(3, 34, 3))
SPEND_CURVES, SPEND_MAP = 2.0, 60.0  # seconds of work before the page stops by itself
LARGE = 300_000  # transfers for which fewer sizes are tried
TOGETHER = (
    " A rank's messages of one step start together; choose otherwise under Network, and whoever sends many of them "
    "pays for each."
)


@dataclass
class Race:
    """The columns of the map that are done; it survives a rerun, so stopping keeps what there is."""

    key: tuple
    columns: list[Winners] = field(default_factory=list)
    running: bool = True


def raced(setup: Setup) -> Setup:
    """Curves and maps take many simulations: fair sharing by events would take too long, link loads come close."""
    return replace(setup, model="links") if setup.model == "flow" else setup


def by_size(built: Built, setup: Setup) -> dict[float, float]:
    """{bytes: simulated seconds}"""
    return _by_size(built.key, raced(setup))


@st.cache_resource(max_entries=64, show_spinner="Simulating all sizes")
def _by_size(key: tuple, setup: Setup) -> dict[float, float]:
    built = rebuilt(*key)
    places = [2.0**k for k in range(3, 34, 5 if built.schedule.num_transfers > LARGE else 2)]
    topology = setup.topology(built.schedule.world_size)
    return dict(zip(places, times_by_size(built.schedule, places, topology, **setup.everything()).tolist()))


def bound(world_size: int, setup: Setup) -> float:
    """Seconds a byte that no all-reduce without switches that add can beat on this network, latency left out."""
    nothing = Schedule.from_steps([], name="nothing", world_size=world_size, num_chunks=1)
    return all_reduce_bound(meet(setup.topology(world_size), nothing, **setup.conditions()), 1.0)


def against_size(drawn: dict[str, Built], nbytes: int, setup: Setup) -> None:
    """Simulated curves over sizes, and who wins from where."""
    from core.figures.curves import HOW_TO_READ, Curves, curves

    times = {name: by_size(built, setup) for name, built in drawn.items()}
    places = sorted(set().union(*times.values()))
    one = next(iter(drawn.values()))
    ranks, name = one.schedule.world_size, setup.topology(one.schedule.world_size).name
    data = Curves(
        f"Time on {ranks} ranks, {name} [simulated]",
        places,
        "bytes",
        {label: [of.get(place, float("nan")) for place in places] for label, of in times.items()},
        [place * bound(ranks, setup) for place in places],
        here=nbytes or None,
    )
    chart(curves(data, dark=is_dark()))
    small(f"{HOW_TO_READ}, unless switches do the adding. {said(setup)}")
    common = set.intersection(*(set(of) for of in times.values()))
    st.markdown(f"{told_sizes({label: {p: of[p] for p in common} for label, of in times.items()})} [simulated]")


def against_ranks(drawn: dict[str, Built], nbytes: int, setup: Setup) -> None:
    """Simulated curves over the powers of two, as far as a few seconds reach."""
    from core.figures.curves import HOW_TO_READ, Curves, curves

    one = next(iter(drawn.values()))
    found_on = for_all_ranks(setup)
    found = _by_ranks(methods(drawn), RANKS, nbytes, found_on)
    done = [i for i in range(len(RANKS)) if np.isfinite(found.seconds[:, 0, i]).any()]
    if not done:
        small("No number of ranks could be simulated on this network in time.")
        return
    places = [RANKS[i] for i in done]
    data = Curves(
        f"Time for {show_bytes(nbytes)}, {setup.name} [simulated]",
        places,
        "ranks",
        {name: found.seconds[row, 0, done].tolist() for row, name in enumerate(found.names)},
        [nbytes * bound(n, found_on) for n in places],
        here=one.schedule.world_size if places[0] <= one.schedule.world_size <= places[-1] else None,
    )
    chart(curves(data, dark=is_dark()))
    short = "" if found.complete else f" More ranks would have taken longer than {SPEND_CURVES:.0f} s."
    small(f"{HOW_TO_READ}, unless switches do the adding. {said(setup)}{short}")
    seconds = {
        name: {RANKS[i]: float(t) for i in done if np.isfinite(t := found.seconds[row, 0, i])}
        for row, name in enumerate(found.names)
    }
    st.markdown(f"{told_ranks(seconds)} Said of powers of two only. [simulated]")


@st.cache_resource(max_entries=16, show_spinner="Simulating more and more ranks")
def _by_ranks(runners: tuple, ranks: tuple[int, ...], nbytes: int, setup: Setup) -> Winners:
    return winners(makers(runners), [nbytes], ranks, setup.topology, spend=SPEND_CURVES, **setup.everything())


def for_all_ranks(setup: Setup) -> Setup:
    """A list of seats fits one number of ranks only."""
    return replace(raced(setup), placement=setup.placement if isinstance(setup.placement, str) else "natural")


def said(setup: Setup) -> str:
    """How these times came about."""
    how = "Ports only" if setup.model == "ports" else "Link loads"
    pace = "a barrier after every step" if setup.model == "lockstep" else "asynchronous"
    seats = "" if isinstance(setup.placement, str) else " Over ranks, seats are natural: a list fits one number only."
    return f"{how}, {pace}.{seats}{TOGETHER * setup.together}"


def methods(drawn: dict[str, Built]) -> tuple:
    """((label, name, options), ...): what is raced, whatever the number of ranks."""
    return tuple((label, built.key[0], built.key[2]) for label, built in drawn.items())


def makers(runners: tuple) -> dict:
    """{label: world_size -> schedule, or None where the algorithm refuses}"""

    def maker(name: str, options: tuple):
        algorithm, asked = ALGORITHMS[name], dict(options)
        return lambda n: None if refusal(algorithm, n, asked) else algorithm(n, **asked)

    return {label: maker(name, options) for label, name, options in runners}


def winner_map(drawn: dict[str, Built], setup: Setup) -> None:
    """The map, worked out when asked for, with progress; stopping keeps what is done."""
    key = (methods(drawn), for_all_ranks(setup))
    race = st.session_state.get("compare.race")
    if race is not None and race.key != key:
        race = st.session_state["compare.race"] = None
        small("The map was about another choice.")
    if race is None or not (race.running or len(race.columns) == len(RANKS)):
        again = "Go on" if race else "Work out who wins where"
        st.button(again, key="compare.race.start", on_click=_start, args=(key,), type="primary")
    if race is None:
        small(f"{len(SIZES)} sizes and {len(RANKS)} numbers of ranks, {len(drawn)} algorithms: some seconds.")
        return
    if race.running:
        _run(race)
    if race.columns:
        _draw(race, setup)


def _start(key: tuple) -> None:
    race = st.session_state.get("compare.race")
    if race is None or race.key != key:
        race = st.session_state["compare.race"] = Race(key)
    race.running = True


def _stop() -> None:
    st.session_state["compare.race"].running = False


def _run(race: Race) -> None:
    """One number of ranks after another. A click on Stop ends this run of the page between two of them."""
    runners, setup = race.key
    started, place = time.monotonic(), st.empty()
    with place.container(horizontal=True, vertical_alignment="center"):
        bar = st.progress(0.0)
        st.button("Stop", key="compare.race.stop", on_click=_stop)
    while len(race.columns) < len(RANKS):
        n, left = RANKS[len(race.columns)], SPEND_MAP - (time.monotonic() - started)
        bar.progress(len(race.columns) / len(RANKS), f"{n} ranks")
        column = winners(makers(runners), SIZES, [n], setup.topology, spend=left, **setup.everything())
        if not column.complete:
            break
        race.columns.append(column)
    race.running = False
    place.empty()


def _draw(race: Race, setup: Setup) -> None:
    from core.figures.regions import HOW_TO_READ, regions

    chart(regions(joined(race.columns), f"Winners on {setup.name} [simulated]", dark=is_dark()), own_colours=False)
    missing = len(RANKS) - len(race.columns)
    short = f" Stopped before {RANKS[-missing]} ranks." if missing else ""
    small(f"{HOW_TO_READ}. {said(setup)}{short}")


def joined(columns: list[Winners]) -> Winners:
    """One map of several numbers of ranks."""
    first = columns[0]
    return Winners(
        first.names,
        first.sizes,
        np.concatenate([column.ranks for column in columns]),
        np.concatenate([column.seconds for column in columns], axis=2),
        np.concatenate([column.best for column in columns], axis=1),
        complete=True,
    )


def fits(built: Built, setup: Setup) -> BadTopology | None:
    """Why this network cannot hold these ranks, or None."""
    try:
        meet(setup.topology(built.schedule.world_size), built.schedule, **setup.conditions())
    except BadTopology as problem:
        return problem
    return None
