"""Mistakes: every way to change one transfer of a schedule a little. Some of them do no harm; the proof tells.

drop       the transfer is left out                  shift      it carries the next chunk
duplicate  it happens twice in its step              redirect   it goes to the next vertex
flip       it adds instead of overwriting, or back   earlier    it happens one step too early
reverse    the receiver sends to the sender          later      it happens one step too late
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from core import edits
from core.blame.report import Report
from core.edits import Edit, Hop
from core.schedule import Schedule

KINDS = ("drop", "duplicate", "flip", "reverse", "redirect", "shift", "earlier", "later")


@dataclass(frozen=True, eq=False)
class Mutant:
    kind: str  # one of KINDS
    original: Hop  # the transfer before the mistake
    row: int | None  # where it stands in `schedule`; None if it was dropped
    schedule: Schedule  # with the mistake
    edit: Edit  # the mistake


def mutants(schedule: Schedule, rows: Iterable[int] | None = None, kinds: Sequence[str] = KINDS) -> Iterator[Mutant]:
    """All mutants of the given transfers (of all, if not given), in order of transfer, then of kind."""
    for row in range(schedule.num_transfers) if rows is None else rows:
        for kind in kinds:
            edit = _edit(schedule, row, kind)
            if edit is not None:
                broken, where = edits.edited(schedule, edit), edits.row_after(schedule, edit)
                yield Mutant(kind, edits.hop(schedule, row), where, broken, edit)


def _edit(schedule: Schedule, row: int, kind: str) -> Edit | None:
    """The edit that makes this mistake, or None if this transfer has no room for it."""
    old = edits.hop(schedule, row)
    if kind == "duplicate":
        return Edit("duplicate", None, (old,))
    if kind == "shift":
        by = _shift(schedule, old)
        return edits.shifted(schedule, row, by) if by else None
    if kind in ("earlier", "later"):
        step = old.step + (1 if kind == "later" else -1)
        return edits.moved(schedule, row, step) if 0 <= step < schedule.num_steps else None
    if kind == "redirect":
        receiver = _next_vertex(schedule, old)
        return None if receiver is None else edits.redirected(schedule, row, dst=receiver)
    return {"drop": edits.dropped, "flip": edits.flipped, "reverse": edits.reversed_}[kind](schedule, row)


def _shift(schedule: Schedule, old: Hop) -> int:
    """One chunk on; at the end of the buffer back to its start (one chunk) or one back (several); 0: no room."""
    low, high = sorted((old.chunk % schedule.num_chunks, old.into % schedule.num_chunks))
    if high + old.count < schedule.num_chunks:
        return 1
    return -low if old.count == 1 else -min(low, 1)


def _next_vertex(schedule: Schedule, old: Hop) -> int | None:
    """The rank after the receiver, or the switch after it, but never the sender."""
    ranks = schedule.world_size
    first, size = (0, ranks) if old.dst < ranks else (ranks, schedule.num_vertices - ranks)
    circle = (first + (old.dst - first + on) % size for on in range(1, size))
    return next((v for v in circle if v != old.src), None)


def place_named(report: Report, mutant: Mutant) -> int | None:
    """0 if the report blames the mutated (or missing) transfer first, 1 second ...; None if it does not name it."""
    for place, repair in enumerate(report.repairs):
        if mutant.row is None and repair.row is None and all(_brings(h, mutant.original) for h in repair.hops):
            return place
        if mutant.row is not None and repair.row is not None:
            blamed = edits.hop(mutant.schedule, repair.row)
            if repair.row == mutant.row or (mutant.kind == "duplicate" and blamed == mutant.original):
                return place
    return report.transfers.index(mutant.row) if mutant.row in report.transfers else None


def _brings(h: Hop, missing: Hop) -> bool:
    """Is `h` the missing transfer, or a part of it?"""
    inside = missing.chunk <= h.chunk and h.chunk + h.count <= missing.chunk + missing.count
    same_way = (h.step, h.src, h.dst, h.op) == (missing.step, missing.src, missing.dst, missing.op)
    return same_way and inside and h.into - h.chunk == missing.into - missing.chunk


def steps_away(report: Report, mutant: Mutant) -> int:
    """How far the blamed step lies from the mistake."""
    steps = {mutant.original.step, *(h.step for h in mutant.edit.hops)}
    return min(abs(report.step - step) for step in steps)
