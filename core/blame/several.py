"""A Report about a schedule that no single edit makes right: each wrong lane on its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core import edits
from core.blame import cells
from core.blame.repair import Lanes, single_edits
from core.blame.report import Cell, Report
from core.blame.trace_back import origins
from core.blame.words import Words, kind, listed
from core.edits import Edit
from core.lanes import racing_rows
from core.schedule import Schedule

SEPARATE = 8  # wrong lanes looked at one by one


@dataclass(frozen=True)
class Fault:
    """What is wrong in one lane."""

    kind: str
    step: int
    rows: tuple[int, ...]
    at: Cell
    edit: Edit | None = None  # repairs the lane


def beyond_one_edit(lanes: Lanes, wrong: dict[int, dict[int, tuple[int, int]]], complete: bool) -> Report:
    """`wrong` is lane -> node -> (missing bits, bits too many)."""
    different: dict[object, Fault] = {}
    for group, nodes in list(wrong.items())[:SEPARATE]:
        fault = _fault(lanes, group, nodes)
        different.setdefault(fault.edit or (fault.kind, fault.step, fault.rows), fault)
    faults = sorted(different.values(), key=lambda fault: fault.step)
    end = cells.at_the_end(lanes, wrong)
    return Report(
        right=False,
        sentence=_sentence(lanes.schedule, faults[0], end, complete),
        kind=faults[0].kind,
        step=faults[0].step,
        transfers=tuple(dict.fromkeys(row for fault in faults for row in fault.rows)),
        hops=tuple(h for fault in faults if fault.edit and fault.edit.row is None for h in fault.edit.hops),
        at=faults[0].at,
        cells=end,
        searched_all=complete,
        faults=max(2, len(faults)),
    )


def _fault(lanes: Lanes, group: int, nodes: dict[int, tuple[int, int]]) -> Fault:
    lane, schedule = lanes[group], lanes.schedule
    if rows := racing_rows(lane.moves):
        at = cells.race(lanes, [group])
        return Fault("race", at.step, tuple(dict.fromkeys(rows)), at)
    if good := single_edits(lanes, [group])[0]:
        edit, step = good[0], edits.first_step(schedule, good[0])
        at = cells.first_difference(lanes, edit, step) or cells.at_the_end(lanes, {group: nodes})[0]
        return Fault(kind(schedule, edit), step, () if edit.row is None else (edit.row,), at, edit)
    origin = origins(lane, nodes, schedule.num_steps)[0]
    at = cells.cell(lane, origin.node, origin.step + 1, origin.missing, origin.doubled, origin.extra)
    return Fault(origin.kind, origin.step, tuple(dict.fromkeys(move.row for move in origin.moves)), at)


def _sentence(schedule: Schedule, first: Fault, end: Sequence[Cell], complete: bool) -> str:
    say = Words(schedule)
    if first.edit is not None:
        says = f"in step {first.step + 1}, {say.mistake(first.edit)}"
    elif first.kind == "race":
        says = say.race(first.rows, first.at)
    else:
        says = f"{_traced(first)}: {say.cell(first.at)}"
    tried = "" if complete else " that was tried"
    return f"{schedule.name}: no single change{tried} makes it right. The first fault: {says}.{say.at_the_end(end)}"


def _traced(fault: Fault) -> str:
    if not fault.rows:
        return f"up to step {fault.step + 1}, nothing brings what is missing"
    does = {"double addition": "adding what is there already", "overwritten too early": "overwriting what is needed"}
    what = does.get(fault.kind, "bringing what does not belong there")
    return f"in step {fault.step + 1}, {what} by {listed('transfer', fault.rows)}"
