"""A network as it was found: ranks on a circle, what joins them in the middle, wider lines for more bandwidth."""

from __future__ import annotations

import math
from itertools import groupby

import numpy as np
import plotly.graph_objects as go

from core.figures.theme import DARK, LIGHT
from core.topology import Topology
from core.units import show_rate, show_seconds

MOST = 64  # ranks that can still be told apart
THIN, THICK = 1.0, 8.0  # pixels of the slowest and of the fastest link
BOW = 0.06  # how far the two directions of a cable bend away from each other


def wiring(topology: Topology, dark: bool = False) -> go.Figure:
    """The figure, with a text alternative in layout.meta["alt"]."""
    ink, places, figure = DARK if dark else LIGHT, _places(topology), go.Figure()
    widths = _widths(topology.bandwidth)
    for link in range(topology.num_links):
        x, y = _bow(places[topology.src[link]], places[topology.dst[link]])
        colour = ink["switch"] if topology.kind[link] == "backplane" else ink["line"]
        words = _words(topology, link)
        line = {"color": colour, "width": widths[link]}
        figure.add_scatter(x=x, y=y, mode="lines", line=line, opacity=0.75, text=[words] * len(x), hoverinfo="text")
    ranks = np.arange(topology.num_vertices) < topology.world_size
    for mine, fill, edge in ((ranks, ink["amount"][0], ink["ink"]), (~ranks, ink["surface"], ink["switch"])):
        marker = {"size": 30, "color": fill, "line": {"color": edge, "width": 2}, "symbol": "square"}
        text = [topology.names[v] for v in np.flatnonzero(mine)]
        x, y = places[mine].T
        above = y > -0.01 if mine is ranks else np.arange(len(text)) % 2  # outside the circle, or by turns
        place = ["top center" if up else "bottom center" for up in above]
        figure.add_scatter(
            x=x, y=y, mode="markers+text", marker=marker, text=text, textposition=place, hoverinfo="text"
        )
    figure.update_layout(
        title=topology.name,
        showlegend=False,
        height=380,
        margin={"t": 48, "b": 32, "l": 16, "r": 16},
        meta={"alt": describe(topology)},
        xaxis={"visible": False, "range": [-1.5, 1.5]},
        yaxis={"visible": False, "range": [-1.35, 1.35], "scaleanchor": "x"},
    )
    return figure


def describe(topology: Topology) -> str:
    """The figure in words: one sentence for every kind of link."""
    sentences = [f"{topology.name}: {topology.world_size} ranks, {topology.num_links} links in one direction each."]
    links = sorted(range(topology.num_links), key=lambda link: topology.kind[link])
    for kind, mine in groupby(links, key=lambda link: topology.kind[link]):
        mine = list(mine)
        low, high = topology.bandwidth[mine].min(), topology.bandwidth[mine].max()
        rate = show_rate(high) if math.isclose(low, high) else f"{show_rate(low)} to {show_rate(high)}"
        sentences.append(f"{len(mine)} x {kind}: {rate}, {show_seconds(float(topology.latency[mine].max()))} at most.")
    return " ".join(sentences)


def _places(topology: Topology) -> np.ndarray:
    """float [num_vertices, 2]: ranks on a circle from the top, everything else side by side in the middle."""
    ranks, others = topology.world_size, topology.num_vertices - topology.world_size
    angle = math.pi / 2 - 2 * math.pi * np.arange(ranks) / ranks
    inner = (np.arange(others) - (others - 1) / 2) * 0.5
    outer = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return np.concatenate([outer, np.stack([inner, np.zeros(others)], axis=1)])


def _widths(bandwidth: np.ndarray) -> np.ndarray:
    """Pixels, by the logarithm of the bandwidth: what is all the same is drawn thin."""
    size = np.log2(bandwidth)
    span = np.ptp(size) if len(size) else 0.0
    return THIN + (THICK - THIN) * (size - size.min(initial=np.inf)) / span if span > 0.05 else np.full(len(size), 2.0)


def _bow(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A slightly bent line from a to b, always to its left, so that the way back runs beside it."""
    along = np.linspace(0, 1, 9)[:, None]
    aside = np.array([a[1] - b[1], b[0] - a[0]]) * BOW
    return tuple((a + (b - a) * along + aside * 4 * along * (1 - along)).T)


def _words(topology: Topology, link: int) -> str:
    ends = f"{topology.label(topology.src[link])} to {topology.label(topology.dst[link])}"
    rate, delay = show_rate(float(topology.bandwidth[link])), show_seconds(float(topology.latency[link]))
    return f"{ends}: {topology.kind[link]}, {rate}, {delay}"
