"""Ranks of one host that read each other's memory: no messages at all, only flags.

All data lies in memory that every process sees. A sender does not send: it raises the flag of a piece when its
elements may be read. The receiver adds them straight from the sender's memory to its own, and raises the second flag
of that piece if the sender waits for it: the sender may write there again. The program is the same as for messages, so
the same dangers are removed; where a step changes what it also offers, the piece still takes the way through the
staging area. A sender that knows the place in the receiver's memory to be free (core.run.knowledge) writes there
itself: what it has just added up is still in its cache, and with segments that is so for a buffer of any size.

The flags rely on stores becoming visible in the order they were made, as on x86 processors; refuse() says so elsewhere.
"""

from __future__ import annotations

import os
import platform
import time
from collections import Counter
from functools import partial
from itertools import pairwise
from operator import setitem

import numpy as np

from core.replay import identity
from core.run.backend import Call
from core.run.blocks import worthwhile, woven
from core.run.buffers import LARGE_PAGE, PAGE, Arena, adding, finished, use_large_pages
from core.run.knowledge import Knowledge
from core.run.mpi import forget_names
from core.run.plan import Instruction, Piece, Program, Span
from core.run.tracing import Recorder
from core.run.waits import thinned

APART = 8  # flags (8 bytes each) from one piece to the next: every piece has a cache line of its own
ROOMY, CROWDED = 2000, 20  # looks at a flag before others may run: with a processor for everyone, or not
PATIENCE = 200  # times that others may run before this one naps: then something takes longer than a step should
NAP = 50e-6  # seconds; on a machine that others use too, who naps leaves them, and the partner, a processor
let_others_run = getattr(os, "sched_yield", partial(time.sleep, 0))


def refuse(hosts: int) -> str:
    """Why processes cannot share memory like this, or ""."""
    if hosts > 1:
        return f"the processes are on {hosts} hosts: they share no memory, use messages"
    if platform.machine().lower() not in ("x86_64", "amd64", "i686"):
        return f"shared memory is only used on x86 processors, and this is {platform.machine()}: use messages"
    return ""


class WindowExecutor:
    """One vertex's program, on memory that all vertices share. Preparing and closing are for all of them at once."""

    def __init__(self, comm, program: Program, cut: list[Piece], arena: Arena, kind: tuple):
        from mpi4py import MPI

        dtype, self.op, self.world_size = kind
        self.program, self.cut, self.comm = program, cut, comm
        self.empty = identity(self.op, dtype)
        self.crowded = comm.Get_size() > (os.cpu_count() or 1)
        itemsize = np.dtype(dtype).itemsize
        wanted = max(1, program.num_elements * itemsize)
        page = LARGE_PAGE if wanted >= LARGE_PAGE else PAGE
        rounded = -(-wanted // page) * page
        self.windows = [
            MPI.Win.Allocate_shared(rounded, 1, comm=comm),
            MPI.Win.Allocate_shared(2 * 8 * APART * len(cut) if comm.Get_rank() == 0 else 0, 1, comm=comm),
        ]
        self.memory = [self._seen(0, vertex, dtype) for vertex in range(comm.Get_size())]
        self.data = self.memory[comm.Get_rank()][: program.num_elements]
        self.data.fill(0)
        use_large_pages(self.memory[comm.Get_rank()])
        self.staging = arena.take("staging", program.num_staging, dtype)
        flags = memoryview(self._seen(1, 0, np.int64))
        self.offered, self.taken = flags[: APART * len(cut)], flags[APART * len(cut) :]
        self.turn = memoryview(np.zeros(1, np.int64))  # counts the runs: a flag that holds this number is raised
        self.doing, self.acts = self._prepare()
        forget_names(comm)  # and nobody reads before everybody has cleared their memory and flags

    def _seen(self, window: int, vertex: int, dtype) -> np.ndarray:
        found = np.frombuffer(self.windows[window].Shared_query(vertex)[0], np.uint8)
        if window == 1 and self.comm.Get_rank() == 0:
            found[:] = 0
        return found[: len(found) // np.dtype(dtype).itemsize * np.dtype(dtype).itemsize].view(dtype)

    def run(self) -> None:
        self.turn[0] += 1
        for act in self.acts:
            act()

    def recorder(self, cut: list[Piece]) -> Recorder:
        return WindowRecorder(self, cut)

    def load(self, values: np.ndarray) -> None:
        self.data[: len(values)] = values

    def fill(self, value: float) -> None:
        self.data.fill(value)

    def close(self) -> None:
        """Give the memory back; nobody may look at it after that."""
        self.comm.Barrier()
        self.acts, self.doing = [], []
        self.memory = self.data = None
        self.offered.release()
        self.taken.release()
        for window in self.windows:
            window.Free()

    def _prepare(self) -> tuple[list[Instruction], list[Call]]:
        """The instructions that are left, and a call for each."""
        known = Knowledge(self.cut, len(self.memory))
        self.written = known.written
        steps = list(thinned(self.program.instructions, self.cut, known))
        self.awaited = self._of_all({i.piece for i in steps if i.do == "sent"})
        straight = self._straight(steps)
        homes = {i.piece: i.target for i in steps if i.do == "receive"}
        lines = [[(i, call) for call in self._calls(i, homes, straight)] for i in steps]
        active = [(i, line) for i, line in zip(steps, lines) if line]  # receiving is no act: the sender writes
        for (use, line), (send, after) in pairwise(active):
            if self._passes_on(use, send, straight):
                line[:1], after[:1] = self._in_blocks(use, send, straight), []
        flat = [found for line in lines for found in line]
        return [instruction for instruction, _ in flat], [call for _, call in flat]

    def _passes_on(self, use: Instruction, send: Instruction, straight: set[int]) -> bool:
        """Is what `use` has added up or copied just what `send` writes into its receiver's memory next?"""
        if use.do not in ("reduce", "copy") or send.do != "send" or send.piece not in self.written:
            return False
        piece = self.cut[send.piece]
        same = use.target == ("data", piece.first, piece.last)
        return same and worthwhile(*self._operands(use, straight), self._home(piece))

    def _in_blocks(self, use: Instruction, send: Instruction, straight: set[int]) -> list[tuple[Instruction, Call]]:
        blocks = woven(partial(self._combine, use.do), *self._operands(use, straight), self._home(self.cut[send.piece]))
        return [found for first, second in blocks for found in ((use, first), (send, second))]

    def _of_all(self, mine: set[int]) -> set[int]:
        """What any of the processes has."""
        return set().union(*self.comm.allgather(mine))

    def _straight(self, steps: list[Instruction]) -> set[int]:
        """The pieces that are used as soon as they are here, and only once: they need no copy."""
        uses = Counter(i.piece for i in steps if i.do in ("reduce", "copy"))
        follows = {a.piece for a, b in pairwise(steps) if a.do == "arrived" and b.piece == a.piece}
        return {piece for piece in follows if uses[piece] == 1}

    def _calls(self, instruction: Instruction, homes: dict, straight: set[int]) -> list[Call]:
        do, number, target, _ = instruction
        if do == "receive":
            return []
        if do == "send":
            offer = [self._raise(self.offered, number)]
            return [self._write(self.cut[number]), *offer] if number in self.written else offer
        if do == "sent":
            return [self._until(self.taken, number)]
        if do == "arrived":
            wait = self._until(self.offered, number)
            if number in self.written or number in straight:
                return [wait]
            return [wait, partial(setitem, self._view(homes[number]), ..., self._theirs(number)), *self._done(number)]
        if do in ("reduce", "copy"):
            act = self._combine(do, *self._operands(instruction, straight))
            return [act, *self._done(number)] if number in straight else [act]
        home = self._view(target)
        return [partial(home.fill, self.empty) if do == "fill" else partial(finished, home, self.op, self.world_size)]

    def _combine(self, do: str, mine: np.ndarray, other: np.ndarray) -> Call:
        return partial(setitem, mine, ..., other) if do == "copy" else adding(self.op, mine, other)

    def _operands(self, use: Instruction, straight: set[int]) -> tuple[np.ndarray, np.ndarray]:
        """Where the result of this use of a piece goes, and what goes into it."""
        mine = self._view(use.target)
        if use.piece not in straight:
            return mine, self._view(use.source)
        offset = self.cut[use.piece].writes[0].offset
        return mine, self._theirs(use.piece)[offset : offset + len(mine)]

    def _done(self, number: int) -> list[Call]:
        """Say that the piece was taken, if its sender wants to know."""
        return [self._raise(self.taken, number)] if number in self.awaited else []

    def _write(self, piece: Piece) -> Call:
        return partial(setitem, self._home(piece), ..., self.data[piece.first : piece.last])

    def _home(self, piece: Piece) -> np.ndarray:
        first = piece.writes[0].target
        return self.memory[piece.dst][first : first + piece.last - piece.first]

    def _theirs(self, number: int) -> np.ndarray:
        piece = self.cut[number]
        return self.memory[piece.src][piece.first : piece.last]

    def _view(self, span: Span) -> np.ndarray:
        return getattr(self, span.area)[span.first : span.last]

    def _raise(self, flags: memoryview, number: int) -> Call:
        turn, place = self.turn, number * APART

        def raise_flag() -> None:
            flags[place] = turn[0]

        return raise_flag

    def _until(self, flags: memoryview, number: int) -> Call:
        turn, place, looks = self.turn, number * APART, CROWDED if self.crowded else ROOMY

        def wait() -> None:
            left = looks
            while flags[place] < turn[0]:
                left -= 1
                if left < -PATIENCE:
                    time.sleep(NAP)
                elif left < 0:
                    let_others_run()

        return wait


class WindowRecorder(Recorder):
    """A recorder whose run is also a turn of the executor."""

    def __init__(self, executor: WindowExecutor, cut: list[Piece]):
        super().__init__(executor, cut)
        self.turn = executor.turn

    def run(self) -> None:
        self.turn[0] += 1
        super().run()
