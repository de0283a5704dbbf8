"""By what this process was started: alone, by an MPI launcher, or by torchrun, and as which one of how many."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

TORCHRUN = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")  # what torch's env:// needs; torchrun sets them all
MPI_RANKS = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")
MPI_SIZES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS")
MPI_HERE = ("MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE")  # on this machine: MPICH's launcher, Open MPI's
MEET = {"mpi": "mpiexec", "gloo": "torchrun", "nccl": "torchrun"}  # the other backends are one process
CURES = {
    "mpi": "add --backend gloo or --backend nccl, or start MPI with mpiexec or srun",
    "gloo": "start it with torchrun, or alone: then it makes its own processes",
    "nccl": "start it with torchrun, or alone: then it makes its own processes",
}


@dataclass(frozen=True)
class Started:
    by: str  # "torchrun", "mpiexec" (or srun), or "": by nobody who starts several
    rank: int = 0
    size: int = 1  # 0: the launcher does not say
    local_rank: int = 0  # of those on this machine; only torchrun's are told
    local_size: int = 1

    def refuse(self, backend: str) -> str:
        """Why a run over this backend cannot be one of these processes, in a sentence, or ""."""
        if not self.by or MEET.get(backend) == self.by or self.size == 1:
            return ""
        cure = CURES.get(backend, "start it alone, with python -m core.run")
        what = f"{backend} ranks meet through {MEET[backend]}" if backend in MEET else f"{backend} is one process"
        return f"{self.by} started this program several times, but {what}: {cure}"

    def wrong_size(self, ranks: int, processes: int) -> str:
        """What to say if this world has not as many processes as the run needs; "" if it has."""
        if self.by != "torchrun" or self.size == processes:
            return ""
        more = f" ({processes} processes with the switches)" * (processes != ranks)
        return (
            f"asked for {ranks} ranks{more}, torchrun started {self.size}: nodes times --nproc-per-node must be "
            f"{processes}; or leave out -n, and all that were started take part"
        )

    def launcher(self) -> str:
        """What comes before `-m core.run` to start the same again, as far as one of the processes knows."""
        if self.by != "torchrun":
            return "python"
        return f"torchrun --nnodes={self.size // self.local_size} --nproc-per-node={self.local_size}"


def started(backend: str) -> Started:
    """From the environment of this process; under srun both kinds of names may stand in it, so the backend decides.

    Raises ValueError, in a sentence, if what stands there is no number.
    """
    kinds = (_by_mpi(), _by_torchrun())
    mpi_first = MEET.get(backend) == "mpiexec"
    return next(filter(None, kinds if mpi_first else kinds[::-1]), Started(""))


def _by_mpi() -> Started | None:
    rank, size, here = (
        next((_whole(name, least) for name in names if name in os.environ), None)
        for names, least in ((MPI_RANKS, 0), (MPI_SIZES, 1), (MPI_HERE, 1))
    )
    return None if rank is None else Started("mpiexec", rank, size or 0, 0, here or size or 0)


def _by_torchrun() -> Started | None:
    env = os.environ
    if not all(name in env for name in TORCHRUN):
        return None
    rank, size = _whole("RANK"), _whole("WORLD_SIZE", 1)
    local_rank = _whole("LOCAL_RANK") if "LOCAL_RANK" in env else rank
    local_size = _whole("LOCAL_WORLD_SIZE", 1) if "LOCAL_WORLD_SIZE" in env else size
    return Started("torchrun", rank, size, local_rank, local_size)


def _whole(name: str, least: int = 0) -> int:
    """What a launcher wrote into the environment. Raises ValueError, in a sentence, for what none of them writes."""
    text = os.environ[name]
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) >= least):
        raise ValueError(f"{name} is {text[:40]!r} in the environment, which no launcher writes there: unset {name}")
    return int(text)


def stay_here(world: Started) -> None:
    """All processes of gloo on one machine: no network is needed, whatever the machine is called."""
    if world.size == world.local_size:
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo0" if sys.platform == "darwin" else "lo")
