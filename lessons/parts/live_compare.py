"""Saved sweeps beside the one just measured: one figure, one table of ratios, and where each comes from."""

from __future__ import annotations

from pathlib import Path
from textwrap import shorten

import streamlit as st

from core.container import BadFile
from core.run import sweep
from core.run.launch import Job
from core.run.report import provenance
from core.run.sweep_compare import QUANTITIES, Kept, all_sizes, common, lettered, ratios
from core.units import digits, show_bytes, show_rate, show_seconds
from lessons.parts.chart import chart, is_dark
from lessons.parts.facts import grid_of_facts, listed, small
from lessons.parts.links import linked, one_of, plain, some_of

RECORDED = Path(__file__).resolve().parents[2] / "assets" / "recorded"
LIMIT = 4 << 20  # bytes of a sweep file that is opened here
MOST_COLUMNS = 24  # of the table of ratios; the figure has all sizes
MOST_ROWS, MOST_TEXT = 400, 1000  # of the table of nccl-tests; characters about who wins where
SHOWN = {"time": "Time", "algbw": "algbw", "busbw": "busbw"}
HELP = "algbw: bytes of the buffer per second. busbw: algbw times 2(n-1)/n, which one can compare with a link's speed."


def compare(fresh: Job | None) -> None:
    """The section of the page. `fresh`: a finished sweep of this machine, if there is one."""
    st.subheader("3. Compare with saved sweeps", divider="gray")
    kept = [Kept(fresh.result, "measured here")] if fresh is not None else []
    kept += [*_recorded(), *_uploaded()]
    if not kept or (fresh is not None and len(kept) == 1):
        small("Save a sweep above as JSON, here or on a cluster, and open it next to another one.")
        return
    from core.figures.sweeps import MOST_SWEEPS

    if len(kept) > MOST_SWEEPS:
        st.warning(f"{len(kept)} sweeps could not be told apart: the first {MOST_SWEEPS} are shown.")
    _figure_and_table(lettered(kept[:MOST_SWEEPS]))


def _recorded() -> list[Kept]:
    files = {path.stem: path for path in sorted(RECORDED.glob("*.json"))}
    if not files:
        return []
    chosen = linked(
        st.multiselect,
        "Kept with this program [recorded]",
        key="sweep.recorded",
        name="recorded",
        default=[],
        read=some_of(files),
        write=",".join,
        options=list(files),
        placeholder="Sweeps of other machines",
    )
    return [Kept(sweep.from_json(files[name].read_bytes()), "recorded") for name in chosen]


def _uploaded() -> list[Kept]:
    """What was opened; a file that cannot be read is refused in a sentence, and the others stay."""
    files = st.file_uploader(
        "Sweeps that this page, or core.run --json, saved [recorded]",
        type=["json"],
        key="sweep.file",
        accept_multiple_files=True,
    )
    found = []
    for file in files:
        if file.size > LIMIT:
            st.error(plain(f"{file.name} has {show_bytes(file.size)}: up to {show_bytes(LIMIT)} are opened here."))
            continue
        try:
            found.append(Kept(sweep.from_json(file.getvalue()), "recorded"))
        except BadFile as problem:
            st.error(plain(f"{file.name}: {problem}."))
    return found


def _figure_and_table(kept: dict[str, Kept]) -> None:
    from core.figures.sweeps import BETTER, HOW_TO_READ, MOST_LABELS, Sweeps, overlay

    every, sizes = common(list(kept.values())), all_sizes(list(kept.values()))
    if not sizes:
        st.error("These sweeps have empty buffers only.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        quantity = linked(
            st.segmented_control,
            "Show",
            key="sweep.show",
            name="show",
            default="time",
            read=one_of(QUANTITIES),
            options=list(QUANTITIES),
            format_func=SHOWN.get,
            required=True,
            help=HELP,
        )
        labels = st.multiselect(
            "Algorithms",
            every,
            default=every[:3],
            key=f"sweep.labels.{hash(tuple(every))}",
            max_selections=MOST_LABELS,
            width=560,
        )
    if not labels:
        st.warning("Choose at least one algorithm.")
        return
    values = {
        name: {label: one.curve(label, quantity, sizes) for label in labels if label in one.labels}
        for name, one in kept.items()
    }
    names = {name: one.name for name, one in kept.items()}
    chart(overlay(Sweeps(quantity, sizes, values, names), dark=is_dark()))
    st.caption(f"{HOW_TO_READ} {BETTER[quantity]}.")
    _table(values, sizes, quantity, _whence(kept))
    _origins(kept)


def _whence(kept: dict[str, Kept]) -> str:
    """Where the numbers of each sweep come from: [A measured here; B, C recorded]."""
    letters: dict[str, list[str]] = {}
    for name, one in kept.items():
        letters.setdefault(one.origin, []).append(name)
    return "[" + "; ".join(f"{', '.join(names)} {origin}" for origin, names in letters.items()) + "]"


def _table(values: dict[str, dict[str, list[float]]], sizes: list[int], quantity: str, whence: str) -> None:
    """Every curve at every size, and how many times the base it is."""
    curves = {f"{name} {label}": curve for name, found in values.items() for label, curve in found.items()}
    lines = list(curves)
    usual = next((place for place, line in enumerate(lines) if line.endswith(" native")), 0)
    base = st.selectbox("Ratios to", lines, index=usual, key=f"sweep.base.{hash(tuple(lines))}", width=300)
    show = show_seconds if quantity == "time" else show_rate
    some = slice(None, None, -(-len(sizes) // MOST_COLUMNS))
    rows = []
    for line, curve in curves.items():
        cells = list(zip(curve, ratios(curve, curves[base])))[some]
        rows.append((line, *(_cell(value, ratio, show) for value, ratio in cells)))
    caption = f"{SHOWN[quantity]}, and how many times as much as the base at the same size"
    if len(sizes) > MOST_COLUMNS:
        caption += f"; {len(sizes[some])} of {len(sizes)} sizes"
    grid_of_facts(f"{caption} {whence}", ("", *map(show_bytes, sizes[some])), rows)


def _cell(value: float, ratio: float, show) -> str:
    if value != value:
        return ""
    return show(value) if ratio != ratio else f"{show(value)} ({digits(ratio)} x)"


def _origins(kept: dict[str, Kept]) -> None:
    """Of each sweep: who wins where, the table of nccl-tests, and how it came to be."""
    for name, one in kept.items():
        with st.expander(plain(f"{name}: {one.name}")):
            st.markdown(f"{plain(shorten(sweep.summary(one.result), MOST_TEXT, placeholder=' ...'))} [{one.origin}]")
            rows = sweep.nccl_text(one.result).splitlines()
            more = [f"# and {len(rows) - MOST_ROWS} rows more"] * (len(rows) > MOST_ROWS)
            st.code("\n".join([*rows[:MOST_ROWS], *more]), language=None)
            listed(provenance(one.result["about"]) | sweep.NO_TRACE)
