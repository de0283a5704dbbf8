"""A compact control for the network: which one, who sits where, how messages are sent, what is late, slow or cut.

Query parameters: net, net_<number of that network>, placement, seed, seats, model, send, slots, starts, pace; and
late, lateness, slow, slower, link, left for what is the matter with it.
"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.machines import Machine
from core.shapes import SHAPES, Knob, knobs
from core.topologies import PLACEMENTS, PRESETS
from core.topology import BadTopology
from lessons.parts.fields import menu, number, within, yes
from lessons.parts.links import folded, linked, one_of, plain, whole
from lessons.parts.simulated import AS_FORMULA, Setup

NONE = "none, formula only"
GIVEN = "given"
MODELS = {
    "ports": "ports only, never blocks",
    "links": "link loads",
    "flow": "fair sharing, by events",
}
SENDS = {"buffered": "buffered", "bounded": "buffered, a few slots", "rendezvous": "rendezvous"}
STARTS = {"network": "as the network says", "together": "together", "in_turn": "one after another"}
PACES = ("asynchronous", "lock-step")
MINE = ("placement", "seed", "seats", "model", "send", "slots", "starts", "pace")
DISTURBANCES = ("late", "lateness", "slow", "slower", "link", "left")  # see lessons.parts.disturb
HELP = {
    "net": "The clock of the page: the formula, or a simulation of this network.",
    "placement": "Natural: neighbours share a node. Round robin: dealt out like cards. Shuffled: at random, by seed.",
    "model": "Link loads: the bytes of a step are spread over each link. Fair sharing: every message gets its share "
    "of the links at any moment, which is exact and slower. Ports only: a network that never blocks.",
    "send": "Buffered: the sender goes on at once. A few slots: it may run ahead only so far (NCCL has 8). "
    "Rendezvous: both ends wait until a message has arrived.",
    "starts": "Do the latencies of a rank's messages in one step overlap, or do they follow each other?",
    "pace": "Asynchronous: everybody goes on as soon as possible. Lock-step: a barrier after each step.",
}


def choose_network(key: str, machine: Machine, *, starts: str = "network") -> Setup | None:
    """The network and the pace of its clock, in the current row; None for the formula alone, or if it is refused."""
    try:
        setup = pick_network(key, machine, starts=starts)
    except BadTopology as problem:
        refused(problem)
        return None
    return None if setup is None else pick_pace(key, setup)


def in_the_address() -> dict[str, str]:
    """The query parameters of the network, to take it to another page."""
    return {name: text for name, text in st.query_params.items() if name in ("net", *MINE) or name.startswith("net_")}


def refused(problem: BadTopology) -> None:
    """Say why there is no such network."""
    st.error(plain(f"Network: {problem}. The times shown are those of the formula."))


def pick_network(key: str, machine: Machine, *, starts: str = "network") -> Setup | None:
    """The network chosen in a popover, without anything late or slow; None for the formula alone.

    Raises BadTopology with a sentence for a list of seats that cannot be read.
    """
    popover = st.popover("Network", key=f"{key}.network", on_change="rerun")
    if not popover.open and not _chosen(key):
        _forget_old(key, NONE)
        return None  # nobody sees what would be in it
    with popover, folded():
        name = menu(key, "net", "Network", NONE, [NONE, AS_FORMULA, *SHAPES, *PRESETS], width=320, help=HELP["net"])
        _forget_old(key, name)
        if name == NONE:
            st.markdown("Now the clock is the **formula**: a barrier after every step, no link is shared.")
            return None
        return _details(key, name, machine, starts)


def _details(key: str, name: str, machine: Machine, starts: str) -> Setup:
    """The network's own numbers, who sits where in it, and how messages are sent."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        values = tuple(_knob(f"{key}.{name}", knob) for knob in knobs(name))
    changed = tuple((k.name, v) for k, v in zip(knobs(name), values) if v != k.default)
    if name in PRESETS:
        st.caption(f"Source: {PRESETS[name].source}.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        placement, seed = _placement(key)
        send, slots = _send(key)
        model = menu(
            key, "model", "Sharing", "links", list(MODELS), format_func=MODELS.get, width=220, help=HELP["model"]
        )
        first = menu(
            key,
            "starts",
            "Messages start",
            starts,
            list(STARTS),
            format_func=STARTS.get,
            width=180,
            help=HELP["starts"],
        )
    return Setup(
        name,
        changed,
        machine if name == AS_FORMULA else None,
        placement=placement,
        seed=seed,
        model=model,
        send=send,
        slots=slots,
        multiport={"network": None, "together": True, "in_turn": False}[first],
    )


def _chosen(key: str) -> bool:
    """Does the address or the menu, as it last was, name a network?"""
    return "net" in st.query_params or st.session_state.get(f"{key}.net", NONE) != NONE


def pick_pace(key: str, setup: Setup) -> Setup:
    """The switch between asynchronous and lock-step."""
    pace = linked(
        st.segmented_control,
        "Clock",
        key=f"{key}.pace",
        name="pace",
        default=PACES[0],
        read=one_of(PACES),
        options=PACES,
        required=True,
        help=HELP["pace"],
    )
    return replace(setup, model="lockstep") if pace == PACES[1] else setup


def _placement(key: str) -> tuple[str | tuple[int, ...], int]:
    names = [*PLACEMENTS, GIVEN]
    words = {name: name.replace("_", " ") for name in names}
    how = menu(
        key, "placement", "Placement", "natural", names, format_func=words.get, width=140, help=HELP["placement"]
    )
    if how == "shuffled":
        return how, number(key, "seed", "Seed", 0, 0, 10**6)
    if how != GIVEN:
        return how, 0
    text = linked(
        st.text_input,
        "Seats",
        key=f"{key}.seats",
        name="seats",
        default="",
        help="The seat of rank 0, of rank 1 ...: 0 2 1 3.",
        width=200,
    )
    return _seats(text), 0


def _seats(text: str) -> tuple[int, ...]:
    words = text.replace(",", " ").split()
    if not words:
        raise BadTopology("give the seat of every rank, as in 0 2 1 3")
    if not all(word.isascii() and word.isdigit() and len(word) < 10 for word in words):
        raise BadTopology("seats are whole numbers, as in 0 2 1 3")
    return tuple(map(int, words))


def _send(key: str) -> tuple[str, int | None]:
    send = menu(key, "send", "Sends", "buffered", list(SENDS), format_func=SENDS.get, width=190, help=HELP["send"])
    if send == "bounded":
        return "buffered", number(key, "slots", "Slots", 8, 1, 1024)
    return send, None


def _knob(key: str, knob: Knob) -> float | bool:
    where = {"key": f"{key}.{knob.name}", "name": f"net_{knob.name}", "default": knob.default}
    help = knob.help or None
    if isinstance(knob.default, bool):
        return linked(st.toggle, knob.label, read=yes, help=help, **where)
    kind = int if knob.scale is None else float
    limits = {"min_value": kind(knob.low), "max_value": kind(knob.high), "step": kind(1)}
    read = within(whole if kind is int else float, knob.low, knob.high)
    return linked(st.number_input, knob.label, read=read, help=help, width=165, **limits, **where)


def _forget_old(key: str, name: str) -> None:
    """What stands in the address about another network says nothing about this one."""
    last, state = f"{key}.network before", st.session_state
    changed = state.get(last, name) != name
    keep = () if changed or name == NONE else [f"net_{knob.name}" for knob in knobs(name)]
    gone = [q for q in st.query_params if q.startswith("net_") and q not in keep]
    if changed:
        gone += ["link"]
        state.pop(f"{key}.link", None)
    if name == NONE:
        gone += [*MINE, *DISTURBANCES, *["clock"] * changed]
    elif state.get(last, NONE) == NONE:
        st.query_params["clock"] = "time"  # times are what a network is about; the reader may turn it off again
    for query in gone:
        st.query_params.pop(query, None)
    state[last] = name
