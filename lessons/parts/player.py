"""The animated player as a Streamlit component; its browser files are in static/player."""

from __future__ import annotations

import streamlit as st

from core.algorithms import ALGORITHMS
from core.algorithms.base import Algorithm
from core.blame.report import Report
from core.collective import ALL_REDUCE, Collective
from core.figures.player import TooLarge, identity_of, pack_trace
from core.figures.source_lines import source_lines
from core.figures.wiring import Wiring
from core.trace import Trace
from lessons.parts.player_files import player_folder, plotly_file, publish

MOST_PACKED = 4  # ways of showing one trace that are kept with it
LOADER = """
export default (component) => {
  const host = component.parentElement.querySelector(".arl");
  const sorry = () => {
    host.textContent = "The player could not load. Reload the page; if that does not help, restart the app.";
  };
  const begun = import(location.origin + host.dataset.home + "player.js").then((it) => it.default(component), sorry);
  return () => begun.then((stop) => stop?.());
};
"""


def player(
    trace: Trace,
    *,
    key: str,
    collective: Collective = ALL_REDUCE,
    ghost: Trace | None = None,
    title: str = "",
    algorithm: Algorithm | None = None,
    options: dict | None = None,
    linked: bool = True,
    rerun: bool = False,
    report: Report | None = None,
    wiring: Wiring | None = None,
    ghost_wiring: Wiring | None = None,
) -> int:
    """Show the trace, and return the step that the reader is at: 0 .. num_steps.

    The step is kept in the page's address (?step=) and survives reruns; of several players on a page, only one should
    be `linked` to the address. With `rerun` the whole page runs again when the reader rests at another step, for pages
    that show something about the step; otherwise only the player does, and the page learns of it at its next run.
    `ghost` is a second trace to see beside the first. With `algorithm` (and the `options` it was called with) the
    reader can see its source, with the line that makes the current step lit. A `report` about this very schedule marks
    what is wrong. `wiring` is the network that the times come from: its pods, its links and how full they are;
    `ghost_wiring` is that of the ghost.
    """
    try:
        shown = _ghost_title(trace, ghost) if ghost else ""
        behind = _packed(ghost, collective, shown, wiring=ghost_wiring) if ghost else b""
        asked = None if algorithm is None else (algorithm.name, tuple(sorted((options or {}).items())))
        data = _packed(trace, collective, title, asked, behind, linked, report, wiring)
    except TooLarge as problem:
        st.info(str(problem), icon="🔍")
        return 0
    if trouble := publish():
        st.error(trouble)
        return 0
    show = _show if rerun else _show_alone
    return _step(show(key, data), data, trace.schedule.num_steps, linked)


def _ghost_title(trace: Trace, ghost: Trace) -> str:
    """What tells the two apart: the algorithm, or else where the times come from."""
    return ghost.schedule.name if ghost.schedule.name != trace.schedule.name else ghost.origin


def _show(key: str, data: bytes) -> str:
    """Mount the component; returns what it last said: "content:step"."""
    return _component()(key=key, data=data, default={"at": ""}, on_at_change=lambda: None).at


_show_alone = st.fragment(_show)


def _step(at: str, data: bytes, num_steps: int, linked: bool) -> int:
    """The step in the component's answer "content:step" if it is about this content, else the one in the address."""
    content, _, step = at.partition(":")
    if content != identity_of(data):
        step = st.query_params.get("step", "0") if linked and not at else "0"
    return min(int(step), num_steps) if step.isascii() and step.isdigit() else 0


def _packed(
    trace: Trace,
    collective: Collective,
    title: str = "",
    asked: tuple | None = None,
    ghost: bytes = b"",
    linked: bool = True,
    report: Report | None = None,
    wiring: Wiring | None = None,
) -> bytes:
    """pack_trace, remembered with the trace itself, so that a rerun of the page packs nothing."""
    kept = trace.__dict__.setdefault("_packed_for_player", {})
    key = collective.name, title, asked, ghost, linked, report, wiring
    data = kept.get(key)  # other sessions share the trace, and may empty this at any moment
    if data is None:
        source, lines = "", []
        if asked is not None:
            source, lines = source_lines(ALGORITHMS[asked[0]], trace.schedule.world_size, **dict(asked[1]))
        if len(lines) != trace.schedule.num_steps:
            lines = []  # a measured trace may hold another number of steps: then no line is lit
        if len(kept) >= MOST_PACKED:
            kept.clear()
        shown = {"source": source, "lines": lines, "ghost": ghost, "linked": linked, "report": report, "wiring": wiring}
        data = kept[key] = pack_trace(trace, collective, title=title, **shown)
    return data


@st.cache_resource(show_spinner=False)
def _component():
    base = "".join(f"/{part}" for part in (st.get_option("server.baseUrlPath").strip("/"), "app/static/vendor") if part)
    html = f'<div class="arl" data-home="{base}/{player_folder()}/" data-plotly="../{plotly_file()}"></div>'
    script = "\n".join(map(str.strip, LOADER.splitlines()))  # it travels with every new trace
    return st.components.v2.component("allreduce_player", html=html, js=script, isolate_styles=False)
