"""Several sweeps in one figure: a colour and a dash for each sweep, a marker for each algorithm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap

import numpy as np
import plotly.graph_objects as go

from core.figures.curves import DASHES, HUES, SYMBOLS
from core.figures.theme import DARK, LIGHT
from core.units import show_bytes, show_rate, show_seconds

MOST_SWEEPS, MOST_LABELS = len(HUES), len(SYMBOLS)  # more could not be told apart
LINE = 44  # characters of the legend that a telephone shows
AXES = {"time": "time", "algbw": "algorithm bandwidth", "busbw": "bus bandwidth"}
BETTER = {"time": "Lower is faster", "algbw": "Higher is faster", "busbw": "Higher is faster"}
HOW_TO_READ = "A colour and a dash belong to one sweep, a marker to one algorithm. Both axes are logarithmic."


@dataclass(frozen=True)
class Sweeps:
    """What to draw. Names of sweeps are short; NaN where nothing was measured."""

    quantity: str  # a key of AXES: seconds, or bytes per second
    sizes: Sequence[int]  # bytes
    values: dict[str, dict[str, Sequence[float]]]  # {name of a sweep: {label: one value for each size}}
    names: dict[str, str]  # {name of a sweep: what the legend says of it}

    @property
    def labels(self) -> list[str]:
        return list(dict.fromkeys(label for curves in self.values.values() for label in curves))


def overlay(data: Sweeps, dark: bool = False) -> go.Figure:
    """The figure, with a text alternative in layout.meta["alt"]. At most MOST_SWEEPS sweeps and MOST_LABELS labels."""
    ink, figure = DARK if dark else LIGHT, go.Figure()
    symbols = dict(zip(data.labels, SYMBOLS))
    for colour, dash, (name, curves) in zip(HUES, DASHES, data.values.items()):
        line = {"color": colour, "dash": dash, "width": 2}
        for label, values in curves.items():
            figure.add_scatter(**_curve(data, values, f"{name} {escape(label, quote=False)}", line, symbols[label]))
            figure.data[-1].update(legendgroup=name, showlegend=False)
        told = "<br>".join(escape(part, quote=False) for part in wrap(f"{name}: {data.names[name]}", LINE))
        figure.add_scatter(x=[None], y=[None], name=told, mode="lines", line=line, legendgroup=name)
    for label, symbol in symbols.items():
        marker = {"symbol": symbol, "color": ink["ink"], "size": 9}
        figure.add_scatter(x=[None], y=[None], name=escape(label, quote=False), mode="markers", marker=marker)
    figure.update_layout(
        title=f"{AXES[data.quantity].capitalize()} against size",
        margin={"t": 48, "b": 40, "l": 72, "r": 16},
        height=420 + 34 * len(data.values) + 20 * len(symbols),
        meta={"alt": describe(data)},
        legend={"orientation": "v", "x": 0, "y": -0.2, "yanchor": "top"},
        xaxis=_x_axis(data.sizes),
        yaxis={"type": "log", "title": AXES[data.quantity], **_ticks(data.quantity)},
    )
    return figure


def _curve(data: Sweeps, values: Sequence[float], name: str, line: dict, symbol: str) -> dict:
    show = _shown(data.quantity)
    return {
        "x": list(data.sizes),
        "y": [value if value > 0 else math.nan for value in values],  # a bandwidth of one rank is 0: no place here
        "name": name,
        "mode": "lines+markers",
        "connectgaps": True,
        "line": line,
        "marker": {"symbol": symbol, "size": 9},
        "text": [f"{show_bytes(size)}: {show(value)}" if value > 0 else "" for size, value in zip(data.sizes, values)],
        "hovertemplate": "%{text}<br>%{fullData.name}<extra></extra>",
    }


def describe(data: Sweeps) -> str:
    """The figure in words, from the same numbers: every curve at its smallest and its largest size."""
    show, sentences = _shown(data.quantity), [f"{AXES[data.quantity].capitalize()}. {HOW_TO_READ}"]
    for name, curves in data.values.items():
        parts = []
        for label, values in curves.items():
            known = [place for place, value in enumerate(values) if np.isfinite(value)]
            ends = sorted({known[0], known[-1]}) if known else []
            told = " and ".join(f"{show(values[place])} at {show_bytes(data.sizes[place])}" for place in ends)
            parts.append(f"{label} {told or 'not measured'}")
        sentences.append(f"{name}, {data.names[name]}: {', '.join(parts)}.")
    return " ".join(sentences)


def _shown(quantity: str):
    return show_seconds if quantity == "time" else show_rate


def _x_axis(sizes: Sequence[int]) -> dict:
    ticks = [2**k for k in range(0, 51, 5) if min(sizes) <= 2**k <= max(sizes)]
    ticks = ticks if len(ticks) > 1 else list(sizes)
    return {"type": "log", "title": "size of the buffer", "tickvals": ticks, "ticktext": [show_bytes(t) for t in ticks]}


def _ticks(quantity: str) -> dict:
    ticks = [10.0**k for k in range(-10, 16)]
    return {"tickvals": ticks, "ticktext": [_shown(quantity)(tick) for tick in ticks]}
