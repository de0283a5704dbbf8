"""What a live run measured, from its file, beside the formula and the simulation."""

from __future__ import annotations

import math

import streamlit as st

from core import trace
from core.algorithms import ALGORITHMS
from core.container import BadFile
from core.cost import measure
from core.machines import Machine
from core.network import BadTopology, Stuck, simulate
from core.run import sweep
from core.run.report import provenance
from core.trace import Trace
from core.units import digits, show_bytes, show_seconds
from lessons.parts.chart import chart, is_dark
from lessons.parts.facts import grid_of_facts, listed, small
from lessons.parts.links import plain
from lessons.parts.picker import MAX_CELLS, MAX_RANKS, MAX_STEPS, MAX_TRANSFERS, refusal
from lessons.parts.simulated import Setup

LIMIT = 32 << 20  # bytes of a file that is opened here
COLUMNS = ("algorithm", "measured", "formula", "formula / measured", "simulated", "simulated / measured")


def from_a_file(machine: Machine, setup: Setup | None) -> None:
    """Open a file of a live run and show its medians beside what was predicted."""
    file = st.file_uploader(
        "A trace (.arl) or a sweep (.json) that a live run saved, here or on a cluster",
        type=["arl", "json"],
        key="compare.file",
    )
    if file is None:
        small("Run an algorithm on the pages Live run or Live sweep, save the file, and open it here.")
        return
    if file.size > LIMIT:
        st.error(plain(f"{file.name} has {show_bytes(file.size)}: files of up to {show_bytes(LIMIT)} are opened here."))
        return
    try:
        if file.name.lower().endswith(".json"):
            _sweep(sweep.from_json(file.getvalue()), machine, setup)
        else:
            _trace(trace.load(file.getvalue()), machine, setup)
    except BadFile as problem:
        st.error(plain(f"{file.name}: {problem}."))


def _trace(found: Trace, machine: Machine, setup: Setup | None) -> None:
    """The medians that stand in a trace, at its size and number of ranks."""
    refuse_giants(found)
    medians = known_medians(found)
    if not medians:
        raise BadFile("this trace holds no medians: choose one that a live run saved")
    ours = found.about.get("label")
    ranks, rows = found.schedule.world_size, []
    for label, median in medians.items():
        if label == ours:
            formula = measure(found.schedule).seconds(found.nbytes, machine)
            rows.append(_row(label, median, formula, _simulated(found.schedule, found.nbytes, setup)))
        else:
            rows.append(_row(label, median, *predicted(label, ranks, found.nbytes, machine, setup)))
    grid_of_facts(
        f"{ranks} ranks, {show_bytes(found.nbytes)}. Recorded: the medians. {_sources(machine, setup)}", COLUMNS, rows
    )
    listed(provenance(found.about))


def refuse_giants(found: Trace) -> None:
    """Files may say anything: nothing large is counted or simulated to find out. Raises BadFile."""
    s = found.schedule
    if (
        max(s.world_size, s.num_vertices // 4) > MAX_RANKS
        or s.num_steps > MAX_STEPS
        or s.num_transfers > MAX_TRANSFERS
        or s.num_slots * s.world_size > MAX_CELLS
    ):
        raise BadFile(f"this trace of {s.world_size:,} ranks and {s.num_steps:,} steps is too large to compare here")


def known_medians(found: Trace) -> dict[str, float]:
    """{label: seconds}, from whatever a file says."""
    said = found.about.get("medians")
    said = said if isinstance(said, dict) else {str(found.about.get("label", "")): found.about.get("median")}
    return {str(label): float(t) for label, t in said.items() if type(t) in (int, float) and 0 < t < math.inf}


def predicted(
    label: str, world_size: int, nbytes: int, machine: Machine, setup: Setup | None
) -> tuple[float | None, float | None]:
    """(formula, simulated) for an algorithm with its default options; None where the label names nothing else."""
    if label not in ALGORITHMS or refusal(ALGORITHMS[label], world_size, {}):
        return None, None
    schedule = ALGORITHMS[label](world_size)
    return measure(schedule).seconds(nbytes, machine), _simulated(schedule, nbytes, setup)


def _simulated(schedule, nbytes: int, setup: Setup | None) -> float | None:
    if setup is None:
        return None
    try:
        return simulate(schedule, nbytes, setup.topology(schedule.world_size), **setup.everything()).seconds
    except (BadTopology, Stuck):
        return None  # this network cannot hold these ranks


def _row(label: str, median: float, formula: float | None, simulated: float | None) -> tuple[str, ...]:
    cells = [label[:60], show_seconds(median)]
    for guess in (formula, simulated):
        cells += ["", ""] if guess is None else [show_seconds(guess), f"{digits(guess / median)} x"]
    return tuple(cells)


def _sources(machine: Machine, setup: Setup | None) -> str:
    network = f" Simulated: on {setup.name}." if setup else " Choose a network above to simulate it, too."
    return f"Formula: on {machine.name}.{network}"


def _sweep(result: dict, machine: Machine, setup: Setup | None) -> None:
    """The curves of a sweep, and what was predicted for the same algorithms on as many ranks."""
    from core.figures.curves import Curves, curves

    (sizes, seconds), world_size = sweep.curves_of(result), result["about"]["world_size"]
    if not sizes:
        raise BadFile("this sweep has empty buffers only")
    drawn = {f"{label[:60]}, measured": times for label, times in list(seconds.items())[:6]}
    for label in list(seconds)[:6]:
        guesses = [predicted(label, world_size, size, machine, setup) for size in sizes]
        for which, kind in ((0, "formula"), (1, "simulated")):
            if guesses[0][which] is not None:
                drawn[f"{label}, {kind}"] = [guess[which] for guess in guesses]
    title = f"{world_size} ranks, measured [recorded] beside predicted [formula{', simulated' * bool(setup)}]"
    chart(curves(Curves(title, sizes, "bytes", drawn, [0.0] * len(sizes)), dark=is_dark()))
    small(f"Predicted for the {world_size} ranks of the sweep. {_sources(machine, setup)}")
    listed(provenance(result["about"]) | sweep.NO_TRACE)
