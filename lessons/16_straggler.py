"""Lab: Stragglers

One GPU is late. Do the others wait, and does the end move? It depends on the size of the buffer and on the network.
"""

import streamlit as st

from core.algorithms import ALGORITHMS
from core.collective import ALL_REDUCE
from core.explain import Explanation, explain
from core.network import simulate
from core.topologies import Topology, crossbar, two_tier
from core.trace import Trace
from core.units import show_seconds
from lessons.parts.ask import Choice
from lessons.parts.chart import chart, is_dark
from lessons.parts.facts import Fact, facts, grid_of_facts, small
from lessons.parts.late import SENDS, own_straggler, show_more
from lessons.parts.teach import Lesson, begin, explore, predict, reflect, reveal

US, RANKS, LATE, TINY, LARGE = 1e-6, 16, {3: 100e-6}, 0, 64_000_000
LESSON = Lesson(
    "straggler",
    "Stragglers: what happens in a ring when one GPU is late?",
    minutes=10,
    goals=("say when lateness costs nothing and when it costs all", "find the chain that decides the end"),
    terms={
        "straggler": "a rank that enters the all-reduce later than the others.",
        "buffered": "a sender goes on when its port is free; the receiver takes the data when it gets there (NCCL).",
        "slots": "how many messages a sender may have under way to one receiver; NCCL's FIFO has 8.",
        "rendezvous": "sender and receiver both wait until the message has arrived (MPI for large messages).",
        "critical path": "the chain of messages that decides the end: whatever is not on it could be later for free.",
    },
    misconceptions={
        "steps-overlap-and-break": "if one rank is late, the next step starts without it and the ring breaks",
        "always-in-full": "whatever one rank is late by, the whole all-reduce is late by",
        "barrier": "everybody waits at the end of every step",
    },
)


def two_level(world_size: int = RANKS) -> Topology:
    return two_tier(world_size, 8, 8, (1 * US, 400e9), (10 * US, 50e9))


def flat(world_size: int = RANKS) -> Topology:
    return crossbar(world_size, 5 * US, 50e9)


NETWORKS = {
    "two nodes of 8": (two_level, "400 GB/s and 1 us inside a node, 50 GB/s and 10 us between the two"),
    "one flat network": (flat, "50 GB/s and 5 us between any two ranks"),
}


def main() -> None:
    begin(LESSON)
    st.markdown(
        "Sixteen GPUs run a ring all-reduce. Fifteen are ready; rank 3 comes **100 us late**, perhaps because its data "
        "loader was slow. Nothing breaks: a rank can only pass on what it has received, so its neighbours wait. But "
        "does the *end* move, and by how much? Guess three times, then look."
    )
    tiny()
    large()
    on_a_flat_network()
    with explore("straggler-own", "Your own straggler"):
        own_straggler()
    reflect("straggler-notes", "A colleague sees one GPU 100 us late in every step. What would you look at first?")


def tiny() -> None:
    st.subheader("A tiny buffer", divider="gray")
    before, after = seconds("two nodes of 8", TINY, {}), seconds("two nodes of 8", TINY, LATE)
    predict(
        "straggler-tiny",
        "number",
        f"Two nodes of 8, a buffer of a few bytes: {show_seconds(before)} when all are on time. And with rank 3 late?",
        answer=round(after / US, 6),
        unit="us",
        traps={
            round(before / US, 6): "That would be free. But for a tiny buffer there is nothing to hide behind.",
            100: "The others' messages are waiting for rank 3, but what comes after its arrival still takes its time.",
        },
        why="Nearly all of the time is latency, one message after another round the ring, and rank 3 is one of them: "
        "its lateness is paid in full.",
        origin="simulated",
    )
    if reveal(gate="straggler-tiny"):
        small("[simulated] " + NETWORKS["two nodes of 8"][1] + ".")
        picture([("two nodes of 8", TINY)], first=True)


def large() -> None:
    st.subheader("A large buffer", divider="gray")
    before, after = seconds("two nodes of 8", LARGE, {}), seconds("two nodes of 8", LARGE, LATE)
    predict(
        "straggler-large",
        "choice",
        f"The same two nodes, now with 64 MB: {show_seconds(before)} when all are on time. What does 100 us cost?",
        answer=cost(after - before),
        options={
            "nothing": Choice(
                "Nothing at all",
                "The slow links between the nodes work without a pause; rank 3 catches up before they need its data.",
            ),
            "part": Choice("A part of it", "It would be, had rank 3 been later than the time it can hide."),
            "all": Choice("The full 100 us", "Not here: rank 3 is not on the chain that decides.", "always-in-full"),
            "broken": Choice(
                "The ring breaks", "A rank never sends what it has not received.", "steps-overlap-and-break"
            ),
        },
        origin="simulated",
    )
    if reveal(gate="straggler-large"):
        picture([("two nodes of 8", LARGE)])
        spare = run("two nodes of 8", LARGE, {})[1].slack[first_transfer(3)]
        facts(Fact("Rank 3 could be late for free by", show_seconds(float(spare)), "simulated", "its slack"))


def on_a_flat_network() -> None:
    st.subheader("The same buffer on a flat network", divider="gray")
    before, after = seconds("one flat network", LARGE, {}), seconds("one flat network", LARGE, LATE)
    predict(
        "straggler-flat",
        "choice",
        f"All links alike: {show_seconds(before)} for 64 MB when all are on time. What does 100 us cost now?",
        answer=cost(after - before),
        options={
            "nothing": Choice("Nothing at all", "Behind what should it hide? No link is slower than rank 3's own."),
            "part": Choice("A part of it", "Every link works all the time, so nobody has time to spare."),
            "all": Choice("The full 100 us", "Every rank's links are the slowest ones: each is on the chain."),
        },
        origin="simulated",
    )
    if reveal(gate="straggler-flat"):
        picture([("one flat network", LARGE)])
        the_three_together()
        how_far_ahead()


def the_three_together() -> None:
    st.subheader("The three in one picture", divider="gray")
    picture([("two nodes of 8", TINY), ("two nodes of 8", LARGE), ("one flat network", LARGE)])
    st.markdown(
        "**Lateness hides behind a bottleneck, if the late rank is not part of it.** A tiny buffer has none: its time "
        "is a chain of latencies. On a flat network every rank is part of it."
    )


def how_far_ahead() -> None:
    st.subheader("Does it matter how far senders run ahead?", divider="gray")
    rows = []
    for network, nbytes, name in (
        ("two nodes of 8", TINY, "tiny buffer, two nodes"),
        ("two nodes of 8", LARGE, "64 MB, two nodes"),
        ("one flat network", LARGE, "64 MB, flat"),
    ):
        for send in SENDS:
            before, after = seconds(network, nbytes, {}, send), seconds(network, nbytes, LATE, send)
            rows.append((f"{name}, {send}", show_seconds(before), show_seconds(after), show_more(after - before)))
    grid_of_facts("One rank of 16 is 100 us late [simulated]", ("ring", "on time", "late", "cost"), rows)
    st.markdown(
        "On the flat network the way of sending changes nothing. On two nodes, waiting for every message (rendezvous, "
        "or a single slot) makes each step as slow as the slowest link: the ring is slower to begin with, and only "
        "behind that slowness a part of the lateness hides."
    )
    from core.figures.timeline import Lateness, lateness

    times = [k * 50 * US for k in range(17)]
    delay = {
        f"{send}, {name}": [seconds(name, LARGE, {3: t}, send) - seconds(name, LARGE, {}, send) for t in times]
        for name in NETWORKS
        for send in ("buffered", "rendezvous")
    }
    chart(lateness(Lateness("64 MB: what lateness costs [simulated]", times, delay), dark=is_dark()))


def picture(cases: list[tuple[str, int]], first: bool = False) -> None:
    """One panel for each (network, size), with rank 3 late; the `first` says how to read it."""
    from core.figures.timeline import HOW_TO_READ, Panel, timelines

    how = f"{HOW_TO_READ}. Rose: rank 3 is not there yet. " if first else ""
    small(f"{how}Dotted: the end when nobody is late.")
    panels = []
    for network, nbytes in cases:
        trace, told = run(network, nbytes, LATE)
        title = f"{'a few bytes' if nbytes == TINY else '64 MB'}, {network}"
        panels.append(Panel(title, trace, told, LATE, seconds(network, nbytes, {})))
    chart(timelines(panels, dark=is_dark()))


def run(network: str, nbytes: int, late: dict) -> tuple[Trace, Explanation]:
    return _run(network, nbytes, tuple(late.items()))


@st.cache_resource(max_entries=12, show_spinner=False)
def _run(network: str, nbytes: int, late: tuple) -> tuple[Trace, Explanation]:
    topology = NETWORKS[network][0]()
    trace = simulate(ALGORITHMS["ring"](RANKS), nbytes, topology, late=dict(late), collective=ALL_REDUCE)
    return trace, explain(trace, topology, late=dict(late))


def seconds(network: str, nbytes: int, late: dict, send: str = "buffered") -> float:
    return _seconds(network, nbytes, tuple(late.items()), send)


@st.cache_data(max_entries=512, show_spinner=False)
def _seconds(network: str, nbytes: int, late: tuple, send: str) -> float:
    topology = NETWORKS[network][0]()
    options = {"late": dict(late), "model": "ports", "collective": ALL_REDUCE, **SENDS[send]}  # no link is shared here
    return simulate(ALGORITHMS["ring"](RANKS), nbytes, topology, **options).seconds


def first_transfer(rank: int) -> int:
    """The first thing that a rank of the ring sends."""
    return int((ALGORITHMS["ring"](RANKS).src == rank).argmax())


def cost(more: float) -> str:
    """In which of three classes a delay falls."""
    late = LATE[3]
    return "nothing" if more < 0.005 * late else "all" if more > 0.995 * late else "part"


main()
