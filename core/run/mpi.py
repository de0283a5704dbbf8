"""Processes that talk through MPI: persistent requests, prepared once, started and awaited in every run."""

from __future__ import annotations

import os
import re
import time
from functools import partial

import numpy as np

from core.run import clocks, processes
from core.run.backend import Call, Group, Link
from core.run.buffers import finished
from core.run.plan import Piece

TAGS = 32768  # MPI promises at least so many; pieces of one step between two processes are far fewer
OPERATIONS = {"sum": "SUM", "avg": "SUM", "prod": "PROD", "max": "MAX", "min": "MIN"}
DOZE = 100e-6  # seconds between two looks of a process that has nothing to do


class MpiLink(Link):
    def __init__(self, comm):
        self.comm, self.requests = comm, []

    def receive(self, piece: Piece, view: np.ndarray) -> tuple[Call, Call]:
        return self._keep(self.comm.Recv_init(view.view(np.uint8), piece.src, piece.number % TAGS))

    def send(self, piece: Piece, view: np.ndarray) -> tuple[Call, Call]:
        return self._keep(self.comm.Send_init(view.view(np.uint8), piece.dst, piece.number % TAGS))

    def _keep(self, request) -> tuple[Call, Call]:
        self.requests.append(request)
        return request.Start, request.Wait

    def close(self) -> None:
        for request in self.requests:
            request.Free()
        self.requests.clear()


def forget_names(comm) -> None:
    """Delete the names of MPICH's shared memory once all have opened it: a killed run cannot do so any more.

    The other libraries open it later, or delete it themselves; but who is alone in Open MPI leaves it behind.
    """
    comm.Barrier()
    kinds = processes.SHARED if comm.Get_size() == 1 else processes.MPICH
    processes.forget(processes.shared_memory([os.getpid()]), kinds)


class MpiGroup(Group):
    def __init__(self, comm=None):
        if comm is None:
            from mpi4py import MPI  # starts MPI: only ever inside a process that a launcher started

            comm = MPI.COMM_WORLD
            forget_names(comm)
        self.comm, self.rank, self.size = comm, comm.Get_rank(), comm.Get_size()

    def barrier(self, idle: bool = False) -> None:
        request = self.comm.Ibarrier()
        while idle and not request.Test():
            time.sleep(DOZE)
        request.Wait()

    def gather(self, value) -> list | None:
        return self.comm.gather(value)

    def share(self, value):
        return self.comm.bcast(value)

    def first(self, size: int) -> MpiGroup | None:
        if size == self.size:
            return self
        inside = self.rank < size
        comm = self.comm.Split(0 if inside else 1, self.rank)
        return MpiGroup(comm) if inside else None

    def link(self) -> MpiLink:
        return MpiLink(self.comm)

    def native(self, data: np.ndarray, op: str) -> Call | None:
        from mpi4py import MPI

        if data.dtype.kind == "f" and data.itemsize == 2:
            return None  # MPI has no 16-bit floats
        allreduce = partial(self.comm.Allreduce, MPI.IN_PLACE, data, getattr(MPI, OPERATIONS[op]))
        if op != "avg":
            return allreduce
        return lambda: (allreduce(), finished(data, op, self.size))

    def versions(self) -> dict[str, str]:
        import mpi4py
        from mpi4py import MPI

        library = " ".join(re.split("[\n,]", MPI.Get_library_version())[0].replace("\0", "").split())
        return {"MPI": library, "mpi4py": mpi4py.__version__}

    def clocks(self) -> list[dict] | None:
        return clocks.compare(self.comm)

    def abort(self, code: int) -> None:
        self.comm.Abort(code)
