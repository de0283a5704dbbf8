"""Processes that talk through gloo, torch's library for processors: sockets, one connection for every two ranks.

torch is loaded once, and then the process copies itself for every rank: eight ranks start as fast as one. They meet at
a file, so no port has to be free. When a process is gone, gloo tells the others at once (not always: see keeper.py).
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable
from functools import partial
from tempfile import TemporaryDirectory

import numpy as np

from core.run import torch_clocks
from core.run.backend import Call, Group, Link
from core.run.buffers import finished
from core.run.keeper import error, keep, tell
from core.run.plan import Piece
from core.run.runtimes import Missing
from core.run.started import started, stay_here

TAGS = 1 << 20
REDUCTIONS = {"sum": "SUM", "avg": "SUM", "prod": "PRODUCT", "max": "MAX", "min": "MIN"}


class GlooLink(Link):
    """Sends and receives of the process group itself: torch's own isend and irecv take longer to call."""

    def __init__(self, members):
        self.members = members

    def receive(self, piece: Piece, view: np.ndarray) -> tuple[Call, Call]:
        return self._prepared(self.members.recv, view, piece.src, piece.number)

    def send(self, piece: Piece, view: np.ndarray) -> tuple[Call, Call]:
        return self._prepared(self.members.send, view, piece.dst, piece.number)

    def _prepared(self, start: Callable, view: np.ndarray, peer: int, number: int) -> tuple[Call, Call]:
        import torch

        going, tensors, tag = [], [torch.from_numpy(view.view(np.uint8))], number % TAGS

        def post() -> None:
            going.append(start(tensors, peer, tag))

        def wait() -> None:
            going.pop().wait()

        return post, wait

    def close(self) -> None:
        """Nothing was taken that has to be given back."""


class GlooGroup(Group):
    def __init__(self, members, rank: int, size: int):
        self.members, self.rank, self.size = members, rank, size

    def barrier(self, idle: bool = False) -> None:
        self.members.barrier().wait()

    def gather(self, value) -> list | None:
        import torch.distributed as dist

        values = [None] * self.size if self.rank == 0 else None
        dist.gather_object(value, values, dst=0, group=self.members)
        return values

    def share(self, value):
        import torch.distributed as dist

        box = [value]
        dist.broadcast_object_list(box, src=0, group=self.members)
        return box[0]

    def first(self, size: int) -> GlooGroup | None:
        import torch.distributed as dist

        if size == self.size:
            return self
        members = dist.new_group(list(range(size)))
        return GlooGroup(members, self.rank, size) if self.rank < size else None

    def link(self) -> GlooLink:
        return GlooLink(self.members)

    def native(self, data: np.ndarray, op: str) -> Call:
        import torch
        import torch.distributed as dist

        reduction = getattr(dist.ReduceOp, REDUCTIONS[op])
        all_reduce = partial(dist.all_reduce, torch.from_numpy(data), reduction, self.members)
        if op != "avg":
            return all_reduce
        return lambda: (all_reduce(), finished(data, op, self.size))

    def versions(self) -> dict[str, str]:
        import torch

        return {
            "torch": torch.__version__,
            "gloo": f"interface {os.environ.get('GLOO_SOCKET_IFNAME', 'chosen by gloo')}",
        }

    def clocks(self) -> list[dict] | None:
        return torch_clocks.compare(self, self.members)

    def abort(self, code: int) -> None:
        os._exit(code)


def run_gloo(size: int, time_limit: float, one: Callable[[Group], int]) -> int:
    """Call one(group) in `size` copies of this process, which keeps them; 0 or an exit code. Raises Missing."""
    if not hasattr(os, "fork"):
        raise Missing("gloo runs need a system on which a process can copy itself (Linux, macOS): choose threads")
    try:
        import torch.distributed as dist
    except ImportError as problem:
        raise Missing(f"torch cannot be loaded ({str(problem).splitlines()[0]}): pip install torch") from None
    if not dist.is_available() or not dist.is_gloo_available():
        raise Missing("this torch was built without gloo: pip install --force-reinstall torch")
    world = started("gloo")
    if world.by == "torchrun":  # the others are there already
        stay_here(world)
        return _rank(world.rank, world.size, "env://", time_limit, one)
    with TemporaryDirectory() as folder:
        meet = f"file://{folder}/meet"
        ranks = {_copy(rank, size, meet, time_limit, one): rank for rank in range(size)}
        return keep(ranks)


def _copy(rank: int, size: int, meet: str, time_limit: float, one: Callable) -> int:
    """The number of a new process that is `rank`. Called before torch or anybody else has started a thread."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        code = _rank(rank, size, meet, time_limit, one)
    except Exception as problem:  # before or after what `one` does: the others may be gone already
        tell(error(rank, problem))
    finally:
        os._exit(code)


def _rank(rank: int, size: int, meet: str, time_limit: float, one: Callable[[Group], int]) -> int:
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    patience = datetime.timedelta(seconds=time_limit)
    dist.init_process_group("gloo", init_method=meet, rank=rank, world_size=size, timeout=patience)
    code = one(GlooGroup(dist.group.WORLD, rank, size))
    if not code:
        dist.destroy_process_group()
    return code
