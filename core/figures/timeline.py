"""Who sends when: a lane for each rank, gaps where it waits, and the chain of messages that decides the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.explain import Explanation
from core.figures.curves import DASHES, HUES, SYMBOLS
from core.figures.theme import DARK, LIGHT
from core.schedule import REDUCE
from core.trace import Trace
from core.units import digits, show_seconds

MOST_RANKS, MOST_TRANSFERS = 64, 12_000
HOW_TO_READ = (
    "A lane for each rank, time to the right. A bar is a message leaving its sender: orange will be added, blue is a "
    "finished chunk; where messages are too short for bars, thin lines show them under way. Gaps are waiting. The dark "
    "line is the chain of messages that decides the end"
)


@dataclass(frozen=True)
class Panel:
    """One simulated run to draw."""

    title: str
    trace: Trace
    told: Explanation
    late: Mapping[int, float] = field(default_factory=dict)  # {rank: seconds}
    on_time: float | None = None  # seconds when nobody is late

    @property
    def moral(self) -> str:
        """What the lateness costs, in a few words."""
        if self.on_time is None:
            return show_seconds(self.trace.seconds)
        more = self.trace.seconds - self.on_time
        cost = "nothing" if more < 1e-9 * self.trace.seconds else f"+{show_seconds(more)}"
        return f"{show_seconds(self.on_time)} on time, {show_seconds(self.trace.seconds)} now: {cost}"


def refuse(trace: Trace) -> str:
    """Why these lanes would not be readable, or ""."""
    schedule = trace.schedule
    if schedule.world_size > MOST_RANKS:
        return f"{schedule.world_size} lanes are too many to read: this picture takes up to {MOST_RANKS} ranks"
    if schedule.num_transfers > MOST_TRANSFERS:
        return f"{schedule.num_transfers} transfers are too many to read: this picture takes up to {MOST_TRANSFERS}"
    return ""


def timelines(panels: Sequence[Panel], dark: bool = False) -> go.Figure:
    """The panels below each other, each on its own clock, with a text alternative in layout.meta["alt"]."""
    ink = DARK if dark else LIGHT
    titles = [f"{panel.title}: {panel.moral}" for panel in panels]
    tall = [max(4, panel.trace.schedule.world_size) for panel in panels]
    heights = [t / sum(tall) for t in tall]
    pixels = sum(13 * t for t in tall) + 70 * len(panels)
    figure = make_subplots(len(panels), 1, subplot_titles=titles, row_heights=heights, vertical_spacing=48 / pixels)
    for row, panel in enumerate(panels, 1):
        _draw(figure, row, panel, ink)
    figure.update_layout(
        height=pixels + 60,
        margin={"t": 30, "b": 40, "l": 56, "r": 16},
        legend={"orientation": "h", "y": -60 / pixels},
        meta={"alt": f"{HOW_TO_READ}. " + " ".join(f"{title}." for title in titles)},
    )
    figure.update_annotations(font={"size": 13, "color": ink["ink"]}, x=0, xanchor="left")
    figure.update_xaxes(title="microseconds [simulated]", row=len(panels))
    return figure


def _draw(figure: go.Figure, row: int, panel: Panel, ink: dict) -> None:
    schedule, trace, place = panel.trace.schedule, panel.trace, {"row": row, "col": 1}
    ranks, shown = schedule.world_size, row == 1
    from_rank = schedule.src < ranks
    for name, op in (("reduce", True), ("copy", False)):
        mine = from_rank & ((schedule.op == REDUCE) == op)
        legend = "sends what will be added" if op else "sends finished chunks"
        line = {"color": ink[name], "width": 6}
        _segments(figure, trace.start[mine], panel.told.gone[mine], schedule.src[mine], legend, line, shown, place)
        if _mostly_latency(panel):  # then there are no bars to see, but ways
            way = {"color": ink[name], "width": 1}
            ends = trace.start[mine], trace.end[mine], schedule.src[mine], schedule.dst[mine]
            _ways(figure, *ends, way, place)
    if panel.late:
        late = np.array(list(panel.late.items()), float)
        line = {"color": ink["fault"], "width": 6}
        _segments(figure, 0 * late[:, 1], late[:, 1], late[:, 0], "not there yet", line, shown, place)
    x, y = _chain(panel)
    line = {"color": ink["ink"], "width": 2}
    figure.add_scatter(x=x, y=y, mode="lines", line=line, name="decides the end", showlegend=shown, **_QUIET, **place)
    for seconds, dash in ((panel.on_time, "dot"), (trace.seconds, "solid")):
        if seconds is not None:
            figure.add_vline(seconds * 1e6, line={"color": ink["muted"], "width": 1, "dash": dash}, **place)
    figure.update_yaxes(range=[ranks - 0.5, -0.5], dtick=max(1, ranks // 8), title="rank", showgrid=False, **place)
    figure.update_xaxes(range=[0, trace.seconds * 1.02e6 or 1], **place)


_QUIET = {"hoverinfo": "skip"}


def _segments(figure, begin, until, lane, name, line, shown, place) -> None:
    """Bars from `begin` to `until` (seconds) on their lanes, as one broken line; hairlines where nothing takes time."""
    until = np.maximum(until, begin + 1e-9)
    x = np.stack([begin * 1e6, until * 1e6, np.full(len(begin), np.nan)], axis=1).ravel()
    y = np.repeat(np.asarray(lane, float), 3)
    figure.add_scatter(x=x, y=y, mode="lines", line=line, name=name, showlegend=shown, **_QUIET, **place)


def _mostly_latency(panel: Panel) -> bool:
    start = panel.trace.start
    return bool((panel.told.gone - start).sum() < 0.1 * (panel.trace.end - start).sum())


def _ways(figure, begin, until, src, dst, line, place) -> None:
    """Thin lines from a message's start on its sender's lane to its end on its receiver's."""
    gap = np.full(len(begin), np.nan)
    x, y = np.stack([begin * 1e6, until * 1e6, gap], axis=1), np.stack([src, dst, gap], axis=1)
    figure.add_scatter(
        x=x.ravel(), y=y.ravel(), mode="lines", line=line, opacity=0.6, showlegend=False, **_QUIET, **place
    )


def _chain(panel: Panel) -> tuple[list[float], list[float]]:
    """The critical path from lane to lane; switches have none, so the line bridges them."""
    x, y = [], []
    for part in panel.told.path:
        for time, vertex in ((part.start, part.src), (part.until, part.dst)):
            if vertex < panel.trace.schedule.world_size:
                x.append(time * 1e6)
                y.append(vertex)
    return x, y


@dataclass(frozen=True)
class Lateness:
    """What lateness costs: seconds of delay of the whole, for each lateness of one rank."""

    title: str
    late: Sequence[float]  # seconds
    delay: dict[str, Sequence[float]]  # {way of sending: seconds, one for each lateness}


def lateness(data: Lateness, dark: bool = False) -> go.Figure:
    """Delay against lateness; on the dotted diagonal every microsecond is paid in full."""
    ink, late = DARK if dark else LIGHT, np.asarray(data.late) * 1e6
    figure = go.Figure()
    paid = {"color": ink["line"], "dash": "dot", "width": 1}
    figure.add_scatter(x=late, y=late, mode="lines", name="paid in full", line=paid, hoverinfo="skip")
    for i, (name, seconds) in enumerate(data.delay.items()):
        figure.add_scatter(
            x=late,
            y=np.asarray(seconds) * 1e6,
            name=name,
            mode="lines+markers",
            line={"color": HUES[i % 5], "dash": DASHES[i % 5], "width": 2},
            marker={"symbol": SYMBOLS[i % 5], "size": 6},
            hovertemplate="%{fullData.name}: %{x:.4g} us late costs %{y:.4g} us<extra></extra>",
        )
    figure.update_layout(
        title=data.title,
        height=380,
        margin={"t": 48, "b": 40, "l": 64, "r": 16},
        legend={"orientation": "h", "y": -0.22},
        xaxis={"title": "one rank is late by, microseconds"},
        yaxis={"title": "the end is later by, microseconds", "rangemode": "tozero"},
        meta={"alt": _told(data)},
    )
    return figure


def _told(data: Lateness) -> str:
    ends = [f"{name} {digits(seconds[-1] * 1e6)} us" for name, seconds in data.delay.items()]
    return f"{data.title}. A rank late by {digits(data.late[-1] * 1e6)} us delays the end by: {', '.join(ends)}."
