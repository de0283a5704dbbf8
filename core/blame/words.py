"""Say what is wrong in plain words. In words steps count from 1, as in the player and in schedules as text."""

from __future__ import annotations

from collections.abc import Sequence

from core.blame.report import MAX_CELLS, Cell
from core.edits import Edit, Hop, hop
from core.schedule import COPY, Schedule


class Words:
    """Names the vertices, chunks and transfers of one schedule."""

    def __init__(self, schedule: Schedule):
        self.schedule = schedule

    def vertex(self, v: int) -> str:
        return f"{'rank' if v < self.schedule.world_size else 'switch'} {v}"

    def chunks(self, first: int, count: int = 1) -> str:
        """Chunk slots by their names: scratch buffers follow the data."""
        buffer, first = divmod(first, self.schedule.num_chunks)
        name = f"chunk {first}" if count == 1 else f"chunks {first}-{first + count - 1}"
        return name if buffer == 0 else f"{name} of scratch buffer {buffer}"

    def place(self, at: Cell) -> str:
        return f"{self.chunks(at.chunk)} of {self.vertex(at.vertex)}"

    def transfer(self, h: Hop) -> str:
        """rank 0 -> rank 1, chunk 2, REDUCE"""
        moved = "" if h.into == h.chunk else f" into {self.chunks(h.into, h.count)}"
        op = "COPY" if h.op == COPY else "REDUCE"
        return f"{self.vertex(h.src)} -> {self.vertex(h.dst)}, {self.chunks(h.chunk, h.count)}{moved}, {op}"

    def cell(self, wrong: Cell) -> str:
        """chunk 3 of rank 1 misses the input of rank 0 and has the input of rank 2 more than once"""
        faults = []
        if wrong.missing:
            faults.append(f"misses {inputs(wrong.missing)}")
        if wrong.doubled:
            faults.append(f"has {inputs(wrong.doubled)} more than once")
        if not faults:
            faults.append(f"holds {inputs(wrong.extra)}, which should not be there")
        return f"{self.place(wrong)} {' and '.join(faults)}"

    def mistake(self, edit: Edit) -> str:
        """What is wrong with the transfer that `edit` repairs."""
        if edit.row is None:
            return f"a transfer is missing ({'; '.join(map(self.transfer, edit.hops))})"
        old = hop(self.schedule, edit.row)
        return f"transfer {edit.row} ({self.transfer(old)}) {self._should(edit, old)}"

    def _should(self, edit: Edit, old: Hop) -> str:
        if edit.kind == "drop":
            return "should not be there"
        new = edit.hops[0]
        if edit.kind == "flip":
            return "should add (REDUCE), not overwrite" if old.op == COPY else "should overwrite (COPY), not add"
        if edit.kind == "reverse":
            return f"goes the wrong way: {self.vertex(new.src)} should send to {self.vertex(new.dst)}"
        if edit.kind == "redirect" and new.src != old.src:
            return f"should come from {self.vertex(new.src)}"
        if edit.kind == "redirect":
            return f"should go to {self.vertex(new.dst)}"
        if edit.kind == "shift":
            return f"should carry {self.chunks(new.chunk, new.count)}"
        return f"comes too {'early' if new.step > old.step else 'late'}: it belongs in step {new.step + 1}"

    def race(self, rows: Sequence[int], at: Cell) -> str:
        return (
            f"in step {at.step + 1}, {listed('transfer', rows)} write {self.place(at)} at the same time, "
            "and a COPY allows no other writer"
        )

    def at_the_end(self, end: Sequence[Cell]) -> str:
        if not end:
            return ""
        many = f"at least {len(end)}" if len(end) == MAX_CELLS else str(len(end))
        verb = "place is" if len(end) == 1 else "places are"
        return f" At the end {many} {verb} wrong: {self.cell(end[0])}{' ...' if len(end) > 1 else '.'}"


def listed(noun: str, numbers: Sequence[int], most: int = 8) -> str:
    """rank 3; ranks 1, 2 and 5; ranks 0, 1, 2 ... 63 (64 in all)"""
    numbers = list(numbers)
    if len(numbers) == 1:
        return f"{noun} {numbers[0]}"
    if len(numbers) > most:
        head = ", ".join(map(str, numbers[:3]))
        return f"{noun}s {head} ... {numbers[-1]} ({len(numbers)} in all)"
    return f"{noun}s {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


def inputs(ranks: Sequence[int]) -> str:
    return f"the input{'s' * (len(ranks) > 1)} of {listed('rank', ranks)}"


def kind(schedule: Schedule, edit: Edit) -> str:
    """The key of report.KINDS for the mistake that `edit` repairs."""
    if edit.row is None:
        return "missing hop"
    changed = {"shift": "wrong chunk", "reverse": "wrong direction", "redirect": "wrong partner", "move": "wrong step"}
    harm = "overwritten too early" if schedule.op[edit.row] == COPY else "double addition"
    return changed.get(edit.kind, harm)


def one_fault(
    schedule: Schedule,
    step: int,
    repairs: Sequence[Edit],
    raced: Sequence[int],
    at: Cell,
    end: Sequence[Cell],
    complete: bool,
) -> str:
    """What to say when single edits repair a schedule, the likeliest first.

    `raced` are the transfers that race; `complete` says whether every single edit was tried.
    """
    say, best = Words(schedule), repairs[0]
    if raced:
        says = f"{say.race(raced, at)}. The likeliest repair: {say.mistake(best)}{_or_its_twin(schedule, repairs)}."
    else:
        when = "At the end" if at.step == schedule.num_steps else f"After step {at.step}"
        says = f"in step {step + 1}, {say.mistake(best)}{_or_its_twin(schedule, repairs)}. {when} {say.cell(at)}."
        says += say.at_the_end(end) if at.step < schedule.num_steps else ""
    return f"{schedule.name}: {says}{_others(len(repairs) - 1, complete)}"


def _others(count: int, complete: bool) -> str:
    if not count:
        return "" if complete else " (Not every other change was tried.)"
    least = "" if complete else "At least "
    return f" {least}{count} other single change{'s' * (count > 1)} would repair it too."


def _or_its_twin(schedule: Schedule, repairs: Sequence[Edit]) -> str:
    """Of two equal transfers it does not matter which one goes."""
    if len(repairs) > 1 and repairs[0].kind == repairs[1].kind == "drop":
        first, second = (hop(schedule, edit.row) for edit in repairs[:2])
        if first == second:
            return f", or transfer {repairs[1].row}, which does the same"
    return ""
