"""Every step in words, from the schedule alone: what a screen reader hears, and a caption under each frame.

short   one sentence with an example            full   a sentence for every transfer
table   one row for every chunk moved, for a file that a spreadsheet opens
The player has the same sentences in static/player/narrate.js; the tests compare them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.collective import ALL_REDUCE, Collective
from core.replay import apply, each_chunk
from core.schedule import REDUCE, Schedule, Step

NAMES_UP_TO = 16  # ranks: list contributors by name up to here, count them beyond
COLUMNS = ("step", "phase", "from", "to", "chunk", "becomes", "operation", "sent", "held before", "holds after")


def sentences(schedule: Schedule, collective: Collective = ALL_REDUCE, form: str = "short") -> Iterator[str]:
    """One text for each step, then one for the end. `form` is short or full."""
    if form not in ("short", "full"):
        raise ValueError(f"there is no narration {form!r}: choose short or full")
    tell = Teller(schedule, collective)
    for s, step in enumerate(schedule):
        heading, before = tell.heading(s), tell.counts()
        apply(step, tell.held)
        yield " ".join([heading, *(tell.short(step, before) if form == "short" else tell.full(step))])
    yield tell.ending()


def rows(schedule: Schedule, collective: Collective = ALL_REDUCE) -> Iterator[tuple]:
    """One row of COLUMNS for every chunk moved; the last three count contributions."""
    tell = Teller(schedule, collective)
    for s, step in enumerate(schedule):
        before = tell.counts()
        apply(step, tell.held)
        after = tell.counts()
        for i, chunk, into in zip(*(column.tolist() for column in each_chunk(step))):
            src, dst = int(step.src[i]), int(step.dst[i])
            op = "add" if step.op[i] == REDUCE else "copy"
            ends = tell.vertex(src), tell.vertex(dst)
            counted = int(before[src, chunk]), int(before[dst, into]), int(after[dst, into])
            yield s + 1, step.phase, *ends, tell.slot(chunk), tell.slot(into), op, *counted


class Teller:
    """Replays who has been added into what, and finds the words."""

    def __init__(self, schedule: Schedule, collective: Collective):
        self.schedule = schedule
        ranks, chunks = schedule.world_size, schedule.num_chunks
        self.named = ranks <= NAMES_UP_TO
        rank, chunk = np.ogrid[:ranks, :chunks]
        own = np.broadcast_to(collective.starts(rank, chunk, rank), (ranks, chunks))
        self.needs = np.broadcast_to(collective.needs(rank, chunk), (ranks, chunks))
        self.total = own.sum(axis=0)  # int64 [num_chunks], how many contributions make a chunk complete
        width = ranks if self.named else 1
        self.held = np.zeros((schedule.num_vertices, schedule.num_slots, width), np.int64)
        if self.named:
            self.held[np.arange(ranks), :chunks, np.arange(ranks)] = own
        else:
            self.held[:ranks, :chunks, 0] = own

    def counts(self) -> np.ndarray:
        """int64 [num_vertices, num_slots], contributions inside every cell now."""
        return self.held.sum(axis=2)

    def heading(self, s: int) -> str:
        done, cells = self.complete()
        phase = self.schedule.phases[s]
        where = f"Step {s + 1} of {self.schedule.num_steps}{', ' + phase if phase else ''}"
        return f"{where} ({done:,} of {cells:,} cells complete so far):"

    def short(self, step: Step, before: np.ndarray) -> list[str]:
        """`before` counts what every cell held when the step began; self.held is already after it."""
        if not len(step):
            return ["nothing moves."]
        return ["1 transfer." if len(step) == 1 else f"{len(step):,} transfers at once.", self.example(step, before)]

    def full(self, step: Step) -> list[str]:
        return [self.transfer(step, i) for i in range(len(step))] or ["nothing moves."]

    def example(self, step: Step, before: np.ndarray) -> str:
        src, dst, sent, there = self.places(step, 0)
        total = int(self.total[sent.start % self.schedule.num_chunks])
        who = self.vertex(src).capitalize() if len(step) == 1 else f"For example, {self.vertex(src)}"
        has, holds = "", ""
        if total > 1:
            has = f" ({_span(before[src, sent])} of {total} contributions)"
            holds = f" and then holds {_span(self.counts()[dst, there])}"
        sends = f"{who} sends {self.run(sent)}{has} to {self.vertex(dst)}"
        return f"{sends}, which {self.act(step, before)}{holds}."

    def act(self, step: Step, before: np.ndarray) -> str:
        """What the receiver of the step's first transfer does with it."""
        _, dst, sent, there = self.places(step, 0)
        it, copy = ("it", "copy") if sent.stop - sent.start == 1 else ("them", "copies")
        empty = not before[dst, there].any()
        if step.op[0] != REDUCE:
            return f"stores {it}" if empty else f"overwrites its {copy}"
        into = step.chunk if step.into is None else step.into
        many = int(((step.dst == dst) & (into <= there.start) & (there.start < into + step.count)).sum())
        if many > 1:
            return f"adds up all {many} that arrive" if empty else f"adds all {many} that arrive to its own"
        return f"begins its sum with {it}" if empty else f"adds {it} to its own"

    def transfer(self, step: Step, i: int) -> str:
        src, dst, sent, there = self.places(step, i)
        to = self.vertex(dst)
        verb = "to add" if step.op[i] == REDUCE else "as a copy"
        told = f"{self.vertex(src).capitalize()} sends {self.run(sent)} to {to} {verb}"
        return f"{told}; {to} now holds {self.run(there)}{self.holding(dst, there)}."

    def places(self, step: Step, i: int) -> tuple[int, int, slice, slice]:
        """(sender, receiver, the slots it leaves, the slots it becomes) of transfer i."""
        src, dst, chunk, count = (int(column[i]) for column in (step.src, step.dst, step.chunk, step.count))
        into = chunk if step.into is None else int(step.into[i])
        return src, dst, slice(chunk, chunk + count), slice(into, into + count)

    def holding(self, vertex: int, slots: slice) -> str:
        """With whose contributions, in words; how many, where the chunks differ in that or there are many ranks."""
        held, total = self.held[vertex, slots], int(self.total[slots.start % self.schedule.num_chunks])
        whole = (held.sum(axis=1) == total).all() and not (self.named and held.max() > 1)
        complete = " (complete)" if whole else ""
        if not self.named or (held != held[0]).any():
            counted = f" with {_span(held.sum(axis=1))} of {total:,} contributions" if total > 1 else ""
            return f"{counted}{complete}"
        if whole and total == self.schedule.world_size:
            return f" from all ranks{complete}"
        names = [f"{rank}" if times == 1 else f"{rank} (more than once)" for rank, times in enumerate(held[0]) if times]
        return f" from rank{'s' * (len(names) > 1)} {', '.join(names)}{complete}" if names else " empty"

    def complete(self) -> tuple[int, int]:
        """(needed cells that are complete, needed cells)."""
        ranks, chunks = self.schedule.world_size, self.schedule.num_chunks
        mine = self.held[:ranks, :chunks]
        right = mine.sum(axis=2) == self.total
        if self.named:
            right &= mine.max(axis=2) <= 1
        return int((right & self.needs).sum()), int(self.needs.sum())

    def ending(self) -> str:
        done, cells = self.complete()
        steps, moved = self.schedule.num_steps, self.schedule.num_transfers
        work = f"{steps:,} step{'s' * (steps != 1)}, {moved:,} transfer{'s' * (moved != 1)}"
        if done == cells:
            return f"Done: every rank holds what it needs, in all {cells:,} cells. {work}."
        return f"Not done: {cells - done:,} of {cells:,} cells are wrong at the end. {work}."

    def vertex(self, vertex: int) -> str:
        ranks = self.schedule.world_size
        return f"rank {vertex}" if vertex < ranks else f"switch {vertex - ranks}"

    def slot(self, slot: int) -> str:
        chunks = self.schedule.num_chunks
        return f"{slot}" if slot < chunks else f"scratch {slot - chunks}"

    def run(self, slots: slice) -> str:
        chunks, count = self.schedule.num_chunks, slots.stop - slots.start
        scratch, first = ("scratch ", slots.start - chunks) if slots.start >= chunks else ("", slots.start)
        return f"{scratch}chunk {first}" if count == 1 else f"{scratch}chunks {first}–{first + count - 1}"


def _span(counts: np.ndarray) -> str:
    """One number, or from the least to the most."""
    low, high = int(counts.min()), int(counts.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
