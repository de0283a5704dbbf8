"""Lab: Explore

Choose an algorithm and watch every chunk travel; see what it costs, and take it with you.
"""

from contextlib import nullcontext
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import streamlit as st

from core.algorithms.base import Algorithm
from core.blame.report import Report
from core.collective import ALL_REDUCE
from core.cost import bandwidths, lower_bound
from core.machines import Machine
from core.trace import Trace, save
from core.units import digits, show_bytes, show_count, show_rate, show_seconds
from lessons.parts.built import LARGE, Built, build, proved, timed
from lessons.parts.chart import chart, is_dark
from lessons.parts.facts import Fact, compact, facts, listed, small
from lessons.parts.links import here, plain, size_field
from lessons.parts.network import choose_network, in_the_address
from lessons.parts.picker import pick_algorithm, pick_machine
from lessons.parts.player import player
from lessons.parts.simulated import Outcome, Setup, wires

LESSONS = Path(__file__).parent
MEANINGS = {
    "Sent per rank": "by the rank that sends most. Without switches that add, none can be below the least: "
    "2(n-1)/n S for an all-reduce",
    "Time": "every step waits for its slowest transfer: alpha a message, beta a byte sent, gamma a byte added",
    "Bus bandwidth": "S / time, times 2(n-1)/n: nccl-tests' way to compare with the speed of a link",
    "Result": "the proof counts that every rank ends with each input exactly once",
}
OTHERS = {  # pages that take the same algorithm
    "12_compare.py": "Compare it with another",
    "16_straggler.py": "Make a rank late",
    "18_live.py": "Run it for real",
}
IDEA, WHY = "The idea", "Why this time?"
TABLE_RANKS, TABLE_LINES = 8, 300


def main() -> None:
    compact("Explore", "All ranks must end with the sum of everyone's buffers. Press ▶ to see how they get there.")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
        algorithm, world_size, options = pick_algorithm("explore")
        nbytes = size_field("explore.size", width=100)
        machine = pick_machine("explore")
        setup = choose_network("explore", machine)
    built = build(algorithm, world_size, options)
    stage, outcome, draw_map = nullcontext(), None, None
    if setup is not None:
        from lessons.parts.why import section  # it draws with plotly, which the start page does without

        stage, below = st.container(), st.container()  # what is set below decides what is seen above
        with below:
            setup, outcome, draw_map = section("explore", built, nbytes, setup)
    with stage:
        step = play(built, nbytes, machine, setup, outcome)
    if outcome:
        draw_map()  # after the player, which is seen first
    onward(built)
    more(built, nbytes, machine, setup, outcome, step)


def play(built: Built, nbytes: int, machine: Machine, setup: Setup | None, outcome: Outcome | None) -> int:
    """The numbers and the player; returns the step that the reader is at."""
    algorithm, title = built.algorithm, built.label
    later = built.schedule.num_transfers > LARGE  # then it is shown before it is counted and proved
    if later:
        report, row = None, st.empty()
        with row.container():
            awaited(built)
    else:
        report = proved(built)
        numbers(built, nbytes, machine, outcome, report)
    if outcome is not None and outcome.stuck:
        st.error(plain(outcome.stuck))
        report, title = None, f"{title}, until it got stuck"  # the report is about the whole schedule
    step = player(
        outcome.trace if outcome else timed(built, nbytes, machine),
        key=f"explore.player{'.network' * bool(outcome)}",  # another clock: start it afresh
        collective=algorithm.collective,
        algorithm=algorithm,
        options=dict(built.key[2]),
        title=title,
        report=report,
        wiring=wires(built, setup) if outcome else None,
    )
    if later:
        report = proved(built)
        with row.container():
            numbers(built, nbytes, machine, outcome, report)
    return step


def awaited(built: Built) -> None:
    """The row of numbers while most are still on their way."""
    missing = {"Messages per rank": "counted", "Sent per rank": "counted", "Time": "formula", "Result": "proved"}
    steps = Fact("Steps", show_count(built.schedule.num_steps), "counted")
    facts(steps, *(Fact(name, "…", origin, "in a moment") for name, origin in missing.items()))


def numbers(built: Built, nbytes: int, machine: Machine, outcome: Outcome | None, report: Report) -> None:
    """What the schedule costs, in one row."""
    n, factor = built.schedule.world_size, built.algorithm.collective.bus_factor(built.schedule.world_size)
    moved, total = built.moved, built.nbytes(nbytes)
    busiest = float(moved.sent[:n].max(initial=0)) * total
    port = max(busiest, float(moved.received[:n].max(initial=0)) * total)  # a root may receive more than anyone sends
    least, seconds = factor * nbytes, built.seconds(nbytes, machine)
    switches = " without switches" if built.schedule.num_vertices > n else ""
    share = f"busiest port {digits(100 * port / least)} % of the least{switches}" if least else ""
    facts(
        Fact("Steps", show_count(built.schedule.num_steps), "counted"),
        Fact("Messages per rank", show_count(int(moved.messages[:n].max(initial=0))), "counted"),
        Fact("Sent per rank", show_bytes(busiest), "counted", share),
        Fact("Time", show_seconds(seconds), "formula"),
        *times(nbytes, seconds, factor, outcome),
        Fact("Result", "right" if report.right else "wrong", "proved"),
    )
    if not report.right:
        st.error(report.sentence)


def times(nbytes: int, formula: float, factor: float, outcome: Outcome | None) -> list[Fact]:
    """The simulated time if there is one, and the bandwidth that belongs to the time that is played."""
    if outcome is None:
        _, busbw = bandwidths(nbytes, formula, factor)
        return [Fact("Bus bandwidth", show_rate(busbw), "formula")]
    if outcome.seconds is None:
        return [Fact("Simulated time", "never ends", "simulated", "see why below")]
    _, busbw = bandwidths(nbytes, outcome.seconds, factor)
    return [
        Fact("Simulated time", show_seconds(outcome.seconds), "simulated", outcome.topology.name),
        Fact("Bus bandwidth", show_rate(busbw), "simulated"),
    ]


def about(algorithm: Algorithm) -> None:
    """The idea, who uses it, where to read more."""
    lines = {"Promise": algorithm.collective.promise, "Used by": algorithm.users, "Also called": algorithm.also_called}
    listed({**lines, "Extra memory": algorithm.extra, "Read more": algorithm.reference}, lead=algorithm.idea)


def onward(built: Built) -> None:
    """The same algorithm on other pages, and where a newcomer begins."""
    name, world_size, options = built.key
    defaults = {option: it.default for option, it in built.algorithm.options.items()}
    changed = {option: str(value) for option, value in options if value != defaults[option]}
    same = {"algorithm": name, "ranks": str(world_size), **changed}
    others = [(file, label) for file, label in OTHERS.items() if (LESSONS / file).exists()]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.page_link("lessons/34_ring.py", label="New here? Begin with the ring")
        if built.algorithm.collective is ALL_REDUCE:
            for file, label in others:
                network = in_the_address() if file == "12_compare.py" else {}
                st.page_link(f"lessons/{file}", label=label, query_params=same | network)


def more(built: Built, nbytes: int, machine: Machine, setup: Setup | None, outcome: Outcome | None, step: int) -> None:
    """What is one click away; only what is chosen is made. (A row of st.tabs takes twice the bytes.)"""
    algorithm, others = built.algorithm, ("Who has what", "Cost", "Source code", "Take it with you")
    names = (IDEA, *[WHY] * bool(outcome), *others)
    fillings = {
        IDEA: lambda: about(algorithm),
        WHY: lambda: import_module("lessons.parts.why").why(built, nbytes, setup, outcome),
        "Who has what": lambda: who_has_what(built),
        "Cost": lambda: cost(built, nbytes, machine),
        "Source code": lambda: st.code(algorithm.source),
        "Take it with you": lambda: take_away(built, outcome.trace if outcome else timed(built, nbytes, machine), step),
    }
    key = f"explore.more{'.network' * bool(outcome)}"
    fillings[st.segmented_control("More", names, key=key, default=IDEA, required=True, label_visibility="collapsed")]()


def who_has_what(built: Built) -> None:
    from core.figures.grid import HOW_TO_READ, filmstrip, refuse
    from core.figures.table import table

    schedule, collective = built.schedule, built.algorithm.collective
    if problem := refuse(schedule):
        st.info(problem)
        return
    small(f"{HOW_TO_READ}. Green: complete. [counted]")
    chart(filmstrip(schedule, collective, dark=is_dark()), own_colours=True)
    lines = (schedule.num_steps + 1) * schedule.num_slots
    if schedule.world_size <= TABLE_RANKS and lines <= TABLE_LINES:
        small("The same as text: a column for each rank, a row for each chunk, a letter for each input inside.")
        st.code(table(schedule, collective), language=None, height=420)


def cost(built: Built, nbytes: int, machine: Machine) -> None:
    """Declared and counted, and the time at other sizes beside what no algorithm can beat."""
    algorithm, n, counted = built.algorithm, built.schedule.world_size, built.cost.scaled(built.scale)
    facts(
        Fact("alpha counts", show_count(counted.messages), "counted", "messages of the busiest rank, in turn"),
        Fact("beta counts", f"{digits(counted.traffic)} S", "counted", "through the busiest port; S is the buffer"),
        Fact("gamma counts", f"{digits(counted.work)} S", "counted", "added by the busiest rank"),
    )
    listed(MEANINGS)
    if algorithm.collective is not ALL_REDUCE or n < 2:
        st.info("The curve against the bound is drawn for all-reduce on two ranks or more.")
        return
    from core.figures.curves import HOW_TO_READ, NOT_MODELLED, Curves, curves, sizes

    places = sizes(nbytes)
    data = Curves(
        f"{algorithm.name.replace('_', ' ')} on {n} ranks, {machine.name} [formula]",
        places,
        "bytes",
        {algorithm.name: [built.seconds(size, machine) for size in places]},
        [lower_bound(n, size, machine) for size in places],
        here=nbytes or None,
    )
    chart(curves(data, dark=is_dark()))
    small(f"{HOW_TO_READ}, unless switches do the adding. {NOT_MODELLED}")
    if machine.source:
        small(f"{machine.name}: {machine.source}.")


def take_away(built: Built, trace: Trace, step: int) -> None:
    from core.figures import frames
    from core.formats.transfers import MAX_ROWS, to_csv

    small("This link brings back the step you were at when you opened this; ⋯ in the player copies one to any moment:")
    st.code(here(step=step or None), language=None)
    collective, files = built.algorithm.collective, []
    if problem := frames.refuse(trace):
        small(f"No animation file: {problem}.")
    else:
        files.append(("Animation (HTML, plays offline)", lambda: frames.html(trace, collective), "html"))
    told = replace(trace, about={**trace.about, "collective": collective.name})  # for whoever opens the file
    files.append(("Trace file (.arl)", lambda: save(told), "arl"))
    if trace.schedule.num_transfers <= MAX_ROWS:
        files.append(("All transfers (CSV)", lambda: to_csv(trace), "csv"))
    with st.container(horizontal=True):
        for label, make, ending in files:  # made only when asked for
            name = f"{trace.schedule.name}-{trace.schedule.world_size}.{ending}"
            st.download_button(label, make, name, key=f"explore.{ending}", on_click="ignore")


main()
