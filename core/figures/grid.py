"""How many contributions every rank's copy of every chunk holds: one picture, or all steps side by side."""

from __future__ import annotations

import math

import numpy as np
import plotly.graph_objects as go

from core.collective import ALL_REDUCE, Collective
from core.figures.theme import DARK, LIGHT
from core.replay import replay
from core.schedule import Schedule
from core.verify import initial_counts

MAX_RANKS, MAX_PICTURES, MAX_CELLS = 16, 64, 20_000
ROW_CELLS = 48  # cells in one row of a film strip: a number of 12 pixels fits into each
HOW_TO_READ = "Rows are ranks, columns are chunks; the number says how many contributions are inside"


def finished(schedule: Schedule, collective: Collective) -> np.ndarray:
    """bool [num_slots, world_size]: the inputs that a complete chunk holds, each once; a scratch buffer has none."""
    return initial_counts(schedule, collective).any(axis=0)


def cells(held: np.ndarray, complete: np.ndarray, ink: dict) -> dict:
    """A Plotly heatmap of counts held[vertex, slot, origin]; complete cells stand out, wrong numbers can be read."""
    world_size = held.shape[2]
    amount, done = held.sum(axis=2), (held == complete).all(axis=2) & complete.any(axis=1)
    shade = np.where(done, world_size, np.minimum(amount, max(world_size - 1, 0)))
    ramp = [ink["empty"], *ink["amount"]]
    scale = [[0.998 * i / (len(ramp) - 1), colour] for i, colour in enumerate(ramp)]
    return {
        "type": "heatmap",
        "z": shade.tolist(),
        "zmin": 0,
        "zmax": world_size,
        "text": [[str(count) for count in row] for row in amount.tolist()],
        "texttemplate": "%{text}",
        "colorscale": [*scale, [0.999, ink["done"]], [1, ink["done"]]],
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
    }


def refuse(schedule: Schedule) -> str:
    """Why there is no film strip of this schedule, or ""."""
    pictures, each = schedule.num_steps + 1, schedule.num_vertices * schedule.num_slots
    if schedule.world_size > MAX_RANKS or pictures > MAX_PICTURES or pictures * each > MAX_CELLS:
        return (
            f"{pictures:,} pictures of {each:,} cells: a film strip shows up to {MAX_RANKS} ranks, {MAX_PICTURES} "
            f"pictures and {MAX_CELLS:,} cells. Choose fewer ranks; the player above shows them all."
        )
    return ""


def filmstrip(schedule: Schedule, collective: Collective = ALL_REDUCE, dark: bool = False) -> go.Figure:
    """All steps side by side, from the start to the end. Raises ValueError where refuse() has a reason."""
    if problem := refuse(schedule):
        raise ValueError(problem)
    ink, labels = DARK if dark else LIGHT, ["start", *(f"after step {s + 1}" for s in range(schedule.num_steps))]
    across = min(8, max(2, ROW_CELLS // schedule.num_slots), len(labels))
    down = math.ceil(len(labels) / across)
    figure, complete = go.Figure(), finished(schedule, collective)
    for i, (label, held) in enumerate(zip(labels, replay(schedule, initial_counts(schedule, collective)))):
        _place(figure, i, across, down, label, cells(held, complete, ink))
    height = (18 * schedule.num_vertices + 40) * down + 40
    figure.update_layout(showlegend=False, height=height, margin={"t": 30, "b": 10, "l": 10, "r": 10}, **_dress(ink))
    figure.layout.meta = {"alt": describe(schedule, collective)}
    return figure


def describe(schedule: Schedule, collective: Collective = ALL_REDUCE) -> str:
    """The film strip in words: complete cells after each step."""
    complete, states = finished(schedule, collective), replay(schedule, initial_counts(schedule, collective))
    done = [int(((held == complete).all(axis=2) & complete.any(axis=1)).sum()) for held in states]
    cells_in_all = schedule.num_vertices * schedule.num_slots
    return f"{HOW_TO_READ}. Complete cells, of {cells_in_all}: {', '.join(map(str, done))}."


def final(
    schedule: Schedule,
    collective: Collective = ALL_REDUCE,
    dark: bool = False,
    title: str = "Contributions inside every cell at the end [counted]",
) -> go.Figure:
    """One picture of the end."""
    held = initial_counts(schedule, collective)
    for _ in replay(schedule, held):  # updates held
        pass
    ink, names = DARK if dark else LIGHT, _names(schedule)
    figure = go.Figure([cells(held, finished(schedule, collective), ink)])
    figure.update_layout(
        title={"text": title, "font": {"size": 14}},
        xaxis={"title": "chunk", "dtick": 1, "showgrid": False, "zeroline": False},
        yaxis={**_rows(names), "title": "rank", "showgrid": False, "zeroline": False},
        height=90 + 34 * len(names),
        margin={"t": 40, "b": 40, "l": 50, "r": 10},
        meta={"alt": f"{HOW_TO_READ}: {held.sum(axis=2).tolist()}"},
        **_dress(ink),
    )
    return figure


def _rows(names: list[str]) -> dict:
    return {"autorange": "reversed", "tickvals": list(range(len(names))), "ticktext": names}


def _dress(ink: dict) -> dict:
    """The page shines through; words have its colour."""
    clear = "rgba(0,0,0,0)"
    return {"paper_bgcolor": clear, "plot_bgcolor": clear, "font": {"color": ink["ink"]}}


def _names(schedule: Schedule) -> list[str]:
    ranks = schedule.world_size
    return [str(v) if v < ranks else f"s{v - ranks}" for v in range(schedule.num_vertices)]


def _place(figure: go.Figure, i: int, across: int, down: int, label: str, heat: dict) -> None:
    """Put picture `i` into its place of the strip, with its label above."""
    row, column = divmod(i, across)
    axis = "" if i == 0 else str(i + 1)
    left, top = column / across, 1 - row / down
    x = {"domain": [left + 0.005, left + 0.95 / across], "visible": False, "anchor": f"y{axis}"}
    y = {"domain": [top - 0.82 / down, top - 0.02 / down], "visible": False, "anchor": f"x{axis}"}
    figure.add_trace({**heat, "xaxis": f"x{axis}", "yaxis": f"y{axis}", "textfont": {"size": 12}})
    figure.update_layout({f"xaxis{axis}": x, f"yaxis{axis}": {**y, "autorange": "reversed"}})
    corner = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom", "showarrow": False}
    figure.add_annotation(text=label, x=left + 0.005, y=top, font_size=11, **corner)
