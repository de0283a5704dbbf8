"""Which algorithm wins where: a map of sizes and ranks. Colour and letter both say the winner."""

from __future__ import annotations

from string import ascii_uppercase

import numpy as np
import plotly.graph_objects as go

from core.figures.curves import HUES
from core.figures.theme import DARK, LIGHT
from core.regions import Winners
from core.units import digits, show_bytes, show_seconds

TIE = 1.02  # closer than this, nobody wins by much
HOW_TO_READ = (
    "Each cell: the fastest of those drawn for this size and number of ranks. ≈: the next one needs less than 2 % more"
)


def regions(found: Winners, title: str, dark: bool = False) -> go.Figure:
    """The figure, with a text alternative in layout.meta["alt"]."""
    ink, rows, columns = DARK if dark else LIGHT, len(found.ranks), len(found.sizes)
    winner, lead = found.best.T, margins(found).T  # [num_ranks, num_sizes]
    steps = max(len(found.names) - 1, 1)
    colours = [[i / steps, HUES[i % len(HUES)]] for i in range(len(found.names))]
    figure = go.Figure()
    figure.add_heatmap(
        z=np.where(winner >= 0, winner, np.nan),
        x=np.arange(columns),
        y=np.arange(rows),
        zmin=0,
        zmax=steps,
        colorscale=colours if len(colours) > 1 else [[0, HUES[0]], [1, HUES[0]]],
        showscale=False,
        xgap=1,
        ygap=1,
        text=[[_cell(w, m) for w, m in zip(*row)] for row in zip(winner, lead)],
        texttemplate="%{text}",
        textfont={"color": ink["on_packet"] if dark else "#ffffff", "size": 13},
        customdata=[[_words(found, c, r) for c in range(columns)] for r in range(rows)],
        hovertemplate="%{customdata}<extra></extra>",
    )
    for i, name in enumerate(found.names):
        marker = {"color": HUES[i % len(HUES)], "symbol": "square", "size": 12}
        figure.add_scatter(x=[None], y=[None], mode="markers", marker=marker, name=f"{ascii_uppercase[i]}  {name}")
    figure.update_layout(
        title=title,
        height=140 + 34 * max(rows, 4),
        margin={"t": 48, "b": 40, "l": 64, "r": 16},
        legend={"orientation": "h", "y": -0.32, "yanchor": "top", "itemclick": False, "itemdoubleclick": False},
        meta={"alt": describe(found, title)},
        xaxis=_axis("size of the buffer", [show_bytes(float(size)) for size in found.sizes]),
        yaxis=_axis("ranks", [str(n) for n in found.ranks]),
    )
    return figure


def margins(found: Winners) -> np.ndarray:
    """The second fastest over the fastest, float64 [num_sizes, num_ranks]; infinity without a second."""
    times = np.sort(np.where(np.isfinite(found.seconds), found.seconds, np.inf), axis=0)
    if len(times) < 2:
        return np.full(times.shape[1:], np.inf)
    with np.errstate(invalid="ignore", divide="ignore"):
        lead = times[1] / times[0]
    return np.where(np.isfinite(times[0]), np.where(times[0] > 0, lead, 1.0), np.inf)


def describe(found: Winners, title: str) -> str:
    """The map in words: the winner at the corners, and how often each wins."""
    known = found.best[found.best >= 0]
    if not len(known):
        return f"{title}. Nothing has been raced yet."
    shares = np.bincount(known, minlength=len(found.names)) / len(known)
    won = ", ".join(f"{name} in {digits(100 * share)} % of the cells" for name, share in zip(found.names, shares))
    raced = np.flatnonzero((found.best >= 0).any(axis=0))
    corners = [_words(found, size, ranks) for ranks in raced[[0, -1]] for size in (0, len(found.sizes) - 1)]
    return f"{title}. Winners: {won}. {' '.join(f'{corner}.' for corner in dict.fromkeys(corners))}"


def _cell(winner: int, lead: float) -> str:
    return "" if winner < 0 else ascii_uppercase[winner] + ("≈" if lead < TIE else "")


def _words(found: Winners, size: int, ranks: int) -> str:
    where = f"{show_bytes(float(found.sizes[size]))} on {found.ranks[ranks]} ranks"
    seconds = found.seconds[:, size, ranks]
    order = [i for i in np.argsort(seconds, kind="stable") if np.isfinite(seconds[i])]
    if not order:
        return f"{where}: nobody"
    return f"{where}: " + ", ".join(f"{found.names[i]} {show_seconds(float(seconds[i]))}" for i in order[:3])


def _axis(title: str, labels: list[str]) -> dict:
    return {
        "title": title,
        "tickvals": list(range(len(labels))),
        "ticktext": labels,
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }
