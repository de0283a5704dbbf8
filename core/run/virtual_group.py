"""Virtual ranks as the worker wants them: a thread for every rank, of which the first does the work of all.

The worker checks, times and records a run from within each rank. Here the ranks only say that they want a run; the
first of them carries out the programs of all once everybody has asked.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

import numpy as np

from core.run.backend import Call, Group
from core.run.plan import Piece, Program
from core.run.threads import Hall, ThreadGroup, run_threads
from core.run.virtual import Machine
from core.run.virtual_device import device_of


class Seat:
    """One rank's share of a Machine, for the worker: rank 0 runs it for all once every rank has asked for it."""

    def __init__(self, hub: Hub, program: Program):
        self.hub, self.program, self.acts = hub, program, []
        self.area = hub.machine.areas[program.vertex]

    @property
    def data(self) -> np.ndarray:
        self.hub.finish(self.program.vertex)
        return self.area.host()

    def load(self, values: np.ndarray) -> None:
        self.hub.finish(self.program.vertex)
        self.area.load(values)
        self.hub.machine.device.settle()

    def fill(self, value: float) -> None:
        self.hub.finish(self.program.vertex)
        self.area.fill(value)
        self.hub.machine.device.settle()

    def run(self) -> None:
        self.hub.ask(self.program.vertex, self.hub.machine.run)

    def recorder(self, cut: list[Piece]) -> SeatRecorder:
        return SeatRecorder(self)

    def close(self) -> None:
        """Nothing was taken that has to be given back."""


class SeatRecorder:
    """The stamps of all vertices, on rank 0; nothing on the others."""

    def __init__(self, seat: Seat):
        self.hub, self.vertex = seat.hub, seat.program.vertex
        self.marks, self._run = seat.hub.machine.stamped() if self.vertex == 0 else ([], None)
        self._seen = np.empty(0, np.int64)

    def run(self) -> None:
        self.hub.ask(self.vertex, self._keep)

    def seen(self) -> np.ndarray:
        return self._seen

    def _keep(self) -> None:
        self._seen = self._run()


class Hub:
    """Where the threads that stand for the ranks ask for runs, and wait for their end."""

    def __init__(self, machine: Machine):
        self.machine, self.asked, self.done = machine, [0] * len(machine.areas), 0
        self.change = threading.Condition()

    def ask(self, vertex: int, run: Call) -> None:
        """Rank 0 waits for the others and runs; the others go on at once."""
        with self.change:
            self.asked[vertex] += 1
            self.change.notify_all()
            if vertex:
                return
            self.change.wait_for(lambda: min(self.asked) > self.done)
        run()
        with self.change:
            self.done += 1
            self.change.notify_all()

    def finish(self, vertex: int) -> None:
        """Wait until every run that this vertex asked for is over."""
        with self.change:
            self.change.wait_for(lambda: self.done >= self.asked[vertex])


class VirtualGroup(ThreadGroup):
    """A thread for every rank, as the worker wants it; the work itself is done by the first of them."""

    def __init__(self, hall: Hall, rank: int, device: str = ""):
        super().__init__(hall, rank)
        self.device = device

    def first(self, size: int) -> VirtualGroup | None:
        return VirtualGroup(self.hall.first(size), self.rank, self.device) if self.rank < size else None

    def executor(self, program: Program, cut: list[Piece], dtype: str, op: str, world_size: int) -> Seat:
        plans = self.gather(program)
        hub = plans and Hub(Machine(plans, cut, dtype, op, world_size, self.device))
        return Seat(self.share(hub), program)

    def versions(self) -> dict[str, str]:
        import torch

        name = device_of(self.device, 0).name
        what = "the processor" if name == "cpu" else torch.cuda.get_device_name(name)
        return {"virtual ranks": f"one memory system: {what}", "torch": torch.__version__}


def run_virtual(size: int, one: Callable[[Group], int], device: str = "") -> int:
    """Call one(group) for `size` virtual ranks on one device; the largest of their exit codes. Raises ImportError."""
    import torch

    torch.set_num_threads(1)  # small tensors, and a processor for the ranks' own thread
    return run_threads(size, one, partial(VirtualGroup, device=device))
