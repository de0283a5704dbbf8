"""The cables of a network, coloured by how much they carry. A click on a cable's dot tells which link it is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from core.explain import LinkLoads
from core.figures.theme import DARK, LIGHT
from core.topologies.layout import positions
from core.topology import Topology
from core.units import show_bytes, show_rate, show_seconds

MOST_LINKS = 1200
HEAT = ("unused", "up to a quarter of the busiest", "up to half", "up to three quarters", "the busiest")
HOW_TO_READ = (
    "Every line is one direction of a cable; the two directions bow apart. The darker and thicker, the longer it is "
    "busy. Choose a dot to slow or cut that link"
)


def refuse(topology: Topology) -> str:
    """Why this network cannot be drawn readably, or ""."""
    if topology.num_links > MOST_LINKS:
        return f"{topology.num_links} links are too many to read: this picture takes up to {MOST_LINKS}"
    return ""


def wiring(topology: Topology, loads: LinkLoads, cut: Sequence[int] = (), dark: bool = False) -> go.Figure:
    """The figure; customdata of a chosen point is [link number]. A text alternative stands in layout.meta["alt"]."""
    ink, place = DARK if dark else LIGHT, positions(topology)
    start, end = place[topology.src], place[topology.dst]
    along = end - start
    middle = (start + end) / 2 + 0.06 * np.stack([-along[:, 1], along[:, 0]], axis=1)  # bowed to the left of its way
    figure = go.Figure()
    shades = (ink["faint"], *ink["amount"])
    group = np.where(loads.heat > 0, 1 + np.minimum((loads.heat * 4 - 1e-9).astype(int), 3), 0)
    group[loads.nbytes == 0] = 0
    for level, name in enumerate(HEAT):
        mine = np.flatnonzero((group == level) & ~np.isin(np.arange(len(group)), list(cut)))
        _lines(figure, start, middle, end, mine, {"color": shades[level], "width": 1 + 0.8 * level}, name)
    gone = np.array(sorted(cut), int)
    _lines(figure, start, middle, end, gone, {"color": ink["fault"], "width": 3, "dash": "dot"}, "cut")
    _dots(figure, topology, loads, middle, ink)
    _vertices(figure, topology, place, ink)
    figure.update_xaxes(visible=False, range=[-1.15, 1.15])
    figure.update_yaxes(visible=False, range=[-1.15, 1.15], scaleanchor="x")
    figure.update_layout(
        height=460,
        margin={"t": 8, "b": 8, "l": 8, "r": 8},
        legend={"orientation": "h", "y": -0.02},
        meta={"alt": describe(topology, loads)},
    )
    return figure


def describe(topology: Topology, loads: LinkLoads) -> str:
    """The busiest links in words."""
    busiest = [int(link) for link in np.argsort(-loads.seconds, kind="stable")[:3] if loads.nbytes[link] > 0]
    told = "; ".join(f"{' to '.join(loads.names[link])} {show_bytes(loads.nbytes[link])}" for link in busiest)
    return f"{topology.name}: {topology.num_links} links. The busiest: {told or 'none'} [counted]."


def _lines(figure, start, middle, end, links, line, name) -> None:
    gap = np.full((len(links), 2), np.nan)
    points = np.stack([start[links], middle[links], end[links], gap], axis=1).reshape(-1, 2)
    figure.add_scatter(x=points[:, 0], y=points[:, 1], mode="lines", line=line, name=name, hoverinfo="skip")


def _dots(figure, topology, loads, middle, ink) -> None:
    said = [
        f"{a} to {b}<br>{kind}, {show_rate(float(bandwidth))}<br>"
        f"carries {show_bytes(float(nbytes))}, at least {show_seconds(float(seconds)) if seconds < 1e9 else 'for ever'}"
        for (a, b), kind, bandwidth, nbytes, seconds in zip(
            loads.names, topology.kind, topology.bandwidth, loads.nbytes, loads.seconds
        )
    ]
    figure.add_scatter(
        x=middle[:, 0],
        y=middle[:, 1],
        mode="markers",
        marker={"size": 7, "color": ink["line"], "opacity": 0.55},
        customdata=np.arange(topology.num_links)[:, None],
        text=said,
        hovertemplate="%{text}<extra></extra>",
        name="links",
        showlegend=False,
    )


def _vertices(figure, topology, place, ink) -> None:
    ranks = topology.world_size
    for mine, colour, symbol, name in (
        (slice(0, ranks), ink["ink"], "circle", "hosts"),
        (slice(ranks, None), ink["switch"], "square", "switches"),
    ):
        figure.add_scatter(
            x=place[mine, 0],
            y=place[mine, 1],
            mode="markers",
            marker={"size": 10, "color": colour, "symbol": symbol},
            text=topology.names[mine],
            hovertemplate="%{text}<extra></extra>",
            name=name,
            showlegend=False,
        )
