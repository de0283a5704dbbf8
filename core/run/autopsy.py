"""Why a live run ended before its time: who hung where, who died of what."""

from __future__ import annotations

import json
import re
import signal
import time
from pathlib import Path

DEATHS = (
    re.compile(r"EXIT CODE:\s+(?P<code>\d+)"),  # MPICH, Intel MPI
    re.compile(r"exited on signal (?P<code>\d+)"),  # Open MPI
    re.compile(r"KILLED BY SIGNAL: (?P<code>\d+)", re.IGNORECASE),  # Intel MPI
)
PEER_GONE = re.compile(r"process_vm_readv failed \(errno 3\b")  # MPICH: whose memory is read has just died


def of_hang(folder: Path, num_processes: int, patience: float) -> list[str]:
    """One sentence for each process: what it is doing, or that it does not answer."""
    (folder / "where").touch()  # the watch in each process looks for this
    until = time.monotonic() + patience
    while time.monotonic() < until and len(list(folder.glob("where.*"))) < num_processes:
        time.sleep(0.02)
    return [_said(folder / f"where.{rank}", rank) for rank in range(num_processes)]


def _said(place: Path, rank: int) -> str:
    try:
        return f"process {rank} {json.loads(place.read_text())['text']}"
    except (OSError, ValueError, KeyError):
        return f"process {rank} does not answer: it is frozen, or was never started"


def of_death(output: str, first: list[str]) -> str:
    """What the launcher and the processes wrote, as one sentence; `first` numbers those seen to end first.

    Who died is only probable: the launcher ends the others at once, they may be gone before the dead one is, and the
    launcher itself may name any of them.
    """
    who = f"a process (probably {' or '.join(first)})" if first else "a process"
    codes = [int(found["code"]) for pattern in DEATHS if (found := pattern.search(output))]
    if PEER_GONE.search(output) and codes[:1] in ([], [1]):  # the code is that of the one who noticed
        return f"{who} was suddenly gone, so the run was ended: start it again"
    if codes:
        return f"{who} {_how(codes[0])}, so the run was ended: start it again"
    last = next((line for line in reversed(output.splitlines()) if line.strip()), "nothing was said about why")
    return f"the processes ended before the run was complete: {last.strip()[:300]}"


def _how(code: int) -> str:
    if code > 128:
        code -= 128
    try:
        return f"was ended by signal {code} ({signal.Signals(code).name})"
    except ValueError:
        return f"ended with code {code}"
