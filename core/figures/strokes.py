"""The strokes of a map: links by class, a band under each by how busy it is, boxes around nodes and pods."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from core.figures.wiring import POD, called_node, classes
from core.topologies.nests import around, nests
from core.topology import Topology

STROKES = (7, "solid"), (5, "9px,5px"), (3.5, "3px,4px"), (2.5, "12px,4px,2px,4px")  # as in static/player/links.js
SLIM = 0.55  # a map has a line for each direction
BANDS, PALE = (3, 6, 9, 13), 0.4  # pixels, from little to very busy; opacity
MOST_BOXES = 64
MARGIN = 0.09  # how far a box stands out, as a share of the whole map


def draw_classes(figure: go.Figure, topology: Topology, links: np.ndarray, lines: np.ndarray, ink: dict) -> None:
    """A stroke for each class of links: the faster, the wider, and the less broken."""
    of, words = classes(topology)
    thin = SLIM * (0.6 if len(links) > 300 else 1.0)
    for nth, text in enumerate(words):
        mine = lines[of[links] == nth]
        if len(mine):
            width, dash = STROKES[nth]
            line = {"color": ink["line"], "width": width * thin, "dash": dash}
            _lines(figure, mine, line, text, f"class {nth}")


def draw_band(figure: go.Figure, lines: np.ndarray, level: int, text: str, ink: dict, few: bool) -> None:
    """A pale stroke under links that are equally busy, wider for a higher level (0 to 3)."""
    if len(lines):
        line = {"color": ink["switch"], "width": BANDS[level] if few else BANDS[level] / 2}
        _lines(figure, lines, line, text, text, opacity=PALE)


def draw_cut(figure: go.Figure, lines: np.ndarray, text: str, ink: dict) -> None:
    if len(lines):
        _lines(figure, lines, {"color": ink["fault"], "width": 3, "dash": "dot"}, text, text)


def draw_boxes(figure: go.Figure, topology: Topology, spots: np.ndarray, ink: dict) -> None:
    """A shape around the seats of each node, and a dotted one around those of each pod of several nodes."""
    pod = around(topology.node_of, nests(topology))
    reach = MARGIN * float(np.ptp(spots, axis=0).max(initial=0.0) or 1.0)
    for group, name, far in ((pod, POD, 1.0), (topology.node_of, called_node(topology), 0.6)):
        if group is None or not 1 < len(np.unique(group)) < min(topology.world_size, MOST_BOXES + 1):
            continue
        shapes = [_hull(spots[: topology.world_size][group == g], reach * far) for g in np.unique(group)]
        x, y = np.concatenate([np.vstack([hull, hull[:1], [[np.nan, np.nan]]]) for hull in shapes]).T
        line = {"color": ink["faint"], "width": 1.4}
        if name == POD:
            line |= {"color": ink["muted"], "dash": "4px,3px"}
        figure.add_scatter(
            x=x,
            y=y,
            mode="lines",
            fill="none" if name == POD else "toself",
            fillcolor=ink["surface"],
            line=line,
            name=name,
            legendgroup=name,
            hoverinfo="skip",
        )


def _lines(figure: go.Figure, lines: np.ndarray, line: dict, text: str, group: str, **more) -> None:
    """Many lines as one trace, float [num_lines, num_points, 2]."""
    gaps = np.full((len(lines), 1, 2), np.nan)
    x, y = np.concatenate([lines, gaps], axis=1).reshape(-1, 2).T
    figure.add_scatter(x=x, y=y, mode="lines", line=line, name=text, legendgroup=group, hoverinfo="skip", **more)


def _hull(points: np.ndarray, reach: float) -> np.ndarray:
    """The outline of everything within `reach` of some points: their convex hull with round corners; float [k, 2]."""
    turn = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    around_each = points[:, None] + reach * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    cloud = np.unique(around_each.reshape(-1, 2), axis=0)  # sorted from left to right
    return np.array([*_half(cloud), *_half(cloud[::-1])])


def _half(points: np.ndarray) -> list[np.ndarray]:
    """Along one side, always turning left (Andrew's monotone chain); without the last point."""
    side: list[np.ndarray] = []
    for point in points:
        while len(side) > 1 and _turns_right(side[-2], side[-1], point):
            side.pop()
        side.append(point)
    return side[:-1]


def _turns_right(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) <= 0
