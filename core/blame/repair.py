"""Find the single edits that make a wrong schedule right, prove each, and put the likeliest first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice, zip_longest

import numpy as np

from core import edits
from core.blame import search
from core.blame.flow import flow
from core.blame.pattern import Pattern
from core.collective import Collective
from core.edits import Edit
from core.lanes import Lane, Move, is_right, lane, races, racing_rows, slot_groups
from core.schedule import Schedule

MAX_NODES = 1 << 23  # steps x nodes of a lane; a larger lane is not searched
MAX_SEARCHED = 4  # wrong lanes searched
MAX_CHANGES = 10_000  # ways to change racing transfers
MAX_WORK = 1_500_000  # moves carried out to prove edits, for one report: about a second


class Lanes:
    """The lanes of a schedule, built when asked for."""

    def __init__(self, schedule: Schedule, collective: Collective):
        self.schedule, self.collective = schedule, collective
        self.group = slot_groups(schedule)  # int64 [num_slots], the lane of each slot
        self.work = 0  # moves carried out so far
        self._built: dict[int, Lane] = {}

    def __getitem__(self, group: int) -> Lane:
        if group not in self._built:
            self._built[group] = lane(self.schedule, self.collective, np.flatnonzero(self.group == group))
        return self._built[group]

    def touched(self, edit: Edit) -> set[int]:
        """The lanes that an edit changes."""
        hops = [*edit.hops] + ([] if edit.row is None else [edits.hop(self.schedule, edit.row)])
        slots = [slot for h in hops for at in (h.chunk, h.into) for slot in range(at, at + h.count)]
        return set(self.group[slots].tolist())

    def after(self, group: int, edit: Edit) -> list[Move]:
        """The moves of a lane after an edit."""
        one = self[group]
        moves = [move for move in one.moves if move.row != edit.row]
        for h in edit.hops:
            for slot, into in zip(range(h.chunk, h.chunk + h.count), range(h.into, h.into + h.count)):
                if self.group[slot] == group:
                    moves.append(Move(h.step, one.node(h.src, slot), one.node(h.dst, into), h.op, -1))
        return sorted(moves, key=lambda move: move.step)

    def repaired(self, edit: Edit, wrong: Iterable[int]) -> bool:
        """Are the wrong lanes, and all that the edit touches, right after it?"""
        if any(self.group[h.chunk] != self.group[h.into] for h in edit.hops):
            return False
        return all(self._right_after(group, edit) for group in dict.fromkeys([*wrong, *self.touched(edit)]))

    def _right_after(self, group: int, edit: Edit) -> bool:
        moves = self.after(group, edit)
        self.work += len(moves) + 50
        return is_right(self[group], moves)


def single_edits(lanes: Lanes, wrong: list[int]) -> tuple[list[Edit], bool]:
    """(edits that repair everything, likeliest first; was every single edit tried?)"""
    pattern, good = Pattern(lanes.schedule), []
    found, complete = _candidates(lanes, wrong)
    for edit in sorted(dict.fromkeys(found), key=pattern.score, reverse=True):
        if lanes.work > MAX_WORK:
            return good, False
        if lanes.repaired(edit, wrong):
            good.append(edit)
    return good, complete


def _candidates(lanes: Lanes, wrong: list[int]) -> tuple[list[Edit], bool]:
    """(edits that may repair the wrong lanes, are these all?)"""
    schedule = lanes.schedule
    if raced := [group for group in wrong if races(lanes[group].moves)]:
        return _changes_of(schedule, racing_rows(lanes[raced[0]].moves))
    small = [group for group in wrong if len(lanes[group].start) * schedule.num_steps <= MAX_NODES]
    small.sort(key=lambda group: len(lanes[group].moves))
    candidates, complete = [], bool(small)
    for nth, group in enumerate(small[:MAX_SEARCHED]):
        one = lanes[group]
        found, all_found = search.repairs(schedule, one, flow(one, schedule.num_steps))
        candidates += [shift for edit in found for shift in _also_shifts(schedule, edit)]
        if nth == 0:  # what repairs all lanes repairs this one; the others are searched for chunks mistaken for others
            candidates += [_widened(edit, lanes, one, wrong) for edit in found]
            complete = all_found
    return candidates, complete


def _changes_of(schedule: Schedule, rows: list[int]) -> tuple[list[Edit], bool]:
    """(every change of one of these transfers, the simplest first; are these all?)"""
    one_by_one = chain.from_iterable(zip_longest(*(edits.all_edits(schedule, row) for row in rows)))
    found = list(islice((edit for edit in one_by_one if edit is not None), MAX_CHANGES + 1))
    return found[:MAX_CHANGES], len(found) <= MAX_CHANGES


def _also_shifts(schedule: Schedule, edit: Edit) -> Iterator[Edit]:
    """Other chunks for a transfer that may carry the wrong one.

    Either it had better not be there, or it does, with another chunk, just what is missing.
    """
    if edit.kind == "drop":
        yield from edits.shifts(schedule, edit.row)
    elif edit.kind == "add":
        new = edit.hops[0]
        rows = np.arange(schedule.step_ptr[new.step], schedule.step_ptr[new.step + 1])
        same = (schedule.src[rows] == new.src) & (schedule.dst[rows] == new.dst) & (schedule.op[rows] == new.op)
        for row in rows[same].tolist():
            old = edits.hop(schedule, row)
            covers = range(new.chunk - old.chunk - old.count + 1, new.chunk - old.chunk + 1)
            yield from (shift for by in covers if (shift := edits.shift_if_inside(schedule, row, by)))


def _widened(edit: Edit, lanes: Lanes, one: Lane, wrong: list[int]) -> Edit:
    """A missing hop must bring every wrong chunk: one hop for each run of them."""
    if edit.kind != "add" or len(one.chunks) != 1:
        return edit
    h, home = edit.hops[0], one.chunks[0]
    chunks = sorted(lanes[group].chunks[0] for group in wrong)
    starts = [i for i, chunk in enumerate(chunks) if i == 0 or chunk != chunks[i - 1] + 1]
    runs = [(chunks[a] - home, b - a) for a, b in zip(starts, [*starts[1:], len(chunks)])]
    return Edit("add", None, tuple(h._replace(chunk=h.chunk + c, into=h.into + c, count=n) for c, n in runs))
