"""A trace as one Plotly figure with frames: a hand-out that plays in any browser, without a server.

Left, who sends what to whom; right, how many contributions each rank's copy of each chunk holds. The page's player
does the same for a thousand ranks; frames hold every picture, so they are for few ranks.
"""

from __future__ import annotations

from html import escape

import numpy as np
import plotly.graph_objects as go

from core.collective import ALL_REDUCE, Collective
from core.figures.grid import cells, finished
from core.figures.narrate import sentences
from core.figures.theme import DARK, LIGHT
from core.replay import apply
from core.schedule import REDUCE, Schedule, Step
from core.trace import Trace
from core.units import show_seconds
from core.verify import initial_counts

MAX_VERTICES, MAX_STEPS, MAX_CELLS = 40, 200, 100_000
MAX_RANKS = 16
FLIGHT = (0.2, 0.5, 0.8)  # where on its way a packet is seen
FRAME_MS = 250


def refuse(trace: Trace) -> str:
    """Why this trace cannot be drawn as frames, or ""."""
    schedule = trace.schedule
    if schedule.world_size > MAX_RANKS or schedule.num_vertices > MAX_VERTICES:
        return f"{schedule.world_size} ranks: the hand-out shows up to {MAX_RANKS}, the player on the page shows more"
    drawn = schedule.num_steps * schedule.num_vertices * schedule.num_slots
    if schedule.num_steps > MAX_STEPS or drawn > MAX_CELLS:
        return (
            f"{schedule.num_steps:,} steps of {schedule.num_vertices * schedule.num_slots:,} cells: "
            f"too many pictures for one file; choose fewer ranks or segments"
        )
    return ""


def frames(trace: Trace, collective: Collective = ALL_REDUCE, dark: bool = False) -> go.Figure:
    """The animated figure, paused at the start. Raises ValueError where refuse() has a reason."""
    if problem := refuse(trace):
        raise ValueError(problem)
    ink, schedule = DARK if dark else LIGHT, trace.schedule
    place = layout(schedule)
    held, complete = initial_counts(schedule, collective), finished(schedule, collective)

    def buffers() -> dict:
        return {**cells(held, complete, ink), "xaxis": "x2", "yaxis": "y2"}

    told = list(sentences(schedule, collective))
    pictures = [_frame("0", _nothing(), buffers(), f"Start. {told[0]}")]
    for s, step in enumerate(schedule):
        for share in FLIGHT:
            flying = _packets(step, schedule.num_chunks, place, share, ink)
            pictures.append(_frame(f"{s + share:g}", flying, None, told[s]))
        apply(step, held)
        clock = f" [{trace.origin}, {show_seconds(_end(trace, s))}]"
        pictures.append(_frame(f"{s + 1}", _nothing(), buffers(), told[s] + clock))
    pictures[-1]["layout"]["title"]["text"] = _wrapped(f"{told[-1]} [{trace.origin}, {show_seconds(trace.seconds)}]")
    figure = go.Figure([_wires(schedule, place, ink), _vertices(schedule, place, ink), *pictures[0]["data"]])
    figure.frames = [go.Frame(picture) for picture in pictures]
    figure.update_layout(_layout(trace, pictures, ink))
    return figure


def html(trace: Trace, collective: Collective = ALL_REDUCE) -> str:
    """One file that plays offline: plotly.js stands in it, nothing is fetched."""
    figure = frames(trace, collective)
    config = {"displayModeBar": False, "responsive": True}
    page = figure.to_html(include_plotlyjs=True, include_mathjax=False, auto_play=False, config=config)
    title = escape(f"{trace.schedule.name}, {trace.schedule.world_size} ranks")
    return page.replace("<head>", f"<head><title>{title}</title>", 1).replace("<html>", '<html lang="en">', 1)


def layout(schedule: Schedule) -> np.ndarray:
    """float64 [num_vertices, 2]: ranks clockwise on a circle; with switches, a tree over a row of ranks."""
    ranks, vertices = schedule.world_size, schedule.num_vertices
    if vertices == ranks:
        angle = 2 * np.pi * np.arange(ranks) / ranks
        return np.stack([np.sin(angle), np.cos(angle)], axis=1)
    place = np.zeros((vertices, 2))
    place[:ranks, 0] = np.linspace(-1.2, 1.2, ranks) if ranks > 1 else 0
    for switch in range(ranks, vertices):  # numbered from the leaves up, so its children have their places already
        children = place[np.unique(schedule.src[(schedule.dst == switch) & (schedule.src < switch)])]
        place[switch] = children[:, 0].mean(), children[:, 1].max() + 1 if len(children) else 1
    place[:, 1] = 2 * place[:, 1] / place[:, 1].max() - 1
    return place


def _frame(name: str, packets: dict, buffers: dict | None, text: str) -> dict:
    """A picture: the packets always, the cells where they changed."""
    data, traces = ([packets], [2]) if buffers is None else ([packets, buffers], [2, 3])
    return {"name": name, "data": data, "traces": traces, "layout": {"title": {"text": _wrapped(text)}}}


def _packets(step: Step, chunks: int, place: np.ndarray, share: float, ink: dict) -> dict:
    at = place[step.src] + share * (place[step.dst] - place[step.src])
    adds = step.op == REDUCE
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": at[:, 0].tolist(),
        "y": at[:, 1].tolist(),
        "text": [f"{'+' if add else '='}{_label(step, i, chunks)}" for i, add in enumerate(adds.tolist())],
        "textfont": {"color": ink["on_packet"], "size": 11},
        "marker": {
            "symbol": ["square" if add else "circle" for add in adds.tolist()],
            "size": 26 if len(at) <= 12 else 22,
            "color": [ink["reduce_text"] if add else ink["copy_text"] for add in adds.tolist()],
        },
    }


def _label(step: Step, i: int, chunks: int) -> str:
    """Which chunks transfer i carries, and what they become where that differs; s stands for scratch."""
    chunk, count = int(step.chunk[i]), int(step.count[i])
    into = chunk if step.into is None else int(step.into[i])
    sent, becomes = _slots(chunk, count, chunks), _slots(into, count, chunks)
    return sent if sent == becomes else f"{sent}→{becomes}"


def _slots(first: int, count: int, chunks: int) -> str:
    scratch, first = ("s", first - chunks) if first >= chunks else ("", first)
    return f"{scratch}{first}" if count == 1 else f"{scratch}{first}–{first + count - 1}"


def _nothing() -> dict:
    return {"type": "scatter", "mode": "markers+text", "x": [], "y": [], "text": []}


def _wires(schedule, place: np.ndarray, ink: dict) -> dict:
    """Every pair that ever talks, as one broken line."""
    pairs = np.unique(np.sort(np.stack([schedule.src, schedule.dst], axis=1), axis=1), axis=0)
    gap = np.full((len(pairs), 1, 2), np.nan)
    path = np.concatenate([place[pairs], gap], axis=1).reshape(-1, 2)
    xy = [[None if np.isnan(v) else v for v in column] for column in path.T.tolist()]
    return {"type": "scatter", "mode": "lines", "x": xy[0], "y": xy[1], "line": {"color": ink["faint"], "width": 2}}


def _vertices(schedule, place: np.ndarray, ink: dict) -> dict:
    ranks, vertices = schedule.world_size, schedule.num_vertices
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": place[:, 0].tolist(),
        "y": place[:, 1].tolist(),
        "text": [_name(v, ranks) for v in range(vertices)],
        "textfont": {"color": ink["ink"], "size": 14},
        "marker": {
            "size": 40 if vertices <= 12 else 30,
            "color": ink["surface"],
            "symbol": ["circle"] * ranks + ["diamond"] * (vertices - ranks),
            "line": {"color": [ink["line"]] * ranks + [ink["switch"]] * (vertices - ranks), "width": 2},
        },
    }


def _name(vertex: int, ranks: int) -> str:
    return str(vertex) if vertex < ranks else f"s{vertex - ranks}"


def _end(trace: Trace, s: int) -> float:
    rows = slice(trace.schedule.step_ptr[s], trace.schedule.step_ptr[s + 1])
    return float(trace.end[: rows.stop].max(initial=0.0))


def _wrapped(text: str, width: int = 110) -> str:
    words, lines = text.split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "<br>".join(lines)


def _layout(trace: Trace, pictures: list[dict], ink: dict) -> dict:
    ranks, vertices = trace.schedule.world_size, trace.schedule.num_vertices
    places, names = list(range(vertices)), [_name(v, ranks) for v in range(vertices)]
    still = {"mode": "immediate", "frame": {"duration": 0, "redraw": True}, "transition": {"duration": 0}}
    play = {"fromcurrent": True, "frame": {"duration": FRAME_MS, "redraw": True}, "transition": {"duration": 0}}
    stops = [p["name"] for p in pictures if float(p["name"]).is_integer()]
    steps = [{"label": name, "method": "animate", "args": [[name], still]} for name in stops]
    buttons = [
        {"label": "Play", "method": "animate", "args": [None, play]},
        {"label": "Pause", "method": "animate", "args": [[None], still]},
    ]
    hidden = {"visible": False, "range": [-1.3, 1.3]}
    return {
        "title": {"text": pictures[0]["layout"]["title"]["text"], "font": {"size": 14}, "x": 0.02, "xanchor": "left"},
        "xaxis": {**hidden, "domain": [0, 0.5]},
        "yaxis": {**hidden, "scaleanchor": "x"},
        "xaxis2": {"domain": [0.58, 1], "title": "chunk (number: contributions inside)", "dtick": 1},
        "yaxis2": {"anchor": "x2", "title": "rank", "tickvals": places, "ticktext": names, "autorange": "reversed"},
        "showlegend": False,
        "updatemenus": [
            {"type": "buttons", "direction": "left", "x": 0, "y": -0.05, "yanchor": "top", "buttons": buttons}
        ],
        "sliders": [{"steps": steps, "x": 0.16, "len": 0.84, "y": 0, "currentvalue": {"prefix": "after step "}}],
        "paper_bgcolor": ink["background"],
        "plot_bgcolor": ink["background"],
        "font": {"color": ink["ink"]},
        "margin": {"t": 110, "b": 80},
    }
