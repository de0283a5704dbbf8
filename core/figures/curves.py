"""Time against size, or against ranks, on logarithmic axes, with what no algorithm can reach shaded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

import numpy as np
import plotly.graph_objects as go

from core.figures.theme import DARK, LIGHT
from core.units import show_bytes, show_seconds

HUES = ("#BA5548", "#219AA5", "#A9900D", "#434BF5", "#9E80E9")  # 3:1 on white and on black, apart for every eye
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x")
LOWER = "Lower is faster. Both axes are logarithmic: one grid line up is ten times slower"
HOW_TO_READ = f"{LOWER}. Nothing can be inside the shaded area"
NOT_MODELLED = (
    "Not in these curves: waiting for late ranks, links that several messages share, and overlap between steps."
)


@dataclass(frozen=True)
class Curves:
    """What to draw: seconds for each place on the x axis; NaN where an algorithm refuses."""

    title: str
    places: Sequence[float]  # bytes or ranks
    unit: str  # "bytes" or "ranks"
    seconds: dict[str, Sequence[float]]  # {name: one for each place}
    bound: Sequence[float]  # one for each place, what cannot be beaten
    here: float | None = None  # the place chosen on the page


def curves(data: Curves, dark: bool = False) -> go.Figure:
    """The figure, with a text alternative in layout.meta["alt"]."""
    ink = DARK if dark else LIGHT
    data = replace(data, bound=np.asarray(data.bound), seconds={k: np.asarray(s) for k, s in data.seconds.items()})
    bottom = _bottom(data)
    figure = go.Figure()
    if data.bound.any():
        figure.add_scatter(x=data.places, y=[bottom] * len(data.places), mode="lines", line_width=0, **_QUIET)
        figure.add_scatter(
            x=data.places,
            y=np.maximum(data.bound, bottom),
            name="impossible",
            mode="lines",
            fill="tonexty",
            fillcolor="rgba(127,138,163,0.25)",
            line={"color": ink["line"], "width": 1},
            hoverinfo="skip",
        )
    for i, (name, seconds) in enumerate(data.seconds.items()):
        figure.add_scatter(x=data.places, y=seconds, name=escape(name, False), **_style(i, data.unit, seconds))
    if data.here is not None:
        here = {"color": ink["ink"], "width": 1, "dash": "dot"}
        figure.add_scatter(x=[data.here] * 2, y=[bottom, _top(data)], name="you are here", mode="lines", line=here)
    figure.update_layout(
        title=data.title,
        legend={"orientation": "h", "y": -0.22},
        margin={"t": 48, "b": 40, "l": 64, "r": 16},
        height=430,
        meta={"alt": describe(data)},
        xaxis=_x_axis(data),
        yaxis={
            "type": "log",
            "title": "time",
            "range": [np.log10(bottom), np.log10(_top(data) * 1.5)],
            **_time_ticks(),
        },
    )
    return figure


def sizes(here: float = 0) -> list[float]:
    """Powers of two from 8 bytes to 4 GiB, or further if `here` is further."""
    return [2.0**k for k in range(3, max(33, math.ceil(math.log2(max(here, 1))) + 1))]


def describe(data: Curves) -> str:
    """The figure in words, from the same numbers."""
    bounded = bool(np.any(data.bound))
    sentences = [f"{data.title}. {HOW_TO_READ if bounded else LOWER}."]
    for place in (0, len(data.places) - 1):
        known = {name: s[place] for name, s in data.seconds.items() if np.isfinite(s[place])}
        if known:
            listed = ", ".join(
                f"{name} {show_seconds(float(s))}" for name, s in sorted(known.items(), key=lambda x: x[1])
            )
            bound = f"; bound {show_seconds(float(data.bound[place]))}" * bounded
            sentences.append(f"At {_place(data, data.places[place])}: {listed}{bound}.")
    return " ".join(sentences)


_QUIET = {"showlegend": False, "hoverinfo": "skip"}


def _style(i: int, unit: str, seconds: np.ndarray) -> dict:
    return {
        "mode": "lines+markers",
        "line": {"color": HUES[i % 5], "dash": DASHES[(i + i // 5) % 5], "width": 2},
        "marker": {"symbol": SYMBOLS[(i + 2 * (i // 5)) % 5], "size": 6},
        "text": [show_seconds(float(s)) if np.isfinite(s) else "" for s in seconds],
        "hovertemplate": "%{fullData.name}, "
        + ("%{x} ranks" if unit == "ranks" else "%{x:.3s}B")
        + ": %{text}<extra></extra>",
    }


def _place(data: Curves, place: float) -> str:
    return show_bytes(place) if data.unit == "bytes" else f"{place:g} ranks"


def _bottom(data: Curves) -> float:
    """Half of the smallest time that is not zero: logarithmic axes have no zero."""
    times = np.concatenate([data.bound, *data.seconds.values()])
    times = times[np.isfinite(times) & (times > 0)]
    return float(times.min()) / 2 if len(times) else 1e-9


def _top(data: Curves) -> float:
    times = np.concatenate([data.bound, *data.seconds.values()])
    return float(np.nanmax(times, initial=1e-8))


def _x_axis(data: Curves) -> dict:
    if data.unit == "ranks":
        ticks = [2**k for k in range(21) if data.places[0] <= 2**k <= data.places[-1]]
        return {"type": "log", "title": "ranks", "tickvals": ticks, "ticktext": [str(t) for t in ticks]}
    ticks = [2**k for k in range(0, 51, 5) if data.places[0] <= 2**k <= data.places[-1]]
    return {"type": "log", "title": "size of the buffer", "tickvals": ticks, "ticktext": [show_bytes(t) for t in ticks]}


def _time_ticks() -> dict:
    ticks = [10.0**k for k in range(-10, 8)]
    return {"tickvals": ticks, "ticktext": [show_seconds(t) if t <= 1 else f"{t:,.0f} s" for t in ticks]}
