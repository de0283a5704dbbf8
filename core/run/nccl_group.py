"""NCCL ranks: one process for each GPU, steered by a Setting, and asked afterwards what NCCL really did.

Written from the documentation of torch and NCCL, and tested against imitations of both on the CPU; not yet run on a
machine with GPUs.
"""

from __future__ import annotations

import datetime
import os
import sys
import tempfile
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from core.run.backend import Call, Group
from core.run.nccl_log import choices, rings, trees
from core.run.nccl_settings import (
    MULTIMEM,
    SHARED_LIMIT,
    Place,
    Setting,
    environment,
    explain,
    impossible,
    obeyed,
)
from core.run.probes_gpu import GET_CUDA
from core.run.request import Request
from core.run.runtimes import Missing
from core.run.torch_executor import OneStream
from core.run.torch_group import TorchGroup, run_ranks

PATIENCE = 15  # seconds after which NCCL gives up a call that does not end


class NcclGroup(TorchGroup):
    setting, version, folder = Setting(), (), ""

    def native(self, data: np.ndarray, op: str) -> Call | None:
        if self.setting.algorithm == MULTIMEM:
            return self._multimem(data, op)
        return super().native(data, op)

    def _multimem(self, data: np.ndarray, op: str) -> Call | None:
        """The all-reduce whose additions the NVLink switch does; None for what the switch cannot add."""
        if op != "sum" or data.dtype != np.float32:
            return None
        import torch
        import torch.distributed._symmetric_memory as symmetric

        group = (self.members or self.dist.group.WORLD).group_name
        shared = symmetric.empty(len(data), dtype=torch.float32, device=self.device.name)
        symmetric.rendezvous(shared, group)
        shared.copy_(torch.from_numpy(data))

        def add_in_the_switch() -> None:
            torch.ops.symm_mem.multimem_all_reduce_(shared, "sum", group)
            self.device.settle()

        return add_in_the_switch

    def versions(self) -> dict[str, str]:
        import torch

        gpu = torch.cuda.get_device_name(self.device.name)
        shared = ", all ranks on one of them (experimental)" if self.setting.shared else ""
        return super().versions() | {"NCCL": ".".join(map(str, self.version)), "GPUs": f"{gpu}{shared}"}

    def findings(self) -> dict:
        """On process 0: what was asked of NCCL, what its log says it did, and its own rings and trees."""
        log = "".join(path.read_text(errors="replace") for path in sorted(Path(self.folder).glob("nccl.*.log")))
        seen = choices(log)
        return {
            "nccl": {
                "asked": self.setting.label,
                "did": obeyed(self.setting, seen),
                "choices": list(dict.fromkeys(map(str, seen))),
                "rings": {str(channel): ranks for channel, ranks in rings(log).items()},
                "trees": {str(channel): parents for channel, parents in trees(log).items()},
            }
        }


def run_nccl(request: Request, one: Callable[[Group], int]) -> int:
    """Call one(group) in every rank's process. Raises Missing with a sentence where that cannot work."""
    try:
        import torch
        import torch.distributed as dist
    except (ImportError, OSError) as problem:
        raise Missing(f"torch cannot be loaded ({str(problem).splitlines()[0]}): pip install torch") from None
    if not torch.cuda.is_available() or not dist.is_available() or not dist.is_nccl_available():
        raise Missing(f"NCCL needs an NVIDIA GPU, and torch {torch.__version__} finds none it can use: {GET_CUDA}")
    setting = Setting(**request.nccl)
    if problem := impossible(setting, place_of(torch, request.num_processes)):
        raise Missing(problem)
    return run_ranks(request.num_processes, partial(_one_rank, torch, dist, setting, one))


def place_of(torch, ranks: int) -> Place:
    from torch._C._autograd import DeviceType
    from torch._C._distributed_c10d import _SymmetricMemory

    count = torch.cuda.device_count()
    multicast = all(_SymmetricMemory.has_multicast_support(DeviceType.CUDA, i) for i in range(count))
    version, capability = tuple(torch.cuda.nccl.version()), torch.cuda.get_device_capability(0)
    hosts = -(-ranks // int(os.environ.get("LOCAL_WORLD_SIZE", ranks)))
    return Place(version, count, ranks, hosts, capability, multicast)


def _one_rank(torch, dist, setting: Setting, one: Callable[[Group], int], rank: int, size: int, meet: str) -> int:
    if setting.shared:
        _limit(SHARED_LIMIT)
    version = tuple(torch.cuda.nccl.version())
    here = int(os.environ.get("LOCAL_RANK", rank))
    device = f"cuda:{0 if setting.shared else here}"
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(environment(setting, version, folder))  # NCCL reads it when the communicator is made
        torch.cuda.set_device(device)
        group = open_group(dist, torch, device, (rank, size, meet))
        group.setting, group.version, group.folder = setting, version, folder
        code = one(group)
        group.barrier()
        dist.destroy_process_group()
        return code


def open_group(dist, torch, device: str, how: tuple[int, int, str]) -> NcclGroup:
    """Make the communicator, and use it once with all ranks: only then may some of them exchange messages alone."""
    rank, size, meet = how
    limit = datetime.timedelta(seconds=PATIENCE)
    try:
        dist.init_process_group(
            "nccl", init_method=meet, rank=rank, world_size=size, timeout=limit, device_id=torch.device(device)
        )
        control = dist.new_group(backend="gloo", timeout=limit)
        group = NcclGroup(dist, OneStream(torch, device), rank, size, None, control)
        dist.all_reduce(torch.zeros(1, device=device))
        group.device.settle()
    except RuntimeError as problem:
        raise Missing(explain(str(problem))) from None
    return group


def _limit(seconds: float) -> None:
    """End this process after so long, with a sentence."""

    def end() -> None:
        print(f"ranks that share a GPU waited for each other for {seconds:g} s, so they were ended", file=sys.stderr)
        sys.stderr.flush()
        os._exit(75)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
