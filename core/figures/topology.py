"""A map of a network: ranks, switches, nodes and pods; links by class, and under each how long it is busy.

Every link has a dot half way along it, which carries the link's number (customdata) and can be clicked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import plotly.graph_objects as go

from core.figures.layout import places
from core.figures.strokes import draw_band, draw_boxes, draw_classes, draw_cut
from core.figures.theme import DARK, LIGHT
from core.topology import Topology
from core.units import digits, show_bytes, show_rate, show_seconds

MOST_LINKS, MOST_DOTS, MOST_NUMBERS = 800, 200, 64  # links drawn, dots on them, ranks with their number written
BUSY = (0.0, 0.25, 0.5, 0.9)  # shares of the time at which the colour changes
WORDS = ("unused", "busy up to 25 % of the time", "busy 25 to 50 %", "busy 50 to 90 %", "busy over 90 %")
CUT = "cut"
HOW_TO_READ = (
    "A grey stroke is a link; the faster its class, the wider and the less broken. The band under it says how long it "
    "is busy: wider for longer. Each cable has two links, one for each direction"
)


@dataclass(frozen=True, eq=False)
class Load:
    """What the map shows of a run; one entry for each link of the topology."""

    topology: Topology
    seats: np.ndarray  # int64 [world_size], where each rank sits
    nbytes: np.ndarray  # float64 [num_links], carried in all
    share: np.ndarray  # float64 [num_links], of the time in which it is full; not finite where it is cut
    left: Mapping[int, float] = field(default_factory=dict)  # {link: share of its bandwidth} where it was changed
    marked: Mapping[int, str] = field(default_factory=dict)  # {rank: what is the matter with it}
    chosen: int | None = None  # a link

    @cached_property
    def sits(self) -> dict[int, int]:
        """{seat: rank}"""
        return {int(seat): rank for rank, seat in enumerate(self.seats)}


def network_map(load: Load, title: str, dark: bool = False) -> go.Figure:
    """The figure, with a text alternative in layout.meta["alt"]."""
    ink, spots, figure = DARK if dark else LIGHT, places(load.topology), go.Figure()
    drawn = drawn_links(load)
    lines, dotted = _curves(spots, load.topology, drawn), np.isin(drawn, drawn_links(load, MOST_DOTS))
    class_of = _classes(load)
    draw_boxes(figure, load.topology, spots, ink)
    for level, text in enumerate(WORDS[1:]):
        draw_band(figure, lines[class_of[drawn] == level + 1], level, text, ink, few=len(drawn) <= 300)
    cut = class_of[drawn] == len(WORDS)
    draw_classes(figure, load.topology, drawn[~cut], lines[~cut], ink)
    draw_cut(figure, lines[cut], CUT, ink)
    _draw_dots(figure, load, drawn[dotted], lines[dotted], class_of, ink)
    _draw_switches(figure, load, spots, ink)
    _draw_ranks(figure, load, spots, ink)
    figure.update_layout(
        title={"text": title, "font": {"size": 14}},
        font={"color": ink["ink"]},
        paper_bgcolor=ink["background"],
        plot_bgcolor=ink["background"],
        height=470,
        margin={"t": 36, "b": 8, "l": 8, "r": 8},
        legend={"orientation": "h", "y": 0, "yanchor": "top", "itemclick": False, "itemdoubleclick": False},
        xaxis={"visible": False, "fixedrange": True},
        yaxis={"visible": False, "fixedrange": True, "scaleanchor": "x"},
        hovermode="closest",
        dragmode=False,
        meta={"alt": describe(load)},
    )
    return figure


def drawn_links(load: Load, most: int | None = None) -> np.ndarray:
    """The links on the map: all, or the busiest of very many, and those that were changed; int64."""
    busiest = np.argsort(-np.nan_to_num(load.share, posinf=np.inf), kind="stable")[: most or MOST_LINKS]
    extra = [link for link in (*load.left, load.chosen) if link is not None]
    return np.unique(np.append(busiest, extra).astype(int))


def describe(load: Load) -> str:
    """The map in words."""
    topology, share = load.topology, load.share
    used = share > 0
    kinds = ", ".join(f"{topology.kind.count(kind)} {kind}" for kind in dict.fromkeys(topology.kind))
    words = [f"{topology.name}: {len(load.seats)} ranks, {topology.num_links} links in one direction each ({kinds})."]
    if used.any():
        top = int(np.argmax(np.where(np.isfinite(share), share, -1.0)))
        words.append(f"{int(used.sum())} carry something; the busiest is {told(load, top)}.")
    words += [f"{told(load, link)}." for link in load.left]
    words += [f"Rank {rank}: {what}." for rank, what in load.marked.items()]
    if topology.reduces:
        able = len(topology.reduces)
        words.append(f"{able} switch{'es' * (able > 1)} can add.")
    for most, what in ((MOST_LINKS, "are drawn"), (MOST_DOTS, "have a dot to click")):
        if topology.num_links > len(drawn_links(load, most)):
            words.append(f"Only the {most} busiest links {what}.")
    return " ".join(words)


def name(load: Load, link: int) -> str:
    """What a link joins: rank 3 to leaf 0."""
    return " to ".join(_called(load, int(v)) for v in (load.topology.src[link], load.topology.dst[link]))


def told(load: Load, link: int) -> str:
    """Everything about one link, in one line."""
    topology, left = load.topology, load.left.get(link, 1.0)
    rate = "cut" if left == 0 else show_rate(float(topology.bandwidth[link]) * left)
    changed = "" if left == 1 else f" ({digits(100 * left)} % left)" if left else ""
    busy = load.share[link]
    full = f", busy {digits(100 * busy)} % of the time" if np.isfinite(busy) else ""
    delay = show_seconds(float(topology.latency[link]))
    carries = f"carries {show_bytes(float(load.nbytes[link]))}{full}" if load.nbytes[link] else "unused"
    return f"{name(load, link)}: {topology.kind[link]}, {rate}{changed}, {delay}, {carries}"


def _called(load: Load, vertex: int) -> str:
    return f"rank {load.sits[vertex]}" if vertex in load.sits else load.topology.names[vertex]


def _classes(load: Load) -> np.ndarray:
    """For each link its place in WORDS, or len(WORDS) if it is cut; int64 [num_links]."""
    found = np.searchsorted(BUSY, np.nan_to_num(load.share, posinf=1.0), side="left")
    found[[link for link, left in load.left.items() if left == 0]] = len(WORDS)
    return found


def _colour(i: int, ink: dict) -> str:
    return (ink["faint"], *ink["amount"][1:], ink["ink"], ink["fault"])[i]


def _curves(spots: np.ndarray, topology: Topology, links: np.ndarray) -> np.ndarray:
    """Slightly bent lines, always to the left of their direction; float [num_drawn, num_points, 2]."""
    a, b = spots[topology.src[links]], spots[topology.dst[links]]
    along = np.linspace(0, 1, 9 if len(links) <= 300 else 5)[:, None]
    length = np.linalg.norm(b - a, axis=1)
    usual = np.median(length) if len(length) else 1.0
    bow = np.where(length > 1.9 * usual, 0.14, 0.05)  # long ones leave room for what lies between
    aside = np.stack([a[:, 1] - b[:, 1], b[:, 0] - a[:, 0]], axis=1) * bow[:, None]
    return a[:, None] + (b - a)[:, None] * along + aside[:, None] * 4 * along * (1 - along)


def _draw_dots(figure, load: Load, links: np.ndarray, lines: np.ndarray, class_of: np.ndarray, ink: dict) -> None:
    """What can be clicked: one dot half way along each link; a trace for each colour, a single entry in the legend."""
    middle = lines[:, lines.shape[1] // 2].reshape(-1, 2)
    chosen = links == (-1 if load.chosen is None else load.chosen)
    look = {"marker": {"opacity": 1}}
    for nth, i in enumerate(np.unique(class_of[links])):
        mine = class_of[links] == i
        figure.add_scatter(
            x=middle[mine, 0],
            y=middle[mine, 1],
            mode="markers",
            marker={
                "size": np.where(chosen[mine], 14, 6 if len(links) > 100 else 9),
                "color": _colour(i, ink),
                "line": {"color": ink["ink"], "width": np.where(chosen[mine], 3, 0.5)},
            },
            customdata=links[mine],
            text=[told(load, int(link)) + "<br>Click to slow it or to cut it" for link in links[mine]],
            hoverinfo="text",
            name="click a dot to slow or cut a link",
            legendgroup="dots",
            showlegend=nth == 0,
            selected=look,
            unselected=look,
        )


def _draw_switches(figure: go.Figure, load: Load, spots: np.ndarray, ink: dict) -> None:
    topology = load.topology
    switches = np.arange(topology.world_size, topology.num_vertices)
    adds = np.isin(switches, topology.reduces)
    for mine, label, symbol in ((~adds, "switch", "circle"), (adds, "switch that can add (SHARP)", "star-diamond")):
        if mine.any():
            x, y = spots[switches[mine]].T
            figure.add_scatter(
                x=x,
                y=y,
                mode="markers",
                marker={
                    "symbol": symbol,
                    "size": 15 if len(switches) <= 64 else 8,
                    "color": ink["switch"] if symbol != "circle" else ink["surface"],
                    "line": {"color": ink["switch"], "width": 2},
                },
                text=[topology.names[v] for v in switches[mine]],
                hoverinfo="text",
                name=label,
            )


def _draw_ranks(figure: go.Figure, load: Load, spots: np.ndarray, ink: dict) -> None:
    ranks, few = np.arange(len(load.seats)), len(load.seats) <= MOST_NUMBERS
    empty = np.setdiff1d(np.arange(load.topology.world_size), load.seats)
    odd = np.isin(ranks, list(load.marked))
    matter = {str(rank): f": {what}" for rank, what in load.marked.items()}
    size = 22 if len(ranks) <= 32 else 16 if few else 7
    groups = (
        (empty, "seat without a rank", [""] * len(empty), ink["background"], ink["line"]),
        (load.seats[~odd], "rank", [str(r) for r in ranks[~odd]], ink["amount"][0], ink["ink"]),
        (load.seats[odd], "rank late, dead or slow", [str(r) for r in ranks[odd]], ink["surface"], ink["fault"]),
    )
    for seats, label, numbers, fill, edge in groups:
        if not len(seats):
            continue
        x, y = spots[seats].T
        words = [f"{_called(load, int(seat))}{matter.get(number, '')}" for seat, number in zip(seats, numbers)]
        figure.add_scatter(
            x=x,
            y=y,
            mode="markers+text" if few else "markers",
            marker={"symbol": "square", "size": size, "color": fill, "line": {"color": edge, "width": 2}},
            text=numbers,
            textfont={"size": 11 if len(ranks) <= 32 else 9, "color": ink["ink"]},
            hovertext=words,
            hoverinfo="text",
            name=label,
        )
