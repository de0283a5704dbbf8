"""What a learner is told about a wrong schedule: where it shows and what is missing there, not how to mend it.

Steps are counted from 1 here, as in the text form and in the player.
"""

from __future__ import annotations

from core.blame.report import MAX_CELLS, Cell, Report
from core.schedule import Schedule


def feedback(report: Report, schedule: Schedule) -> str:
    """One or two sentences: step, rank, chunk, and whose contribution is missing or doubled."""
    if report.at is None:
        return report.sentence
    place, many = _place(report, report.at, schedule), len(report.cells)
    if report.kind == "race" or not many:
        return place
    count = f"{MAX_CELLS} or more" if many >= MAX_CELLS else f"{many}"
    return f"{place} At the end {count} of the cells that must be complete are wrong."


def _place(report: Report, cell: Cell, schedule: Schedule) -> str:
    where = f"{_chunk(cell.chunk, schedule)} of {_vertex(cell.vertex, schedule)}"
    if report.kind == "race":
        step = (report.step or 0) + 1
        return f"In step {step}, {where} is overwritten while another transfer of the same step writes it too."
    return f"After step {cell.step}, {where} {_fault(cell)}."


def _fault(cell: Cell) -> str:
    faults = []
    if cell.missing:
        faults.append(f"misses the contribution of {_ranks(cell.missing)}")
    if cell.doubled:
        faults.append(f"has the contribution of {_ranks(cell.doubled)} more than once")
    if cell.extra:
        faults.append(f"has the contribution of {_ranks(cell.extra)}, which does not belong there yet")
    return " and ".join(faults) or "is not what it should be"


def _ranks(ranks: tuple[int, ...]) -> str:
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    return f"ranks {', '.join(map(str, ranks[:-1]))} and {ranks[-1]}"


def _vertex(vertex: int, schedule: Schedule) -> str:
    return f"rank {vertex}" if vertex < schedule.world_size else f"switch s{vertex - schedule.world_size}"


def _chunk(slot: int, schedule: Schedule) -> str:
    return f"chunk {slot}" if slot < schedule.num_chunks else f"scratch chunk {slot}"
