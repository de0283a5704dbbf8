"""What every way of running a schedule has in common: carry out a program, call by call.

A backend says how its processes meet (Group) and how one of them sends and receives (Link). Everything else (the
order of the calls, the additions, the times) is the same for MPI, gloo and threads.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial

import numpy as np

from core.replay import identity
from core.run.buffers import Arena, adding, finished
from core.run.plan import Instruction, Piece, Program, Span

Call = Callable[[], object]


class Link(ABC):
    """How one process offers and accepts pieces. Both calls prepare; nothing moves before the first result is called.

    Each returns (post, wait). After `wait` of a receive the data is there; after `wait` of a send its memory is free.
    """

    @abstractmethod
    def receive(self, piece: Piece, view: np.ndarray) -> tuple[Call, Call]: ...

    @abstractmethod
    def send(self, piece: Piece, view: np.ndarray) -> tuple[Call, Call]: ...

    @abstractmethod
    def close(self) -> None:
        """Give back what was prepared."""


class Group(ABC):
    """The processes of a run, seen from one of them."""

    rank: int
    size: int

    @abstractmethod
    def barrier(self, idle: bool = False) -> None:
        """Wait for everybody; those who were idle wait without taking a processor from the others."""

    @abstractmethod
    def gather(self, value) -> list | None:
        """Everybody's value, on process 0; None elsewhere."""

    @abstractmethod
    def share(self, value):
        """Process 0's value, everywhere."""

    @abstractmethod
    def first(self, size: int) -> Group | None:
        """The group of the first `size` processes; None on the others. All must ask."""

    @abstractmethod
    def link(self) -> Link: ...

    def executor(self, program: Program, cut: list[Piece], dtype, op: str, world_size: int) -> Executor:
        """What carries out this process's program. All processes of the group must ask."""
        return Executor(program, cut, self.link(), self.arena, (dtype, op, world_size))

    @property
    def arena(self) -> Arena:
        """This process's memory for runs, one after another."""
        return self.__dict__.setdefault("_arena", Arena())

    @abstractmethod
    def native(self, data: np.ndarray, op: str) -> Call | None:
        """The library's own all-reduce of `data`, in place; None where it has none for this dtype or op."""

    @abstractmethod
    def versions(self) -> dict[str, str]: ...

    def findings(self) -> dict:
        """On process 0, after the run: what else became known about the library, for the result's `about`."""
        return {}

    def clocks(self) -> list[dict] | None:
        """On process 0, for everyone: what to add to a time in ns, and how far that may be wrong. One host: nothing."""
        return self.gather({"offset": 0.0, "uncertainty": 0.0, "measured": False})

    @abstractmethod
    def abort(self, code: int) -> None:
        """End every process of the run at once."""


class Executor:
    """One vertex's program as a list of calls without arguments, prepared once and carried out many times."""

    def __init__(self, program: Program, cut: list[Piece], link: Link, arena: Arena, kind: tuple):
        dtype, self.op, self.world_size = kind
        self.program, self.link = program, link
        self.data = arena.take("data", program.num_elements, dtype)
        self.staging = arena.take("staging", program.num_staging, dtype)
        self.empty = identity(self.op, dtype)
        self.waits: dict[tuple[str, int], Call] = {}
        self.doing = program.instructions  # which instruction each act carries out
        self.acts = [self._act(instruction, cut) for instruction in self.doing]

    def run(self) -> None:
        for act in self.acts:
            act()

    def close(self) -> None:
        self.link.close()

    def load(self, values: np.ndarray) -> None:
        """Put a rank's input where the program expects it."""
        self.data[: len(values)] = values

    def fill(self, value: float) -> None:
        """Put the same number everywhere in the data."""
        self.data.fill(value)

    def recorder(self, cut: list[Piece]):
        """A tracing.Recorder: the same calls, with stamps."""
        from core.run.tracing import Recorder  # which needs this module

        return Recorder(self, cut)

    def _act(self, instruction: Instruction, cut: list[Piece]) -> Call:
        do, number, target, source = instruction
        if do in ("receive", "send"):
            connect = self.link.receive if do == "receive" else self.link.send
            post, self.waits[do, number] = connect(cut[number], self._view(target or source))
            return post
        if do in ("arrived", "sent"):
            return self.waits["receive" if do == "arrived" else "send", number]
        place = self._view(target)
        if do == "reduce":
            return adding(self.op, place, self._view(source))
        if do == "copy":
            return partial(np.copyto, place, self._view(source))
        return partial(place.fill, self.empty) if do == "fill" else partial(finished, place, self.op, self.world_size)

    def _view(self, span: Span) -> np.ndarray:
        return getattr(self, span.area)[span.first : span.last]
