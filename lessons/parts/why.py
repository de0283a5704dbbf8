"""The map of a network on a page, and why a simulated time is what it is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import streamlit as st

from core.explain import Explanation, Part
from core.figures.topology import HOW_TO_READ, Load, name, network_map
from core.topology import BadTopology
from core.units import digits, show_bytes, show_seconds
from lessons.parts.built import Built
from lessons.parts.chart import chart, is_dark
from lessons.parts.disturb import clicked, disturb
from lessons.parts.facts import Fact, facts, grid_of_facts, small
from lessons.parts.network import refused
from lessons.parts.simulated import Outcome, Setup, explained, helpful, loads, simulated, until_stuck

SHARES = {  # what each share of the time means
    "latency": "getting messages going",
    "bandwidth": "pushing bytes through the slowest link",
    "sharing": "others on the same links",
    "adding": "adding what came in",
    "late": "waiting for a late rank",
    "waiting": "waiting for a free slot",
}
WAITED = {
    "data": "its data had to come first",
    "port": "its port was busy",
    "slots": "the receiver's slots were full",
    "step": "both ends had to finish the step before",
    "barrier": "the barrier",
    "late": "a late rank",
    "start": "nothing",
}
MOST_PARTS, MOST_RANKS = 12, 8  # lines of the critical path, and of the idle ranks


def section(key: str, built: Built, size: int, setup: Setup) -> tuple[Setup, Outcome | None, Callable | None]:
    """What can be done to the network, and what that does to the time: (setup, outcome, what draws the map).

    A network that does not fit is refused in a sentence, and there is no outcome.
    """
    try:
        carried = loads(built, size, setup)
    except BadTopology as problem:
        refused(problem)
        return setup, None, None
    st.subheader("The network", divider="gray")
    left, right = st.columns([3, 2])
    with right:
        setup = disturb(key, setup, built.schedule.world_size, carried)
        outcome = simulated(built, size, setup)
        effect(built, size, setup, outcome)

    def draw() -> None:
        with left:
            show_map(key, map_of(built, size, setup, outcome), bool(outcome.stuck))

    return setup, outcome, draw


def map_of(built: Built, size: int, setup: Setup, outcome: Outcome) -> Load:
    """What the map shows: how long each link is busy, as a share of the time until the end, or until it got stuck."""
    carried = until_stuck(built, size, setup) if outcome.stuck else loads(built, size, setup)
    spent = outcome.trace.seconds if outcome.trace.seconds > 0 else 1.0
    return Load(
        outcome.topology,
        outcome.seats,
        carried.nbytes,
        np.minimum(carried.seconds / spent, 1.0),
        left=dict(setup.degraded),
        marked=_marked(setup),
        chosen=setup.degraded[0][0] if setup.degraded else None,
    )


def _marked(setup: Setup) -> dict[int, str]:
    words: dict[int, list[str]] = {}
    for rank, by in setup.late:
        words.setdefault(rank, []).append("never enters" if by == float("inf") else f"late by {show_seconds(by)}")
    for rank, times in setup.slow:
        words.setdefault(rank, []).append(f"{digits(times)} times slower")
    return {rank: ", ".join(of_rank) for rank, of_rank in words.items()}


def show_map(key: str, load: Load, stuck: bool = False) -> None:
    """The map; a click on a link makes it the one to slow or cut."""
    until = ", until it got stuck" * stuck
    figure = network_map(load, f"{load.topology.name}{until} [simulated]", dark=is_dark())
    st.plotly_chart(
        figure,
        key=f"{key}.map",
        on_select=lambda: clicked(key),
        selection_mode="points",
        config={"displayModeBar": False},
        theme=None,
        alt=figure.layout.meta["alt"],
    )
    small(f"{HOW_TO_READ}.")


def effect(built: Built, size: int, setup: Setup, outcome: Outcome) -> None:
    """The time now, and without what the reader has done to the network."""
    before = simulated(built, size, setup.undisturbed()).seconds
    now = "never ends" if outcome.seconds is None else show_seconds(outcome.seconds)
    found = [Fact("Time", now, "simulated", outcome.cause or outcome.how)]
    if setup.disturbed and before is not None:
        more = "" if outcome.seconds is None else _more(outcome.seconds, before)
        found.append(Fact("Undisturbed", show_seconds(before), "simulated", more))
    facts(*found)
    for note in outcome.notes:
        small(f"{note[0].upper()}{note[1:]}.")


def _more(now: float, before: float) -> str:
    if before <= 0 or abs(now - before) < 1e-9 * before:
        return "no difference"
    return f"{digits(100 * abs(now / before - 1))} % {'longer' if now > before else 'shorter'} now"


def why(built: Built, size: int, setup: Setup, outcome: Outcome) -> None:
    """Critical path, shares, idle ranks, busy links, and what would help."""
    if outcome.stuck:
        st.info("It never ends, so there is no time to explain: the red sentence above says who waits for whom.")
        return
    try:
        told = explained(built, size, setup)
    except BadTopology as problem:
        st.info(f"{str(problem)[0].upper()}{str(problem)[1:]}.")
        return
    facts(
        *(
            Fact(share.capitalize(), f"{digits(100 * told.shares[share])} %", "simulated", meaning)
            for share, meaning in SHARES.items()
            if told.shares.get(share, 0) > 5e-4
        )
    )
    left, right = st.columns(2)
    with left:
        _path(told, map_of(built, size, setup, outcome))
    with right:
        _links(built, size, setup, outcome)
        _idle(told)
    _lanes(built, size, setup, outcome, told)


def _lanes(built: Built, size: int, setup: Setup, outcome: Outcome, told: Explanation) -> None:
    """Who sends when, in microseconds, with the gaps and the critical path."""
    from core.figures.timeline import HOW_TO_READ as HOW_TO_READ_LANES
    from core.figures.timeline import Panel, refuse, timelines

    if problem := refuse(outcome.trace):
        small(f"No lanes: {problem}.")
        return
    small(f"{HOW_TO_READ_LANES}. [simulated]")
    before = simulated(built, size, setup.undisturbed()).seconds if setup.disturbed else None
    panel = Panel(f"{built.algorithm.name} on {outcome.topology.name}", outcome.trace, told, dict(setup.late), before)
    chart(timelines([panel], dark=is_dark()))


def _path(told: Explanation, load: Load) -> None:
    parts = list(told.path)
    shown = parts if len(parts) <= MOST_PARTS else [*parts[: MOST_PARTS - 4], None, *parts[-3:]]
    rows = [_line(part) if part else ("...", f"{len(parts) - MOST_PARTS + 1} more", "", "") for part in shown]
    caption = (
        f"Critical path: the {len(parts)} messages that set the time, each begins when the one before lets it. "
        "[simulated]"
    )
    grid_of_facts(caption, ("step", "message", "from, until", "waited for"), rows)


def _line(part: Part) -> tuple[str, ...]:
    when = f"{show_seconds(part.start)}, {show_seconds(part.until)}"
    return str(part.step + 1), f"{part.src} → {part.dst}", when, WAITED.get(part.why, part.why)


def _links(built: Built, size: int, setup: Setup, outcome: Outcome) -> None:
    load = map_of(built, size, setup, outcome)
    rows = []
    for link, seconds in helpful(built, size, setup):
        gain = outcome.trace.seconds - seconds
        worth = "no difference" if gain < 1e-6 * seconds else f"{show_seconds(seconds)}"
        busy = f"{digits(100 * load.share[link])} %"
        rows.append((name(load, link), show_bytes(float(load.nbytes[link])), busy, worth))
    caption = f"The busiest links, and the time if one were twice as fast (now {show_seconds(outcome.trace.seconds)}). "
    grid_of_facts(f"{caption}[simulated]", ("link", "carries", "busy", "if twice as fast"), rows)


def _idle(told: Explanation) -> None:
    share = told.idle / told.seconds if told.seconds else told.idle
    order = np.argsort(-share, kind="stable")
    shown = order if len(order) <= MOST_RANKS else [*order[: MOST_RANKS // 2], *order[-MOST_RANKS // 2 :]]
    rows = [(f"rank {rank}", f"{digits(100 * share[rank])} %", show_seconds(float(told.idle[rank]))) for rank in shown]
    caption = f"Idle: neither sends, receives nor adds; {digits(100 * float(share.mean()))} % on average. [simulated]"
    grid_of_facts(caption, ("rank", "of the time", "in all"), rows)
