"""Lab: Compare

Two algorithms on the same clock, and where each of several overtakes the others.
"""

import streamlit as st

from core.algorithms import ALGORITHMS
from core.algorithms.base import Algorithm
from core.collective import ALL_REDUCE
from core.cost import bandwidths, lower_bound
from core.crossover import told, told_ranks, told_winners
from core.machines import Machine
from core.units import digits, show_bytes, show_count, show_rate, show_seconds
from lessons.parts import race
from lessons.parts.built import Built, build, proved, timed
from lessons.parts.chart import chart, is_dark
from lessons.parts.facts import compact, grid_of_facts, small
from lessons.parts.links import linked, one_of, size_field, some_of
from lessons.parts.measured import from_a_file
from lessons.parts.network import choose_network, refused
from lessons.parts.picker import pick_machine, pick_name, pick_options, pick_ranks, refusal, stop_if_impossible
from lessons.parts.player import player
from lessons.parts.simulated import Setup, simulated, wires

NAMES = [name for name, a in ALGORITHMS.items() if a.collective is ALL_REDUCE]
RANKS = sorted({n for k in range(1, 11) for n in (2**k, 3 * 2 ** (k - 1)) if n <= 1024})


def main() -> None:
    compact("Compare", "The same buffer, two algorithms, one clock. Which is faster depends on the size: see below.")
    one, two, nbytes, machine, setup = choose()
    play(one, two, nbytes, machine, setup)
    counts([one, two], nbytes, machine, setup)
    drawn = [one, two, *others(one.schedule.world_size, {one.key, two.key})]
    against_size(drawn, nbytes, machine, setup)
    against_ranks(drawn, nbytes, machine, setup)
    st.subheader("Predicted against measured", divider="gray")
    from_a_file(machine, setup)
    if setup is not None:
        st.subheader("Who wins where", divider="gray")
        race.winner_map({built.label: built for built in drawn}, setup)


def choose() -> tuple[Built, Built, int, Machine, Setup | None]:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
        first, with_first = pick("compare.1", "ring", "", "First")
        second, with_second = pick("compare.2", "recursive_doubling", "vs_", "Second")
        world_size = pick_ranks("compare")
        nbytes = size_field("compare.size", "1 MiB", width=105)
        machine = pick_machine("compare")
        setup = choose_network("compare", machine)
    for algorithm, options in ((first, with_first), (second, with_second)):
        stop_if_impossible(algorithm, world_size, options)
    one, two = build(first, world_size, with_first), build(second, world_size, with_second)
    if setup is not None and (problem := race.fits(one, setup) or race.fits(two, setup)):
        refused(problem)
        setup = None
    return one, two, nbytes, machine, setup


def pick(key: str, default: str, prefix: str, which: str) -> tuple[Algorithm, dict]:
    algorithm = pick_name(key, default, collective=ALL_REDUCE, prefix=prefix, label=f"{which} algorithm")
    return algorithm, pick_options(key, algorithm, prefix=prefix, label=f"{which}: ")


def play(one: Built, two: Built, nbytes: int, machine: Machine, setup: Setup | None) -> None:
    """One plays, the other is its ghost: both on the clock of the slower one."""
    front = linked(
        st.segmented_control,
        "Play",
        key="compare.play",
        name="play",
        default="first",
        read=one_of(["first", "second"]),
        options=["first", "second"],
        format_func=lambda which: (one if which == "first" else two).label,
        required=True,
        label_visibility="collapsed",
    )
    ahead, behind = (one, two) if front == "first" else (two, one)
    front, back = (
        simulated(it, nbytes, setup).trace if setup else timed(it, nbytes, machine) for it in (ahead, behind)
    )
    player(
        front,
        key=f"compare.player{'.network' * bool(setup)}",  # another clock: start it afresh
        ghost=back,
        title=ahead.label,
        algorithm=ahead.algorithm,
        options=dict(ahead.key[2]),
        wiring=wires(ahead, setup) if setup else None,
        ghost_wiring=wires(behind, setup) if setup else None,
    )


def counts(pair: list[Built], nbytes: int, machine: Machine, setup: Setup | None) -> None:
    names = "algorithm, steps, messages, sent, on all links, alpha, beta, gamma, time, busbw, result"
    names += ", simulated" * bool(setup)
    caption = (
        f"{pair[0].schedule.world_size} ranks, {show_bytes(nbytes)}. Counted: steps; messages and bytes that the "
        f"busiest rank sends; bytes on all links together; how often alpha, S beta and S gamma are paid. "
        f"Formula: time and bus bandwidth on {machine.name}. Proved: the result."
    )
    rows = [row(built, nbytes, machine) for built in pair]
    if setup:
        outcomes = [simulated(built, nbytes, setup) for built in pair]
        caption += f" Simulated: the time on {outcomes[0].topology.name}, {outcomes[0].how}."
        rows = [(*cells, show_seconds(outcome.trace.seconds)) for cells, outcome in zip(rows, outcomes)]
        for note in dict.fromkeys(note for outcome in outcomes for note in outcome.notes):
            small(f"{note[0].upper()}{note[1:]}.")
    grid_of_facts(caption, tuple(names.split(", ")), rows)


def row(built: Built, nbytes: int, machine: Machine) -> tuple[str, ...]:
    n, cost, moved = built.schedule.world_size, built.cost, built.moved
    seconds = built.seconds(nbytes, machine)
    _, busbw = bandwidths(nbytes, seconds, ALL_REDUCE.bus_factor(n))
    return (
        built.label,
        show_count(built.schedule.num_steps),
        show_count(int(moved.messages[:n].max(initial=0))),
        show_bytes(float(moved.sent[:n].max(initial=0)) * nbytes),
        show_bytes(moved.total * nbytes),
        show_count(cost.messages),
        digits(cost.traffic),
        digits(cost.work),
        show_seconds(seconds),
        show_rate(busbw),
        "right" if proved(built).right else "wrong",
    )


def others(world_size: int, chosen: set[tuple]) -> list[Built]:
    """More curves: other algorithms with their default options."""
    names = linked(
        st.multiselect,
        "Draw these too",
        key="compare.also",
        name="also",
        default=[],
        read=some_of(NAMES),
        write=",".join,
        options=NAMES,
        max_selections=8,
    )
    more = []
    for name in names:
        algorithm = ALGORITHMS[name]
        if problem := refusal(algorithm, world_size, {}):
            small(f"{name} is left out. {problem}")
            continue
        built = build(algorithm, world_size, {option: it.default for option, it in algorithm.options.items()})
        more += [built] if built.key not in chosen else []
    return more


def against_size(drawn: list[Built], nbytes: int, machine: Machine, setup: Setup | None) -> None:
    st.subheader("Time against size", divider="gray")
    world_size = drawn[0].schedule.world_size
    if world_size < 2:
        st.info("One rank has nobody to talk to: choose two ranks or more.")
        return
    if setup is not None:
        race.against_size({built.label: built for built in drawn}, nbytes, setup)
        return
    from core.figures.curves import Curves, sizes

    places, costs = sizes(nbytes), {built.label: built.cost for built in drawn}
    draw(
        Curves(
            f"Time on {world_size} ranks, {machine.name} [formula]",
            places,
            "bytes",
            {name: [cost.seconds(size, machine) for size in places] for name, cost in costs.items()},
            [lower_bound(world_size, size, machine) for size in places],
            here=nbytes or None,
        )
    )
    if len(costs) > 1:
        st.markdown(f"{told(*list(costs)[:2], costs, machine)} {told_winners(costs, machine)} [formula]")


def against_ranks(drawn: list[Built], nbytes: int, machine: Machine, setup: Setup | None) -> None:
    st.subheader("Time against ranks", divider="gray")
    if setup is not None:
        race.against_ranks({built.label: built for built in drawn}, nbytes, setup)
        return
    from core.figures.curves import Curves

    seconds = {built.label: by_ranks(built, nbytes, machine) for built in drawn}
    draw(
        Curves(
            f"Time for {show_bytes(nbytes)}, {machine.name} [formula]",
            RANKS,
            "ranks",
            {name: [of.get(n, float("nan")) for n in RANKS] for name, of in seconds.items()},
            [lower_bound(n, nbytes, machine) for n in RANKS],
            here=max(drawn[0].schedule.world_size, 2),
        )
    )
    powers = {name: {n: s for n, s in of.items() if n & (n - 1) == 0} for name, of in seconds.items()}
    st.markdown(f"{told_ranks(powers)} Said of powers of two only. [formula]")


def by_ranks(built: Built, nbytes: int, machine: Machine) -> dict[int, float]:
    """{world size: seconds} by the declared cost, without the world sizes that the algorithm refuses."""
    algorithm, options = built.algorithm, dict(built.key[2])
    allowed = [n for n in RANKS if not refusal(algorithm, n, options)]
    return {n: algorithm.cost(n, **options).seconds(nbytes, machine) for n in allowed}


def draw(data) -> None:
    from core.figures.curves import HOW_TO_READ, NOT_MODELLED, curves

    chart(curves(data, dark=is_dark()))
    small(f"{HOW_TO_READ}, unless switches do the adding. {NOT_MODELLED}")


main()
