"""Look at one thing of this machine, and print what was found as one line of JSON.

    python -m core.run.probes memory

A probe may meet a library that is broken, a driver that hangs or no library at all, so each runs in a process of its
own, started and limited by core.run.hardware. Nothing here is ever imported by the app.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile

from core.run import about, probes_gpu, probes_memory
from core.run.buffers import free_memory
from core.run.runtimes import GET_MPI, Missing
from core.run.watch import Watch

GET_TORCH = "pip install torch"
PINGS, LARGE, LARGE_PINGS = 300, 16 << 20, 7


def system() -> dict:
    """Processors, memory, caches: what the operating system says, nothing measured."""
    sockets, physical = _physical_cores()
    return about.machine() | {
        "usable": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        "physical": physical,
        "sockets": sockets,
        "memory": _memory(),
        "free": free_memory(),
        "cache": probes_memory.last_cache(),
        "python": sys.version.split()[0],
    }


def _physical_cores() -> tuple[int | None, int | None]:
    """(sockets, cores without their second threads); None where the system does not say."""
    try:
        with open("/proc/cpuinfo") as lines:
            found = [line.split(":")[1].strip() for line in lines if line.startswith(("physical id", "core id"))]
    except OSError:
        return None, None
    pairs = set(zip(found[::2], found[1::2]))
    return (len({socket for socket, _ in pairs}), len(pairs)) if pairs else (None, None)


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None


def memory() -> dict:
    """Bytes per second that one processor and all of them together copy and add; seconds of a hand-over."""
    return probes_memory.measure()


def mpi() -> dict:
    """Two processes: which library, and how long a small and a large message take (half of a round trip)."""
    from core.run.groups import group_of

    group = group_of("mpi")
    if group.size != 2:
        raise Missing(
            f"asked for 2 processes, but the MPI world has {group.size}: mpiexec and the MPI library do not belong "
            f"together. Use the mpiexec beside this Python, or {GET_MPI}"
        )
    small, large = (_half_round_trip(group.comm, *how) for how in ((8, PINGS), (LARGE, LARGE_PINGS)))
    from mpi4py import MPI

    standard = ".".join(map(str, MPI.Get_version()))
    return group.versions() | {"standard": standard, "latency": small, "bandwidth": LARGE / large}


def _half_round_trip(comm, nbytes: int, repeats: int) -> float:
    """The median, in seconds; the first tenth warms up."""
    import statistics
    import time

    import numpy as np

    mine, theirs = np.ones(nbytes, np.uint8), np.empty(nbytes, np.uint8)
    other, seen = 1 - comm.Get_rank(), []
    for _ in range(repeats):
        began = time.perf_counter()
        if comm.Get_rank() == 0:
            comm.Send(mine, other)
            comm.Recv(theirs, other)
        else:
            comm.Recv(theirs, other)
            comm.Send(mine, other)
        seen.append((time.perf_counter() - began) / 2)
    return statistics.median(seen[len(seen) // 10 + 1 :])


def torch() -> dict:
    """Does torch.distributed work here, and what was it built with?"""
    try:
        import torch
        import torch.distributed as dist
    except (ImportError, OSError) as problem:
        raise Missing(f"torch cannot be loaded ({str(problem).splitlines()[0]}): {GET_TORCH}") from None
    found = {"torch": torch.__version__, "cuda": torch.version.cuda or "", "gloo": "", "nccl": ""}
    if not dist.is_available():
        return found | {"gloo_problem": f"this torch was built without torch.distributed: {GET_TORCH}"}
    if dist.is_nccl_available():
        found["nccl"] = ".".join(map(str, torch.cuda.nccl.version()))
    return found | _gloo(torch, dist)


def _gloo(torch, dist) -> dict:
    """A world of one: enough to see that gloo finds an interface it can open."""
    if not dist.is_gloo_available():
        return {"gloo_problem": f"this torch was built without gloo: {GET_TORCH}"}
    interface = os.environ.get("GLOO_SOCKET_IFNAME", "")
    with tempfile.TemporaryDirectory() as folder:
        try:
            dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=0, world_size=1)
            ones = torch.ones(4)
            dist.all_reduce(ones)
            dist.destroy_process_group()
        except (RuntimeError, ValueError, OSError) as problem:
            reason = str(problem).splitlines()[0]
            return {
                "gloo_problem": f"gloo does not start on interface {interface!r} ({reason}): set GLOO_SOCKET_IFNAME"
            }
    return {"gloo": interface or "of its own choice"}


def gpus() -> dict:
    """Graphics processors, how they are wired, and how fast they copy."""
    return probes_gpu.look()


def gpu_mpi() -> dict:
    """Two processes: does this MPI take the memory of a GPU as it is?"""
    if not probes_gpu.may_have_gpu():
        raise Missing(probes_gpu.NO_GPU)
    try:
        import torch
    except (ImportError, OSError) as problem:
        raise Missing(f"torch cannot be loaded ({str(problem).splitlines()[0]}): {GET_TORCH}") from None
    if not torch.cuda.is_available():
        raise Missing(f"torch {torch.__version__} finds no GPU that it can use: {probes_gpu.GET_CUDA}")
    from core.run.groups import group_of

    return probes_gpu.through_mpi(torch, group_of("mpi").comm)


PROBES = {probe.__name__: probe for probe in (system, memory, mpi, torch, gpus, gpu_mpi)}


def main(name: str, time_limit: float, parent: int) -> int:
    """One probe; its answer is {"found": ...}, {"missing": sentence} or {"problem": sentence}."""
    Watch(0, parent=parent, time_limit=time_limit)
    try:
        answer = {"found": PROBES[name]()}
    except Missing as missing:
        answer = {"missing": str(missing)}
    except Exception as problem:  # whatever a broken library does becomes a sentence on the page
        answer = {"problem": f"{type(problem).__name__}: {(str(problem).splitlines() or ['no reason given'])[0]}"}
    os.write(1, (json.dumps(answer) + "\n").encode())
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3])))
