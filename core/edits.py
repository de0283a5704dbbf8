"""Change one transfer of a schedule: what a mistake does, and what a repair undoes.

An edit takes one transfer away (`row`), puts transfers in (`hops`), or both. Mistakes for exercises (core.mutants)
and the repairs that a proof proposes (core.blame) are the same kind of thing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from core.schedule import COLUMNS, Schedule

KINDS = ("drop", "add", "duplicate", "flip", "reverse", "redirect", "shift", "move")


class Hop(NamedTuple):
    """One transfer, by value."""

    step: int
    src: int
    dst: int
    chunk: int
    count: int
    op: int  # COPY or REDUCE
    into: int  # first chunk written; the same as `chunk` unless the algorithm moves chunks


@dataclass(frozen=True)
class Edit:
    kind: str  # one of KINDS
    row: int | None  # the transfer that goes; None for add and duplicate
    hops: tuple[Hop, ...] = ()  # the transfers that come; none for drop


def hop(schedule: Schedule, row: int) -> Hop:
    """Transfer `row` as a Hop."""
    step = int(np.searchsorted(schedule.step_ptr, row, side="right")) - 1
    return Hop(step, *(int(getattr(schedule, c)[row]) for c in (*COLUMNS, "into")))


def first_step(schedule: Schedule, edit: Edit) -> int:
    """The first step that an edit changes."""
    return min(h.step for h in (*edit.hops, *([] if edit.row is None else [hop(schedule, edit.row)])))


def dropped(schedule: Schedule, row: int) -> Edit:
    return Edit("drop", row)


def flipped(schedule: Schedule, row: int) -> Edit:
    """REDUCE becomes COPY and the other way round."""
    old = hop(schedule, row)
    return Edit("flip", row, (old._replace(op=1 - old.op),))


def reversed_(schedule: Schedule, row: int) -> Edit:
    """The receiver sends and the sender receives."""
    old = hop(schedule, row)
    return Edit("reverse", row, (old._replace(src=old.dst, dst=old.src),))


def redirected(schedule: Schedule, row: int, **end: int) -> Edit:
    """Another sender (src=...) or another receiver (dst=...)."""
    return Edit("redirect", row, (hop(schedule, row)._replace(**end),))


def shifted(schedule: Schedule, row: int, by: int) -> Edit:
    """The same message about the chunks `by` places further on."""
    old = hop(schedule, row)
    return Edit("shift", row, (old._replace(chunk=old.chunk + by, into=old.into + by),))


def moved(schedule: Schedule, row: int, step: int) -> Edit:
    return Edit("move", row, (hop(schedule, row)._replace(step=step),))


def shifts(schedule: Schedule, row: int) -> Iterator[Edit]:
    """The transfer with all other chunks it could carry."""
    yield from (shifted(schedule, row, by) for by in _room(schedule, row) if by)


def shift_if_inside(schedule: Schedule, row: int, by: int) -> Edit | None:
    """The transfer `by` chunks further on, or None if there are no such chunks."""
    return shifted(schedule, row, by) if by and by in _room(schedule, row) else None


def _room(schedule: Schedule, row: int) -> range:
    """How far a transfer can be shifted within its buffer."""
    old = hop(schedule, row)
    low, high = sorted((old.chunk % schedule.num_chunks, old.into % schedule.num_chunks))
    return range(-low, schedule.num_chunks - high - old.count + 1)


def all_edits(schedule: Schedule, row: int) -> Iterator[Edit]:
    """Every way to drop or change one transfer, but for edits that send to itself."""
    old = hop(schedule, row)
    yield from (dropped(schedule, row), flipped(schedule, row), reversed_(schedule, row))
    yield from shifts(schedule, row)
    yield from (moved(schedule, row, step) for step in range(schedule.num_steps) if step != old.step)
    for vertex in range(schedule.num_vertices):
        if vertex not in (old.src, old.dst):
            yield redirected(schedule, row, src=vertex)
            yield redirected(schedule, row, dst=vertex)


def edited(schedule: Schedule, edit: Edit) -> Schedule:
    """The schedule after the edit. A transfer changed within its step keeps its place, others go to the step's end."""
    old_row, hops = edit.row, list(edit.hops)
    columns = {c: np.array(getattr(schedule, c)) for c in (*COLUMNS, "into")}
    step = schedule.step_of
    if old_row is not None and hops and hops[0].step == step[old_row]:
        for c in columns:
            columns[c][old_row] = getattr(hops[0], c)
        old_row, hops = None, hops[1:]
    if old_row is not None:
        columns = {c: np.delete(column, old_row) for c, column in columns.items()}
        step = np.delete(step, old_row)
    ends = np.searchsorted(step, [new.step for new in hops], side="right")
    columns = {c: np.insert(column, ends, [getattr(new, c) for new in hops]) for c, column in columns.items()}
    return _rebuilt(schedule, columns, np.insert(step, ends, [new.step for new in hops]))


def _rebuilt(schedule: Schedule, columns: dict[str, np.ndarray], step: np.ndarray) -> Schedule:
    if not schedule.moves_chunks:
        columns["into"] = columns["chunk"]
    step_ptr = np.searchsorted(step, np.arange(schedule.num_steps + 1)).astype(np.int64)
    for column in (*columns.values(), step_ptr):
        column.setflags(write=False)
    return replace(schedule, **columns, step_ptr=step_ptr)


def row_after(schedule: Schedule, edit: Edit) -> int | None:
    """Where the first new transfer stands in the edited schedule; None if the edit only takes away."""
    if not edit.hops:
        return None
    step = edit.hops[0].step
    if edit.row is None:
        return int(schedule.step_ptr[step + 1])
    before = hop(schedule, edit.row).step
    return edit.row if before == step else int(schedule.step_ptr[step + 1]) - (before < step)
