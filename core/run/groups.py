"""The group that belongs to a backend."""

from __future__ import annotations

from collections.abc import Callable

from core.run.backend import Group
from core.run.request import Request
from core.run.runtimes import GET_MPI, Missing


def group_of(backend: str) -> Group:
    """This process's view of the world. Raises Missing where the library is not there."""
    from core.run.mpi import MpiGroup

    try:
        return MpiGroup()
    except (ImportError, RuntimeError) as problem:
        reason = str(problem).splitlines()[0]
        raise Missing(f"mpi4py finds no MPI library ({reason}): {GET_MPI}") from None


def run_in_groups(request: Request, one: Callable[[Group], int]) -> int:
    """Call one(group) for every process of the run that lives in this process; the exit code."""
    if request.backend == "threads":
        from core.run.threads import run_threads

        return run_threads(request.num_processes, one)
    if request.backend == "gloo":
        from core.run.gloo import run_gloo

        return run_gloo(request.num_processes, request.time_limit, one)
    if request.backend == "virtual":
        return _virtual(request, one)
    if request.backend == "nccl":
        from core.run.nccl_group import run_nccl

        return run_nccl(request, one)
    return one(group_of(request.backend))


def _virtual(request: Request, one: Callable[[Group], int]) -> int:
    from core.run.virtual_group import run_virtual

    try:
        import torch
    except (ImportError, OSError) as problem:
        raise Missing(f"torch cannot be loaded ({str(problem).splitlines()[0]}): pip install torch") from None
    if request.device == "cuda" and not torch.cuda.is_available():
        raise Missing(f"there is no GPU that torch {torch.__version__} can use: choose the device cpu")
    return run_virtual(request.num_processes, one, request.device)
