"""Processes that talk through torch.distributed, and how they come to be: copies of the first, which meet at a file.

Data travels in one group (`members`: NCCL or gloo), everything else (objects, barriers) in another (`control`: gloo).
`dist` is torch.distributed, or whatever behaves like it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from tempfile import TemporaryDirectory

import numpy as np

from core.run import torch_clocks
from core.run.backend import Call, Group, Link
from core.run.plan import Piece, Program
from core.run.started import started, stay_here
from core.run.tensors import Areas
from core.run.torch_executor import TorchExecutor
from core.run.virtual_device import Device

LOOK = 0.1  # seconds between two looks at the other ranks
LAST_WORDS = 1.0  # seconds that a failing rank has to say why
REDUCTIONS = {"sum": "SUM", "avg": "SUM", "prod": "PRODUCT", "max": "MAX", "min": "MIN"}


class TorchGroup(Group):
    def __init__(self, dist, device: Device, rank: int, size: int, members=None, control=None):
        self.dist, self.device, self.rank, self.size = dist, device, rank, size
        self.members, self.control = members, control

    def barrier(self, idle: bool = False) -> None:
        self.device.settle()
        self.dist.barrier(group=self.control)

    def gather(self, value) -> list | None:
        values = [None] * self.size if self.rank == 0 else None
        self.dist.gather_object(value, values, dst=0, group=self.control)
        return values

    def share(self, value):
        box = [value]
        self.dist.broadcast_object_list(box, src=0, group=self.control)
        return box[0]

    def first(self, size: int) -> TorchGroup | None:
        if size == self.size:
            return self
        ranks = list(range(size))
        members, control = self.dist.new_group(ranks), self.dist.new_group(ranks, backend="gloo")
        return type(self)(self.dist, self.device, self.rank, size, members, control) if self.rank < size else None

    def link(self) -> Link:
        raise TypeError("torch.distributed exchanges whole steps, not single pieces: ask for an executor")

    def executor(self, program: Program, cut: list[Piece], dtype: str, op: str, world_size: int) -> TorchExecutor:
        kind = (dtype, op, world_size)
        return TorchExecutor(program, cut, self.dist, self.members, self.device, kind)

    def native(self, data: np.ndarray, op: str) -> Call | None:
        """torch's own all-reduce, on a buffer of the same size on the device."""
        whole = Program(self.rank, (), len(data), 0)
        areas = Areas(whole, data.dtype.name, op, self.size, self.device.name)
        areas.load(data)
        reduction = getattr(self.dist.ReduceOp, REDUCTIONS[op])
        divide = areas.average(areas.data) if op == "avg" else None

        def all_reduce() -> None:
            self.dist.all_reduce(areas.data, op=reduction, group=self.members)
            if divide:
                divide()
            self.device.settle()

        return all_reduce

    def versions(self) -> dict[str, str]:
        import torch

        return {"torch": torch.__version__}

    def clocks(self) -> list[dict] | None:
        return torch_clocks.compare(self, self.control)

    def abort(self, code: int) -> None:
        os._exit(code)


def run_ranks(size: int, one_rank: Callable[[int, int, str], int]) -> int:
    """Call one_rank(rank, size, where to meet) in `size` processes; the largest exit code.

    Under torchrun the others are there already. Otherwise this process is rank 0 and starts the others: the same
    command again, with a number in the environment.
    """
    mine = os.environ.get("ALLREDUCE_RANK")
    if mine is not None:
        return one_rank(int(mine), size, os.environ["ALLREDUCE_MEET"])
    world = started("nccl")
    if world.by == "torchrun":
        stay_here(world)  # objects and barriers go through gloo
        return one_rank(world.rank, world.size, "env://")
    with TemporaryDirectory() as folder:
        meet = f"file://{folder}/meet"
        others = [_start(rank, meet) for rank in range(1, size)]
        threading.Thread(target=_guard, args=(others,), daemon=True).start()
        try:
            codes = [one_rank(0, size, meet), *(other.wait() for other in others)]
            return max(map(abs, codes))  # those of ranks that a signal ended are negative
        finally:
            for other in others:
                other.kill()  # no effect on those that have ended
                other.wait()


def _start(rank: int, meet: str) -> subprocess.Popen:
    env = os.environ | {"ALLREDUCE_RANK": str(rank), "ALLREDUCE_MEET": meet}
    return subprocess.Popen(sys.orig_argv, env=env, stdin=subprocess.DEVNULL)


def _guard(others: list[subprocess.Popen]) -> None:
    """When a rank has failed, end: without it this one would wait for ever."""
    while not any(codes := [other.poll() for other in others]):
        if None not in codes:
            return
        time.sleep(LOOK)
    time.sleep(LAST_WORDS)
    for other in others:
        other.kill()
    os._exit(1)
