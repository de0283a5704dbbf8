"""The reader's own straggler: any algorithm, network and lateness, with the lanes and what decides the end."""

from __future__ import annotations

import streamlit as st

from core.collective import ALL_REDUCE
from core.explain import explain
from core.network import BadTopology, Stuck, simulate
from core.schedule import Schedule
from core.shapes import SHAPES, make
from core.topologies import PRESETS, Topology
from core.units import digits, show_seconds
from lessons.parts.built import build as build_schedule
from lessons.parts.chart import chart, is_dark
from lessons.parts.facts import Fact, facts, small
from lessons.parts.links import linked, one_of, plain, size_field, whole
from lessons.parts.picker import pick_algorithm

US = 1e-6
SENDS = {  # name in menus -> settings of `simulate`
    "buffered": {"send": "buffered"},
    "buffered, 8 slots": {"send": "buffered", "slots": 8},
    "buffered, 1 slot": {"send": "buffered", "slots": 1},
    "rendezvous": {"send": "rendezvous"},
}


def own_straggler() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        algorithm, world_size, options = pick_algorithm("straggler", ranks=32, max_ranks=256, collective=ALL_REDUCE)
        nbytes = size_field("straggler.size", "16 MiB", width=105)
        names = [*SHAPES, *PRESETS]
        name = linked(
            st.selectbox, "Network", key="straggler.network", name="network", default="Fat tree, two levels",
            read=one_of(names), options=names, width=260,
        )  # fmt: skip
        send = linked(
            st.selectbox, "Sends", key="straggler.send", name="send", default="buffered", read=one_of(SENDS),
            options=list(SENDS), width=175,
        )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="bottom"):
        number = {"widget": st.number_input, "read": whole, "step": 1, "min_value": 0, "width": 130}
        rank = linked(label="Late rank", key="straggler.rank", name="late_rank", default=5, max_value=1023, **number)
        late = linked(label="Late by, us", key="straggler.by", name="late_by", default=300, max_value=10**7, **number)
        never = st.toggle("It never comes", key="straggler.never")
    schedule = build_schedule(algorithm, world_size, options).schedule
    by = float("inf") if never else late * US
    try:
        show_own(schedule, nbytes, make(name, world_size), {rank: by}, SENDS[send])
    except Stuck as stuck:
        st.error(plain(str(stuck)))
    except BadTopology as problem:
        st.error(plain(str(problem)))


def show_own(schedule: Schedule, nbytes: int, network: Topology, late: dict, settings: dict) -> None:
    from core.figures.timeline import HOW_TO_READ, Panel, refuse, timelines

    before = simulate(schedule, nbytes, network, **settings)
    trace = simulate(schedule, nbytes, network, late=late, **settings)
    told = explain(trace, network, late=late)
    decides = sorted(told.shares.items(), key=lambda share: -share[1])[:3]
    facts(
        Fact("On time", show_seconds(before.seconds), "simulated", before.about["model"]),
        Fact("Late", show_seconds(trace.seconds), "simulated", trace.about["model"]),
        Fact("Cost", show_more(trace.seconds - before.seconds), "simulated"),
        *(Fact(f"Chain: {name}", f"{digits(100 * share)} %", "simulated") for name, share in decides if share > 0.0005),
    )
    for note in dict.fromkeys(filter(None, (trace.about.get("note"), trace.about.get("switches")))):
        small(f"{note[0].upper()}{note[1:]}.")
    if network.source:
        small(f"{network.name}: {network.source}.")
    if problem := refuse(trace):
        st.info(f"{problem[0].upper()}{problem[1:]}.")
        return
    small(f"{HOW_TO_READ}. Dotted: the end when nobody is late.")
    panel = Panel(f"{schedule.name} on {network.name}", trace, told, late, before.seconds)
    chart(timelines([panel], dark=is_dark()), own_colours=False)


def show_more(more: float) -> str:
    return "nothing" if more < 1e-9 else f"+{show_seconds(more)}"
