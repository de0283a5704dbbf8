"""Carry out one rank's program through torch.distributed: every step's messages are one batch.

NCCL has no tags: between two ranks the first that is sent is the first that arrives, and pieces are offered and
accepted in the order of the schedule. Opposite messages must be in one batch (one NCCL group), or both sides could
wait for the other to begin. A wait makes the stream wait, not the processor.

`dist` is torch.distributed, or whatever behaves like it. Tested to the bit against an imitation on the CPU; not yet
run on GPUs.
"""

from __future__ import annotations

import time
from functools import partial

import numpy as np

from core.run.backend import Call
from core.run.plan import Instruction, Piece, Program
from core.run.tensors import Areas
from core.run.tracing import Recorder
from core.run.virtual_device import Device

POSTS = ("receive", "send")


class OneStream(Device):
    """A GPU and its current stream; stamps are events, anchored to the clock of the host."""

    def __init__(self, torch, name: str):
        self.cuda, self.name = torch.cuda, name
        self.anchored, self.at = None, 0

    def settle(self) -> None:
        self.cuda.synchronize(self.name)

    def stamp(self, vertex: int, times: list) -> Call:
        def record() -> None:
            event = self.cuda.Event(enable_timing=True)
            event.record()
            times.append(event)

        return record

    def anchor(self) -> None:
        """Note a moment on both clocks: GPUs have no clock in common, their hosts do."""
        self.settle()
        self.anchored = self.cuda.Event(enable_timing=True)
        before = time.perf_counter_ns()
        self.anchored.record()
        self.anchored.synchronize()
        self.at = (before + time.perf_counter_ns()) // 2

    def nanoseconds(self, times: list) -> np.ndarray:
        return np.array([self.at + round(self.anchored.elapsed_time(event) * 1e6) for event in times], np.int64)


class TorchExecutor:
    """One act for each instruction; the last post of a step hands in the whole batch, and waits for it."""

    def __init__(self, program: Program, cut: list[Piece], dist, members, device: Device, kind: tuple[str, str, int]):
        self.program, self.doing, self.dist, self.members = program, program.instructions, dist, members
        self.device, self.areas = device, Areas(program, *kind, device.name)
        self.acts = [*self._acts(cut), device.settle]

    def _acts(self, cut: list[Piece]) -> list[Call]:
        acts, batch = [], []
        following = [*self.doing[1:], None]
        for instruction, after in zip(self.doing, following):
            if instruction.do in POSTS:
                batch.append(self._message(instruction, cut[instruction.piece]))
                complete = after is None or after.do not in POSTS
                acts.append(partial(self._exchange, batch) if complete else _nothing)
                batch = [] if complete else batch
            elif instruction.do in ("arrived", "sent"):
                acts.append(_nothing)
            else:
                acts.append(self.areas.change(instruction))
        return acts

    def _message(self, instruction: Instruction, piece: Piece):
        if instruction.do == "send":
            return self.dist.P2POp(self.dist.isend, self.areas.view(instruction.source), piece.dst, self.members)
        return self.dist.P2POp(self.dist.irecv, self.areas.view(instruction.target), piece.src, self.members)

    def _exchange(self, batch: list) -> None:
        for work in self.dist.batch_isend_irecv(batch):
            work.wait()

    def run(self) -> None:
        for act in self.acts:
            act()

    @property
    def data(self) -> np.ndarray:
        return self.areas.host()

    def load(self, values: np.ndarray) -> None:
        self.areas.load(values)
        self.device.settle()

    def fill(self, value: float) -> None:
        self.areas.fill(value)
        self.device.settle()

    def recorder(self, cut: list[Piece]) -> TorchRecorder:
        return TorchRecorder(self, cut)

    def close(self) -> None:
        """Tensors are given back when nobody holds them."""


class TorchRecorder(Recorder):
    """Stamps on the device's own clock, brought to that of the host after the run."""

    def __init__(self, executor: TorchExecutor, cut: list[Piece]):
        self.device, self.stamps = executor.device, []
        super().__init__(executor, cut)

    def _mark(self, piece: int, side: int) -> None:
        self.marks.append((piece, side))
        self.acts.append(self.device.stamp(0, self.stamps))
        self.doing.append(None)

    def run(self) -> None:
        self.stamps.clear()
        self.device.anchor()
        for act in self.acts:
            act()
        self.device.settle()

    def seen(self) -> np.ndarray:
        return self.device.nanoseconds(self.stamps)


def _nothing() -> None:
    """What the batch of this step does for this instruction."""
