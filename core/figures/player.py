"""A trace as the few bytes that the player in the browser needs; it replays the schedule there.

The bytes are a container (core/container.py) of kind "player". Left out whenever they say nothing new:

    count       every transfer carries one chunk          into    every chunk keeps its place
    start, took all the transfers of a step are together: `gap` before each step and its `length` say it all
    own, needs  every rank starts with all its chunks, and must end with all of them
    group       no grouping of ranks into nodes or rows is known
    line        which line of the source makes each step is not known
    pair ...    no network is chosen, see core/figures/wiring.py

The columns, of which these two count ticks from the first start in each step, are folded: see core/figures/folded.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.blame.report import Report
from core.collective import ALL_REDUCE, Collective
from core.container import narrow, pack
from core.figures.folded import fold
from core.figures.shape import grid_columns, neighbour_groups
from core.figures.wiring import Wiring
from core.schedule import Schedule
from core.trace import Trace

VERSION = 2
MAX_TRANSFERS = 5_000_000  # what a browser replays within a second, and a page can wait for
TICKS = 1 << 24  # as fine as float32
MAX_MARKS = 64  # of each kind of mark that a mistake gets
MAX_CELLS = 1 << 22  # places for a chunk, which the browser holds several numbers about: a ring of 2,048 ranks


class TooLarge(ValueError):
    """Says how large the schedule is, and what to choose instead."""


def pack_trace(
    trace: Trace,
    collective: Collective = ALL_REDUCE,
    *,
    title: str = "",
    source: str = "",
    lines: Sequence[int] = (),
    ghost: bytes = b"",
    linked: bool = True,
    report: Report | None = None,
    wiring: Wiring | None = None,
) -> bytes:
    """The bytes for the browser. May raise TooLarge.

    `source` is the algorithm's text and `lines` the line of it that makes each step (see source_lines), `ghost` another
    trace's bytes, to be shown beside this one; `linked` says whether the page's address keeps the step.
    A `report` that this very schedule is wrong marks the mistake. `wiring` is the network that the times are from.
    """
    schedule = trace.schedule
    _refuse_too_large(schedule)
    header = {**_header(trace), "collective": collective.name, "title": title or schedule.name}
    header |= {"source": source, "linked": linked}
    if report is not None and not report.right:
        header["fault"] = _fault(report)
    columns, arrays = _columns(schedule), {**_promise(schedule, collective), **_groups(trace)}
    if uniform := _uniform_times(trace):
        arrays |= uniform
    else:
        header["tick"], arrays["later"], ticks = _ticks(trace)
        columns |= ticks
    header["modulus"], folded = fold(columns, schedule.step_ptr)
    arrays |= folded
    if wiring is not None:
        header |= wiring.header()
        arrays |= wiring.arrays()
    if len(lines):
        arrays["line"] = np.asarray(lines, np.int32)
    if ghost:
        arrays["ghost"] = np.frombuffer(ghost, np.uint8)
    return pack(header, arrays)


def _refuse_too_large(schedule: Schedule) -> None:
    size = f"{schedule.name} on {schedule.world_size:,} ranks has"
    if schedule.num_transfers > MAX_TRANSFERS:
        raise TooLarge(
            f"{size} {schedule.num_transfers:,} transfers: the player shows up to {MAX_TRANSFERS:,}. "
            "Choose fewer ranks."
        )
    cells = schedule.num_vertices * schedule.num_slots
    if cells > MAX_CELLS:
        raise TooLarge(
            f"{size} {schedule.num_slots:,} chunks, so {cells:,} cells: the player shows up to {MAX_CELLS:,}. "
            "Choose fewer ranks or fewer chunks."
        )


def _header(trace: Trace) -> dict:
    schedule = trace.schedule
    return {
        "kind": "player",
        "version": VERSION,
        "name": schedule.name,
        "world_size": schedule.world_size,
        "num_chunks": schedule.num_chunks,
        "num_buffers": schedule.num_buffers,
        "num_vertices": schedule.num_vertices,
        "phases": _runs(schedule.phases),
        "nbytes": trace.nbytes,
        "origin": trace.origin,
        "lockstep": trace.source == "model",  # everybody waits for the slowest of a step
        "grid": grid_columns(schedule),
        "group_name": "node" if "node_of" in trace.about else "group",
    }


def _fault(report: Report) -> dict:
    """What the player highlights; steps count from 0. A cell is (vertex, slot, the step before which it is wrong)."""
    cells = [*([report.at] if report.at else []), *report.cells]
    return {
        "step": report.step,
        "sentence": report.sentence,
        "faults": report.faults,
        "transfers": list(report.transfers[:MAX_MARKS]),
        "hops": [[hop.step, hop.src, hop.dst] for hop in report.hops[:MAX_MARKS]],
        "cells": [[cell.vertex, cell.chunk, cell.step] for cell in cells[:MAX_MARKS]],
    }


def identity_of(data: bytes) -> str:
    """A name for this content: gzip's own checksum and length, which the browser reads too."""
    return data[-8:].hex()


def _runs(phases: tuple[str, ...]) -> list:
    """[[phase, first step, last step + 1], ...] of equal neighbours."""
    runs = []
    for step, phase in enumerate(phases):
        if runs and runs[-1][0] == phase:
            runs[-1][2] = step + 1
        else:
            runs.append([phase, step, step + 1])
    return runs


def _columns(schedule: Schedule) -> dict[str, np.ndarray]:
    columns = {name: getattr(schedule, name) for name in ("src", "dst", "chunk", "op")}
    if (schedule.count != 1).any():
        columns["count"] = schedule.count
    if schedule.moves_chunks:
        columns["into"] = schedule.into
    return columns


def _uniform_times(trace: Trace) -> dict[str, np.ndarray]:
    """float32 [num_steps], seconds: gap and length, if all the transfers of each step are together; else nothing."""
    first, length = _step_times(trace)
    if first is None:
        return {}
    gap = first - np.concatenate([[0.0], (first + length)[:-1]])
    gap[np.abs(gap) < 1e-9 * max(trace.seconds, 1e-30)] = 0  # rounding of the running sum, not a pause
    return {"gap": gap.astype(np.float32), "length": length.astype(np.float32)}


def _ticks(trace: Trace) -> tuple[float, np.ndarray, dict[str, np.ndarray]]:
    """(seconds a tick, seconds from each step's first start to the next's float32 [num_steps], ticks [num_transfers]).

    A tick is the longest transfer, halved until a step spans some TICKS: as many for what takes as long, in all steps.
    """
    schedule, step_ptr = trace.schedule, trace.schedule.step_ptr
    first, used = np.zeros(schedule.num_steps), np.diff(step_ptr) > 0
    if used.any():
        first[used] = np.minimum.reduceat(trace.start, step_ptr[:-1][used])
    after, took = trace.start - first[schedule.step_of], trace.end - trace.start
    longest, spans = took.max(initial=0.0), max(after.max(initial=0.0), took.max(initial=0.0))
    tick = (longest or spans) * 2.0 ** -np.floor(np.log2(TICKS * (longest or spans) / spans)) if spans else 1.0
    columns = {"start": after, "took": np.maximum(took, 0)}
    ticks = {name: np.rint(column / tick).astype(np.uint32) for name, column in columns.items()}
    return float(tick), np.diff(first, prepend=0.0).astype(np.float32), ticks


def _step_times(trace: Trace) -> tuple[np.ndarray | None, np.ndarray | None]:
    """(start, length) of every step, or (None, None) if the transfers of some step differ."""
    step_ptr = trace.schedule.step_ptr
    if not trace.schedule.num_steps or (np.diff(step_ptr) == 0).any():
        return None, None
    first, last = trace.start[step_ptr[:-1]], trace.end[step_ptr[:-1]]
    step, slack = trace.schedule.step_of, 1e-9 * max(trace.seconds, 1e-30)
    together = (np.abs(trace.start - first[step]) <= slack).all() and (np.abs(trace.end - last[step]) <= slack).all()
    return (first, last - first) if together else (None, None)


def _promise(schedule: Schedule, collective: Collective) -> dict[str, np.ndarray]:
    """Which chunks each rank starts with and must end with, as bits [world_size, num_chunks]."""
    rank, chunk = np.ogrid[: schedule.world_size, : schedule.num_chunks]
    shape = schedule.world_size, schedule.num_chunks
    own = np.broadcast_to(collective.starts(rank, chunk, rank), shape)
    needs = np.broadcast_to(collective.needs(rank, chunk), shape)
    bits = {"own": own, "needs": needs}
    return {name: np.packbits(what, axis=None, bitorder="little") for name, what in bits.items() if not what.all()}


def _groups(trace: Trace) -> dict[str, np.ndarray]:
    """The node of every rank as the trace says, or groups of neighbours that the schedule itself keeps to at first."""
    said = trace.about.get("node_of")
    if said is not None and len(said) == trace.schedule.world_size:
        return {"group": narrow(np.asarray(said))}
    seen = neighbour_groups(trace.schedule)
    return {} if seen is None else {"group": narrow(seen)}
