"""Virtual ranks: one process plays all ranks of a schedule, on the tensors of one device.

Every rank has its own memory on the device, and on a GPU its own stream; what one rank waits for from another is an
event between their streams, so that the GPU itself keeps the order of the schedule while the host only launches. On
the CPU the same program runs one call after another. All ranks share one memory system: what is measured is how much
work an algorithm is, not how it fares on links.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from core.run.backend import Call
from core.run.plan import Instruction, Piece, Program, pieces, programs
from core.run.tensors import Areas
from core.run.virtual_device import device_of
from core.run.virtual_weave import weave
from core.schedule import Schedule

Stamp = tuple[int, int]  # (piece, 0: it is offered, 1: it is where it belongs)


class Machine:
    """The programs of all vertices, ready to be carried out any number of times by one thread."""

    def __init__(self, plans: list[Program], cut: list[Piece], dtype: str, op: str, world_size: int, device: str = ""):
        self.cut, self.device = cut, device_of(device, len(plans))
        self.areas = [Areas(plan, dtype, op, world_size, self.device.name) for plan in plans]
        self.order = weave(plans)
        self.spans = {(i.do, i.piece): i.target or i.source for _, i in self.order if i.do in ("receive", "send")}
        self.acts = self._acts()

    def run(self) -> None:
        for act in self.acts:
            act()
        self.device.settle()

    def stamped(self) -> tuple[list[Stamp], Callable[[], np.ndarray]]:
        """What is stamped, and a call that runs once and returns the time of each stamp: int64, ns."""
        marks, times = [], []
        acts = self._acts(marks, times)

        def run() -> np.ndarray:
            times.clear()
            for act in acts:
                act()
            self.device.settle()
            return self.device.nanoseconds(times) if times else np.empty(0, np.int64)

        return marks, run

    def _acts(self, marks: list[Stamp] | None = None, times: list | None = None) -> list[Call]:
        acts, at = [], -1
        last = {(v, i.piece): place for place, (v, i) in enumerate(self.order) if i.piece >= 0}
        for place, (vertex, instruction) in enumerate(self.order):
            if vertex != at:
                acts += self.device.on(vertex)
                at = vertex
            number = instruction.piece
            if marks is not None and instruction.do == "send":
                marks.append((number, 0))
                acts.append(self.device.stamp(vertex, times))
            acts += self._calls(vertex, instruction)
            if marks is not None and number >= 0 and self.cut[number].dst == vertex and last[vertex, number] == place:
                marks.append((number, 1))
                acts.append(self.device.stamp(vertex, times))
        return acts

    def _calls(self, vertex: int, instruction: Instruction) -> list[Call]:
        do, number = instruction.do, instruction.piece
        if do == "receive":
            return []
        if do == "send":
            return self.device.mark(vertex, ("offered", number))
        if do == "sent":
            return self.device.after(vertex, ("taken", number))
        if do != "arrived":
            return [self.areas[vertex].change(instruction)]
        theirs = self.areas[self.cut[number].src].view(self.spans["send", number])
        mine = self.areas[vertex].view(self.spans["receive", number])
        wait, sign = self.device.after(vertex, ("offered", number)), self.device.mark(vertex, ("taken", number))
        return [*wait, partial(mine.copy_, theirs), *sign]


def all_reduce(schedule: Schedule, inputs: np.ndarray, op: str = "sum", device: str = "") -> np.ndarray:
    """What every rank holds after the schedule, [world_size, num_elements], from inputs[rank, num_elements]."""
    num_elements = inputs.shape[1]
    cut = pieces(schedule, num_elements)
    plans = programs(schedule, cut, num_elements, op, inputs.itemsize)
    machine = Machine(plans, cut, inputs.dtype.name, op, schedule.world_size, device)
    for area, values in zip(machine.areas, inputs):
        area.load(values)
    machine.run()
    return np.stack([area.host()[:num_elements] for area in machine.areas[: schedule.world_size]])
