"""What goes wrong when processes do not agree: classic mistakes in MPI programs, made on purpose, a few seconds each.

Every process says what it saw: the right result, a wrong one, or an error. Who says nothing is still waiting.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.run.mpi import MpiGroup
from core.run.watch import Watch

RIGHT, WRONG, ERROR = "right", "wrong", "error"
ODD = 1  # the rank that does something else than the others


@dataclass(frozen=True)
class Mishap:
    title: str
    does: str  # what the processes do, in one sentence
    carry_out: Callable  # (comm, number of floats, watch) -> (kind, sentence without a subject)


def _send_first(comm, size: int, watch: Watch) -> tuple[str, str]:
    right, left = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    mine, theirs = np.full(size, comm.rank, np.float32), np.empty(size, np.float32)
    watch.phase = f"is in MPI_Send to {right}: it has not received yet, so nobody sends to the end"
    comm.Send(mine, right, 7)
    watch.phase = f"is in MPI_Recv from {left}"
    comm.Recv(theirs, left, 7)
    return (RIGHT, "received its neighbour's buffer") if (theirs == left).all() else (WRONG, "received something else")


def _missing_call(comm, size: int, watch: Watch) -> tuple[str, str]:
    if comm.rank == ODD:
        return RIGHT, "left out the all-reduce and went on"
    return _allreduce(comm, np.ones(size, np.float32), watch, comm.size)


def _other_count(comm, size: int, watch: Watch) -> tuple[str, str]:
    return _allreduce(comm, np.ones(size // 2 if comm.rank == ODD else size, np.float32), watch, comm.size)


def _other_dtype(comm, size: int, watch: Watch) -> tuple[str, str]:
    odd = comm.rank == ODD
    return _allreduce(comm, np.ones(size // 2 if odd else size, np.float64 if odd else np.float32), watch, comm.size)


def _other_order(comm, size: int, watch: Watch) -> tuple[str, str]:
    one, two = np.ones(size, np.float32), np.full(size, 10, np.float32)
    for buffer in (two, one) if comm.rank == ODD else (one, two):
        found = _allreduce(comm, buffer, watch, comm.size * buffer[0])
        if found[0] != RIGHT:
            return found
    return found


def _short_buffer(comm, size: int, watch: Watch) -> tuple[str, str]:
    if comm.rank == 0:
        watch.phase = f"is in MPI_Send to {ODD}"
        comm.Send(np.ones(size, np.float32), ODD, 7)
        return RIGHT, "sent its buffer"
    if comm.rank == ODD:
        watch.phase = "is in MPI_Recv from 0"
        comm.Recv(np.empty(size // 2, np.float32), 0, 7)
        return WRONG, "received into half the room without an error"
    return RIGHT, "had nothing to do"


def _allreduce(comm, buffer: np.ndarray, watch: Watch, right: float) -> tuple[str, str]:
    from mpi4py import MPI

    watch.phase = "waits in MPI_Allreduce"
    with np.errstate(all="ignore"):
        comm.Allreduce(MPI.IN_PLACE, buffer)
    wrong = buffer != right
    if wrong.any():
        place = int(np.argmax(wrong))
        return WRONG, f"was given {buffer[place]:.4g} in element {place}, where {right:g} belongs, and no error"
    return RIGHT, f"has {right:g} everywhere"


MISHAPS = {
    "send_first": Mishap(
        "Everybody sends first",
        "Every rank calls MPI_Send to its right, then MPI_Recv from its left.",
        _send_first,
    ),
    "missing_call": Mishap("One leaves the call out", f"All but rank {ODD} call MPI_Allreduce.", _missing_call),
    "other_count": Mishap(
        "Another count", f"All call MPI_Allreduce, rank {ODD} with half as many elements.", _other_count
    ),
    "other_dtype": Mishap(
        "Another number type",
        f"All call MPI_Allreduce with as many bytes: float64 on rank {ODD}, float32 elsewhere.",
        _other_dtype,
    ),
    "other_order": Mishap(
        "Another order", f"All call MPI_Allreduce for two buffers, rank {ODD} in the other order.", _other_order
    ),
    "short_buffer": Mishap(
        "Too little room", f"Rank 0 sends a buffer to rank {ODD}, which has room for half of it.", _short_buffer
    ),
}


def happen(name: str, group: MpiGroup, nbytes: int, watch: Watch) -> dict:
    """Carry out one mishap in this process: {"rank", "kind", "text"}, what it saw."""
    from mpi4py import MPI

    try:
        kind, text = MISHAPS[name].carry_out(group.comm, nbytes // 4, watch)
    except MPI.Exception as problem:
        words = problem.Get_error_string().splitlines()[0].split(", error stack")[0].strip()
        kind, text = ERROR, f"got an error: {words[:200]}"
    return {"rank": group.rank, "kind": kind, "text": text}


def outcome(state: str, saw: list[dict], where: list[str]) -> str:
    """What a job with a mishap or a fault came to: "hang", "error", "wrong" or "right"."""
    kinds = {one["kind"] for one in saw}
    if where:
        return "hang"
    if ERROR in kinds or state != "done":
        return ERROR
    return WRONG if WRONG in kinds else RIGHT
