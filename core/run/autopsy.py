"""Why a live run ended before its time: who hung where, who died of what."""

from __future__ import annotations

import json
import re
import signal
import time
from pathlib import Path

DEATHS = (
    re.compile(r"PID\s+(?P<pid>\d+)\s+RUNNING AT.*?EXIT CODE:\s+(?P<code>\d+)", re.DOTALL),  # MPICH, Intel MPI
    re.compile(r"process rank (?P<rank>\d+).*?exited on signal (?P<code>\d+)", re.DOTALL),  # Open MPI
    re.compile(r"rank (?P<rank>\d+) .*?KILLED BY SIGNAL: (?P<code>\d+)", re.IGNORECASE | re.DOTALL),  # Intel MPI
)


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


def of_death(output: str, pids: list[int]) -> str:
    """What the launcher and the processes wrote, as one sentence."""
    for pattern in DEATHS:
        if found := pattern.search(output):
            return f"{_who(found, pids)} {_how(int(found['code']))}, so the run was ended: start it again"
    last = next((line for line in reversed(output.splitlines()) if line.strip()), "nothing was said about why")
    return f"the processes ended before the run was complete: {last.strip()[:300]}"


def _who(found: re.Match, pids: list[int]) -> str:
    groups = found.groupdict()
    if groups.get("rank"):
        return f"process {groups['rank']}"
    pid = int(groups["pid"])
    return f"process {pids.index(pid)}" if pid in pids else "a process"


def _how(code: int) -> str:
    if code > 128:
        code -= 128
    try:
        return f"was ended by signal {code} ({signal.Signals(code).name})"
    except ValueError:
        return f"ended with code {code}"
