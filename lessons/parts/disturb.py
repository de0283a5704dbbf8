"""What a reader can do to a network: make a rank late or dead, a GPU slow, a link slow or cut.

Query parameters: late, lateness, slow, slower, link, left.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from core.explain import LinkLoads
from core.units import digits, show_seconds
from lessons.parts.fields import menu, slider
from lessons.parts.links import linked, whole
from lessons.parts.simulated import Setup

LATENESS = (*(a * 10**b for b in range(6) for a in (1, 2, 5)), 10**6, "never")  # us
SLOWER = (1.5, 2.0, 4.0, 8.0, 16.0)
LEFT = (0, 1, 5, 10, 25, 50, 75, 200, 400)  # per cent of the bandwidth
NOBODY = "nobody"
MOST_IN_MENU = 100  # links


def disturb(key: str, setup: Setup, world_size: int, loads: LinkLoads) -> Setup:
    """The same network with what the reader makes late, slow or cut."""
    ranks = [NOBODY, *range(world_size)]
    late, slow, degraded = (), (), ()
    rank = menu(key, "late", "Late rank", NOBODY, ranks, width=140)
    if rank != NOBODY:
        by = slider(key, "lateness", "Late by", 100, LATENESS, lambda us: us if us == "never" else _us(us))
        late = ((rank, float("inf") if by == "never" else by * 1e-6),)
    rank = menu(key, "slow", "Slow GPU", NOBODY, ranks, width=140)
    if rank != NOBODY:
        slow = ((rank, slider(key, "slower", "Times slower", 2.0, SLOWER, digits)),)
    link = _link(key, loads)
    if link is not None:
        left = slider(key, "left", "Bandwidth of this link", 50, LEFT, lambda left: f"{left} %" if left else "cut")
        degraded = ((link, left / 100),)
    return replace(setup, late=late, slow=slow, degraded=degraded)


def clicked(key: str) -> None:
    """The reader has clicked a link on the map: it becomes the one to slow or cut."""
    points = st.session_state[f"{key}.map"].selection.points
    links = [point["customdata"] for point in points if "customdata" in point]
    if links:
        link = links[0]
        st.session_state[f"{key}.link"] = int(link[0] if isinstance(link, list | tuple) else link)


def _link(key: str, loads: LinkLoads) -> int | None:
    """The link to change: any by its number in the address or by a click, the busiest ones in the menu."""
    count, state = len(loads.names), f"{key}.link"
    busiest = np.argsort(-np.nan_to_num(loads.seconds, posinf=0.0), kind="stable")[:MOST_IN_MENU].tolist()
    asked = st.session_state.get(state)
    if asked is not None and not 0 <= asked < count:
        st.session_state[state] = asked = None  # it was a link of another network
    options = [None, *busiest]

    def read(text: str) -> int:
        if not 0 <= whole(text) < count:
            raise ValueError(f"this network has links 0 to {count - 1}")
        return whole(text)

    if asked is None:
        try:
            asked = read(st.query_params.get("link", ""))
        except ValueError:
            asked = None
    options += [asked] if asked is not None and asked not in busiest else []
    return linked(
        st.selectbox,
        "Slow or cut a link",
        key=state,
        name="link",
        default=None,
        read=read,
        options=options,
        format_func=lambda link: "none" if link is None else " to ".join(loads.names[link]),
        help="Busiest first; or click a dot on the map.",
    )


def _us(microseconds: int) -> str:
    return show_seconds(microseconds * 1e-6)
