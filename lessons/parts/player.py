"""The animated player as a Streamlit component; its browser files are in static/player."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import tempfile
from functools import cache
from importlib.metadata import version
from pathlib import Path

import streamlit as st

from core.algorithms import ALGORITHMS
from core.algorithms.base import Algorithm
from core.collective import ALL_REDUCE, Collective
from core.figures.player import TooLarge, identity_of, pack_trace
from core.figures.source_lines import source_lines
from core.figures.theme import DARK, LIGHT
from core.trace import Trace

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "static" / "player"
PUBLISHED = ROOT / "static" / "vendor"  # git ignores it
LOADER = """
export default function (component) {
  const host = component.parentElement.querySelector(".arl");
  const url = (name) => new URL(name, location.origin).href;
  if (!document.querySelector(`link[href="${url(host.dataset.css)}"]`)) {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: url(host.dataset.css) });
    document.head.append(link);
  }
  const started = import(url(host.dataset.module)).then((player) => player.default(component));
  started.catch((problem) => {
    host.textContent =
      `The player could not load (${problem.message}). Reload the page; if that does not help, restart the app.`;
  });
  return () => started.then((stop) => stop(), () => {});
}
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
) -> int:
    """Show the trace, and return the step that the reader is at: 0 .. num_steps.

    The step is kept in the page's address (?step=) and survives reruns; of several players on a page, only one should
    be `linked` to the address. `ghost` is a second trace to see beside the first. With `algorithm` (and the `options`
    it was called with) the reader can see its source, with the line that makes the current step lit.
    """
    try:
        behind = _packed(ghost, collective) if ghost else b""
        asked = None if algorithm is None else (algorithm.name, tuple(sorted((options or {}).items())))
        data = _packed(trace, collective, title, asked, behind, linked)
    except TooLarge as problem:
        st.info(str(problem), icon="🔍")
        return 0
    if trouble := publish():
        st.error(trouble)
        return 0
    shown = _component()(key=key, data=data, default={"at": ""}, on_at_change=lambda: None)
    return _step(shown.at, data, trace.schedule.num_steps, linked)


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
) -> bytes:
    """pack_trace, remembered with the trace itself, so that a rerun of the page packs nothing."""
    kept = trace.__dict__.setdefault("_packed_for_player", {})
    key = collective.name, title, asked, ghost, linked
    if key not in kept:
        source, lines = "", []
        if asked is not None:
            source, lines = source_lines(ALGORITHMS[asked[0]], trace.schedule.world_size, **dict(asked[1]))
        if len(lines) != trace.schedule.num_steps:
            lines = []  # a measured trace may hold another number of steps: then no line is lit
        kept.clear()
        kept[key] = pack_trace(trace, collective, title=title, source=source, lines=lines, ghost=ghost, linked=linked)
    return kept[key]


@st.cache_resource
def _component():
    base = "/".join(part for part in ("", st.get_option("server.baseUrlPath").strip("/"), "app/static/vendor") if part)
    folder = f"/{base.lstrip('/')}/{_player_folder()}"
    themes = json.dumps({"light": LIGHT, "dark": DARK}, separators=(",", ":")).replace("'", "&#39;")
    html = (
        f'<div class="arl" data-module="{folder}/player.js" data-css="{folder}/player.css" '
        f"data-plotly=\"/{base.lstrip('/')}/{_plotly_file()}\" data-themes='{themes}'></div>"
    )
    return st.components.v2.component("allreduce_player", html=html, js=LOADER, isolate_styles=False)


@cache
def _player_folder() -> str:
    """A name that changes with any byte of the browser files, so that no browser keeps a mixture of versions."""
    digest = hashlib.sha256()
    for file in sorted(SOURCE.rglob("*.*")):
        digest.update(file.relative_to(SOURCE).as_posix().encode() + file.read_bytes())
    return f"player-{digest.hexdigest()[:12]}"


@cache
def _plotly_file() -> str:
    return f"plotly-{version('plotly')}.min.js"


@cache
def publish() -> str:
    """Put plotly.js (from the installed package) and the player where the app serves files. Returns "" or the trouble.

    Safe to call at every start and by several processes at once: files appear whole or not at all.
    """
    import plotly

    try:
        PUBLISHED.mkdir(parents=True, exist_ok=True)
        _appear(Path(plotly.__file__).parent / "package_data" / "plotly.min.js", PUBLISHED / _plotly_file())
        _appear(SOURCE, PUBLISHED / _player_folder())
    except OSError as problem:
        return (
            f"The animation cannot be shown: its files could not be copied to {PUBLISHED.relative_to(ROOT)} "
            f"({problem.strerror or problem}). Let the app write there once, then reload."
        )
    return ""


def _appear(source: Path, target: Path) -> None:
    """Copy a file or folder in one visible move."""
    if target.exists():
        return
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".new-") as folder:
        new = Path(folder) / target.name
        if source.is_dir():
            shutil.copytree(source, new)
        else:
            shutil.copyfile(source, new)
        with contextlib.suppress(FileExistsError, OSError) if target.exists() else contextlib.nullcontext():
            new.rename(target)
