"""Why a live run ended before its time: who hung where, who died of what."""

from __future__ import annotations

import json
import re
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from core.run import processes

SIGNALS = (
    re.compile(r"\(signal (\d+)\)"),  # MPICH
    re.compile(r"exited\s+on\s+signal\s+(\d+)"),  # Open MPI, which breaks its lines anywhere
    re.compile(r"KILLED BY SIGNAL: (\d+)", re.IGNORECASE),  # Intel MPI
)
CODES = (re.compile(r"EXIT CODE:\s+(\d+)"), re.compile(r"exit(?:ed with)? code:?\s+(\d+)", re.IGNORECASE))
PEER_GONE = re.compile(  # what those say whose partner has just died: MPICH reads its memory, gloo its socket
    r"process_vm_readv failed|[Cc]onnection (closed|reset)|Broken pipe|remote worker|EOF|Socket closed"
)
WITH_WORDS = (1, 2, 3)  # exit codes of processes that say why they end, or that end because another one did
FOREIGN = "unsupported PMI version"  # what MPICH says under the launcher of another library
UNFIT = (
    "the MPI library is MPICH, and the launcher (mpiexec) belongs to Open MPI: they do not understand each other. Set "
    "ALLREDUCE_MPIEXEC to MPICH's mpiexec, or MPI4PY_LIBMPI to the libmpi.so of Open MPI"
)
CHATTER = "OSC UCX component priority"  # Open MPI says so at every piece of shared memory; it means nothing
LOST = "the launcher (mpiexec) lost the process that starts its ranks"  # Hydra's words say less
AGAIN = "so the run was ended: start it again"


@dataclass(frozen=True)
class Traces:
    """What a run that ended badly has left."""

    ended: list[tuple[int, int]]  # rank and exit code (negative: a signal) of those that ended badly
    errors: dict[int, str]  # rank -> the error it met, in the order in which they were told
    output: str  # what the launcher and the processes wrote besides
    starter: str  # what started the ranks
    code: int  # with which that ended; 0 if it did not by itself


def of_hang(folder: Path, pids: list[int], patience: float) -> list[str]:
    """One sentence for each process: what it is doing, or that it does not answer."""
    (folder / "where").touch()  # the watch in each process looks for this
    until = time.monotonic() + patience
    while time.monotonic() < until and len(list(folder.glob("where.*"))) < len(pids):
        time.sleep(0.02)
    return [_said(folder / f"where.{rank}", rank, pid) for rank, pid in enumerate(pids)]


def _said(place: Path, rank: int, pid: int) -> str:
    if processes.stopped(pid):
        return f"process {rank} is frozen: a signal has stopped it"
    try:
        return f"process {rank} {json.loads(place.read_text())['text']}"
    except (OSError, ValueError, KeyError):
        return f"process {rank} does not answer: it is frozen, or was never started"


def frozen(where: list[str], launcher: int) -> str:
    """Who is known to be frozen, as the end of a sentence, or ""."""
    found = [line for line in where if " is frozen: " in line]
    found += ["what started the processes is frozen: a signal has stopped it"] * processes.stopped(launcher)
    return "".join(f"; {line}" for line in found)


def of_death(left: Traces) -> str:
    """Who died of what, as one sentence; then what those said who saw it."""
    if FOREIGN in left.output:
        return UNFIT
    killed = [(rank, code) for rank, code in left.ended if code < 0]
    silent = [(rank, code) for rank, code in left.ended if rank not in left.errors and code not in WITH_WORDS]
    if dead := killed or silent:
        who = " and ".join(f"process {rank} {_how(code)}" for rank, code in sorted(dead))
        saw = "; ".join(text for rank, text in left.errors.items() if rank not in dict(dead))
        return f"{who}, {AGAIN}" + (f" ({saw})" if saw else "")
    if left.errors:
        own = (text for text in left.errors.values() if not PEER_GONE.search(text))
        return next(own, next(iter(left.errors.values())))
    if left.ended:
        return f"process {left.ended[0][0]} {_how(left.ended[0][1])}, {AGAIN}"
    if left.code < 0:
        return f"{left.starter} {_how(left.code)}, {AGAIN}"
    return _of_output(left.output)


def _of_output(output: str) -> str:
    """Nobody saw who died: what was written tells how, at most."""
    if "process manager error" in output:
        return f"{LOST}, {AGAIN}"
    for sign, patterns in ((-1, SIGNALS), (1, CODES)):
        if found := next(filter(None, (pattern.search(output) for pattern in patterns)), None):
            return f"a process {_how(sign * int(found[1]))}, {AGAIN}"
    words = (line for line in reversed(output.splitlines()) if re.search(r"\w", line) and CHATTER not in line)
    last = next(words, "nothing was said about why")
    return f"the processes ended before the run was complete: {last.strip()[:300]}"


def _how(code: int) -> str:
    if code > 0:
        return f"ended with code {code}"
    try:
        return f"was ended by signal {-code} ({signal.Signals(-code).name})"
    except ValueError:
        return f"was ended by signal {-code}"
