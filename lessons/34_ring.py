"""Course: Ring in depth

Cut the buffer, add on the way round, pass the sums on: why that is 2(n-1) steps, what breaks it, what it is best at.
"""

import numpy as np
import streamlit as st

from core.algorithms import ALGORITHMS
from core.chunks import chunk_bounds
from core.cost import measure, volumes
from core.grading.damage import complete_cells, first_steps, without_link
from core.grading.tasks import build_ring, fill, repair
from core.machines import MACHINES
from core.schedule import Schedule
from core.trace import lockstep
from core.units import digits
from lessons.parts.ask import Choice
from lessons.parts.basics import largest, waiting_for
from lessons.parts.chart import chart, is_dark
from lessons.parts.facts import Fact, facts, grid_of_facts
from lessons.parts.player import player
from lessons.parts.teach import Lesson, begin, explore, in_the_wild, ladder, predict, reflect, reveal, review

RING, MACHINE = ALGORITHMS["ring"], MACHINES["400 Gb InfiniBand"]
LESSON = Lesson(
    "ring",
    "Ring in depth",
    minutes=25,
    goals=("say who sends which chunk when", "derive 2(n-1) steps and 2(n-1)/n S bytes", "mend a broken ring"),
    terms={
        "chunk": "one piece of the buffer; the ring cuts it into as many as there are ranks.",
        "reduce-scatter": "the first half: each chunk collects everyone's part, and ends complete on one rank.",
        "all-gather": "the second half: complete chunks are passed on until everyone has them all.",
        "cell": "one rank's copy of one chunk; it holds a set of contributions.",
    },
    misconceptions={
        "whole-buffer": "the whole gradient travels round the ring",
        "fewest-messages": "the ring sends the fewest messages",
        "cell-is-a-number": "a cell holds a number, not a set of contributions",
    },
)


def main() -> None:
    begin(LESSON)
    review(waiting_for(), largest())
    the_idea()
    what_travels()
    how_many_steps()
    how_many_bytes()
    who_owns_what()
    dead_link()
    messages()
    your_own_ring()
    exercises()
    in_the_wild(
        f"{RING.users}. Patarasuk and Yuan showed in 2009 that without switches that add nothing sends fewer bytes. "
        "Baidu's post of February 2017 made the ring known in machine learning; Horovod and NCCL spread it. "
        "`NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,TUNING` shows NCCL's own choice. Sources: NCCL 2.30.7 "
        "`src/graph/tuning.cc`; pytorch/gloo `allreduce.cc`; Baidu Research, Bringing HPC techniques to deep learning."
    )
    reflect("ring-notes", "Explain to a colleague why the ring needs 2(n-1) steps, and is slow for tiny buffers.")


def the_idea() -> None:
    st.subheader("The idea", divider="gray")
    st.markdown(
        "Four ranks stand in a ring. Each has a buffer of S bytes, and each only ever sends to the next rank. "
        "No rank collects everything, no rank is the boss, and yet all end with the sum."
    )


def what_travels() -> None:
    carried = float(volumes(first_steps(RING(4), 1)).sent.max())  # of the buffer, in one step
    predict(
        "ring-travels",
        "choice",
        "What does rank 0 hand to rank 1 in the first step?",
        answer={1.0: "buffer", 0.25: "chunk"}[carried],
        options={
            "buffer": Choice(
                "Its whole buffer", "Then every rank would send 3 S in all: right, but twice the bytes.", "whole-buffer"
            ),
            "chunk": Choice("A quarter of its buffer", "The buffer is cut into as many chunks as there are ranks."),
            "element": Choice("One number", "That would pay the latency for every element."),
        },
    )


def how_many_steps() -> None:
    predict(
        "ring-steps",
        "number",
        "How many steps until all 4 ranks have the complete sum?",
        answer=RING(4).num_steps,
        traps={
            3: "That is the first half: every chunk is complete, but only on one rank.",
            4: "One step per rank? A chunk that visits the three others has taken three steps.",
            8: "Two full rounds? Each half is one step shorter: nobody sends to itself.",
        },
        why="A chunk needs n-1 steps to collect everyone's part and n-1 more to be passed on: 2(n-1).",
    )
    if reveal(gate="ring-steps"):
        st.markdown(
            "**1. Cut** the buffer into n chunks. **2. Add on the way**: in the reduce-scatter each chunk travels once "
            "round and grows. **3. Pass on**: in the all-gather the complete chunks travel once more."
        )
        player(lockstep(RING(4), 64 << 20, MACHINE), key="ring.player", algorithm=RING)


def how_many_bytes() -> None:
    predict(
        "ring-bytes",
        "number",
        "How many bytes does each of 4 ranks send in all, as a multiple of the buffer S?",
        answer=float(volumes(RING(4)).sent.max()),
        traps={
            0.75: "That is one of the two halves.",
            1: "Each half sends three quarters of the buffer.",
            2: "That is where it goes with many ranks, but never reaches.",
            3: "That is what whole buffers going round would cost.",
        },
        unit="S",
        why="Each step sends one chunk, S/n, and there are 2(n-1) steps: 2(n-1)/n S.",
    )
    if reveal(gate="ring-bytes"):
        ranks = (2, 4, 8, 64, 1024)
        steps, sent = zip(*((f"{RING.cost(n).steps:,.0f}", f"{RING.cost(n).traffic:.4g} S") for n in ranks))
        rows = [("steps", *steps), ("sent per rank", *sent)]
        grid_of_facts("Formula: 2(n-1) steps and 2(n-1)/n S bytes", ("ranks", *map(str, ranks)), rows)
        st.markdown("More ranks hardly cost more bytes, but every one costs two more steps.")


def owner(offset: int) -> int:
    """Rank r ends the reduce-scatter with chunk r + this, counted modulo 4."""
    half = complete_cells(first_steps(RING(4, offset=offset), 3))
    return int((np.argwhere(half)[0][1] - np.argwhere(half)[0][0]) % 4)


def who_owns_what() -> None:
    predict(
        "ring-owner",
        "choice",
        "If rank r begins by sending chunk r, which chunk is complete on rank r after the first half?",
        answer={0: "same", 1: "next", 3: "previous"}[owner(offset=0)],
        options={
            "same": Choice("Chunk r", "Its own chunk went away first, and comes back only in the second half."),
            "next": Choice("Chunk r+1", "The last chunk to arrive is the one that left the next rank first."),
            "previous": Choice("Chunk r-1", "That chunk arrives first, when only one part is in it."),
        },
    )
    if reveal(gate="ring-owner"):
        for column, offset, name in zip(st.columns(2), (0, -1), ("sends chunk r first", "sends chunk r-1 first")):
            with column:
                show_cells(first_steps(RING(4, offset=offset), 3), f"Half way, if rank r {name} [counted]")
        st.markdown("Libraries differ in this. Here a rank begins with chunk r-1, so that it owns chunk r.")


def dead_link() -> None:
    schedule = RING(4)
    broken = without_link(schedule, 2, 3)
    predict(
        "ring-dead-link",
        "number",
        "The link from rank 2 to rank 3 is dead all the time, and nobody notices. How many of the 16 cells end right?",
        answer=int(complete_cells(broken).sum()),
        traps={
            0: "Almost: one chunk gets round the first half without that link.",
            4: "One rank's worth? The other chunks lose a part before they get anywhere.",
            12: "Only rank 3 wrong? What rank 3 passes on is wrong too.",
            15: "That is what a link that fails only in the last step costs.",
        },
        why="Only the chunk that starts at rank 3 gets round without that link, and then it is stuck on rank 2.",
    )
    if reveal(gate="ring-dead-link"):
        show_cells(broken)
        last, first = (complete_cells(without_link(schedule, 2, 3, {s})) for s in (5, 0))
        facts(
            Fact("Dead all the time", f"{16 - int(complete_cells(broken).sum())} wrong cells", "counted"),
            Fact("Dead in the first step", f"{int((~first).sum())} wrong cells", "counted", "one chunk, everywhere"),
            Fact("Dead in the last step", f"{int((~last).sum())} wrong cell", "counted", "nobody is after it"),
        )


def messages() -> None:
    names = {"ring": "Ring", "halving_doubling": "Halving and doubling", "recursive_doubling": "Recursive doubling"}
    costs = {name: measure(ALGORITHMS[name](8)) for name in names}
    told = {name: f"{int(cost.messages)} messages, {digits(cost.traffic)} S sent." for name, cost in costs.items()}
    predict(
        "ring-messages",
        "choice",
        "On 8 ranks, with which algorithm does a rank send the fewest messages?",
        answer=min(costs, key=lambda name: costs[name].messages),
        options={name: Choice(names[name], told[name], "fewest-messages" * (name == "ring")) for name in names},
    )
    if reveal(gate="ring-messages"):
        st.markdown(
            "An encyclopedia says that the ring minimises messages. It minimises **bytes**, together with others; of "
            "messages it sends the most. What speaks for it: only neighbours talk, so that no link is shared."
        )


def your_own_ring() -> None:
    with explore("ring-explore", "Your own ring"):
        row = st.container(horizontal=True, vertical_alignment="bottom")
        ranks = row.number_input("Ranks", 2, 12, 4, key="ring.ranks", width=120)
        offset = row.number_input("First chunk sent, minus r", -11, 11, -1, key="ring.offset", width=190)
        elements = row.number_input("Elements", 0, 1000, 10, key="ring.elements", width=120)
        dead = row.selectbox(
            "Dead link", ["none", *(f"{r} to {(r + 1) % ranks}" for r in range(ranks))], key="ring.dead", width=150
        )
        schedule = RING(ranks, offset=offset)
        if dead != "none":
            schedule = without_link(schedule, int(dead.split()[0]), int(dead.split()[2]))
        right = complete_cells(schedule)
        sizes = np.diff(chunk_bounds(elements, ranks)).tolist()
        facts(
            Fact("Wrong cells", f"{int((~right).sum())} of {right.size}", "counted"),
            Fact("Elements per chunk", ", ".join(map(str, sizes)), "counted", "empty chunks are legal"),
        )
        show_cells(schedule)


def exercises() -> None:
    st.subheader("Write it", divider="gray")
    st.markdown(
        "`2: 0->1:c3+; 1->2:c0=` means: in step 2 rank 0 sends chunk 3 to rank 1, which adds it (`+`), and rank 1 "
        "sends chunk 0 to rank 2, which overwrites (`=`). The proof reads what you write; there is no key to match."
    )
    ladder(
        "ring-exercise",
        {
            "Fill a step": lambda seed: fill(RING(4), seed),
            "Repair a ring": lambda seed: repair(RING(4), seed),
            "Build one": lambda _: build_ring(3),
        },
        start="Repair a ring",
    )


def show_cells(schedule: Schedule, title: str = "Contributions inside every cell at the end [counted]") -> None:
    from core.figures.grid import final

    chart(final(schedule, dark=is_dark(), title=title), own_colours=True)


main()
