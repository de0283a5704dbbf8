"""When every transfer really happened: run a program with a clock in it, and make a Trace of what it saw.

A transfer starts when its sender offers it and ends when its receiver has it where it belongs, added up. Stamps cost
time of their own, so the headline times come from runs without them.
"""

from __future__ import annotations

import time
from collections import deque
from itertools import repeat, starmap

import numpy as np

from core.run.backend import Executor, Group
from core.run.clocks import corrected, corrections
from core.run.plan import Piece
from core.schedule import Schedule

RUNS = 5


class Recorder:
    """An executor's calls, with a look at the clock before each piece is offered and after it is in its place."""

    def __init__(self, executor: Executor, cut: list[Piece]):
        self.acts, self.doing, self.marks, begun = [], [], [], set()
        instructions = executor.doing
        final = {i.piece: place for place, i in enumerate(instructions) if i.piece >= 0}
        mine = executor.program.vertex
        for place, (act, instruction) in enumerate(zip(executor.acts, instructions)):
            if instruction.do == "send" and instruction.piece not in begun:  # one send may be several acts
                begun.add(instruction.piece)
                self._mark(instruction.piece, 0)
            self.acts.append(act)
            self.doing.append(instruction)
            if final.get(instruction.piece) == place and cut[instruction.piece].dst == mine:
                self._mark(instruction.piece, 1)
        self.times = deque(maxlen=len(self.marks))  # each run pushes out the last one
        stamp = map(self.times.append, starmap(time.perf_counter_ns, repeat(()))).__next__  # no frame of Python
        self.acts = [stamp if act is None else act for act in self.acts]

    def _mark(self, piece: int, side: int) -> None:
        self.marks.append((piece, side))
        self.acts.append(None)  # a stamp
        self.doing.append(None)

    def run(self) -> None:
        for act in self.acts:
            act()

    def seen(self) -> np.ndarray:
        """Of the last run: int64 [number of marks], ns, in the order of self.marks."""
        return np.array(self.times, np.int64)


def record(group: Group, recorder: Recorder, num_pieces: int) -> tuple[np.ndarray, dict] | None:
    """On process 0: (float64 [num_pieces, 2], ns on its clock, of the run of median length; clock report)."""
    before = group.clocks()
    seen = []
    for _ in range(RUNS):
        group.barrier()
        recorder.run()
        seen.append(recorder.seen())
    after = group.clocks()
    everyone = group.gather((recorder.marks, seen))
    if everyone is None:
        return None
    fixes = corrections(before, after)
    runs = [_one_run(everyone, fixes, run, num_pieces) for run in range(RUNS)]
    lengths = [np.ptp(times) if times.size else 0.0 for times in runs]
    chosen = int(np.argsort(lengths)[RUNS // 2])
    return runs[chosen], _about_clocks(fixes)


def _one_run(everyone: list, fixes: list[dict], run: int, num_pieces: int) -> np.ndarray:
    times = np.zeros((num_pieces, 2))
    for (marks, seen), fix in zip(everyone, fixes):
        if marks:
            piece, side = np.array(marks).T
            times[piece, side] = corrected(seen[run], fix)
    return times


def _about_clocks(fixes: list[dict]) -> dict:
    shared = all(fix["checked"] is not None for fix in fixes)
    return {
        "kind": "one clock for all processes" if shared else "aligned by ping-pong before and after the run",
        "uncertainty_us": max(fix["uncertainty"] for fix in fixes) / 1e3,
        "agrees": all(fix["checked"] is not False for fix in fixes),
    }


def of_transfers(schedule: Schedule, cut: list[Piece], times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(start, end) of every transfer in seconds from the first start; float64 [num_transfers] each.

    A transfer of no elements was never sent: it takes no time, at the moment its sender was ready for it.
    """
    begin = times[:, 0].min(initial=np.inf) if len(times) else 0.0
    start, end = np.full(schedule.num_transfers, np.nan), np.full(schedule.num_transfers, np.nan)
    for piece, (first, last) in zip(cut, (times - begin) / 1e9):
        rows = [write.row for write in piece.writes]
        start[rows], end[rows] = first, max(first, last)
    ready = np.zeros(schedule.num_vertices)
    for s in range(schedule.num_steps):
        rows = np.arange(schedule.step_ptr[s], schedule.step_ptr[s + 1])
        empty = rows[np.isnan(start[rows])]
        start[empty] = end[empty] = ready[schedule.src[empty]]
        np.maximum.at(ready, schedule.dst[rows], end[rows])
    return start, end


def impossible(times: np.ndarray, uncertainty_ns: float) -> int:
    """How many pieces arrived before they were sent, by more than the clocks may be wrong."""
    return int((times[:, 1] + 2 * uncertainty_ns < times[:, 0]).sum())
