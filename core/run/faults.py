"""Break a live run on purpose, to see what really happens."""

from __future__ import annotations

import os
import signal
import time

from core.run.backend import Executor

KINDS = {
    "kill": "process {rank} is killed in mid-run",
    "freeze": "process {rank} is frozen in mid-run",
    "raise": "process {rank} runs into an error in mid-run",
    "early": "process {rank} runs into an error before the first step",
    "exit": "process {rank} leaves without a word in mid-run",
    "late": "process {rank} starts {seconds:g} s late",
}
LEFT = 7  # exit code of a process that leaves without a word


def describe(fault: dict) -> str:
    return KINDS[fault["kind"]].format(**{"seconds": 0, **fault})


def refuse(fault: dict, num_processes: int) -> str:
    if not fault:
        return ""
    if fault.get("kind") not in KINDS:
        return f"there is no fault {fault.get('kind')!r}: choose one of {', '.join(KINDS)}"
    if not 0 <= fault.get("rank", -1) < num_processes:
        return f"there is no process {fault.get('rank')}: choose one from 0 to {num_processes - 1}"
    seconds = fault.get("seconds", 0)
    return "" if 0 <= seconds <= 1 else f"{seconds} s late: choose 0 to 1 s"


def breaks(fault: dict) -> bool:
    """Does the run end with it?"""
    return fault.get("kind") in ("kill", "freeze", "raise", "exit")


def begin(fault: dict, rank: int) -> None:
    """Called by every process before it does anything."""
    if fault.get("kind") == "early" and fault["rank"] == rank:
        raise ValueError("an error made on purpose, before the first step")


def arm(executor: Executor, fault: dict) -> None:
    """Make the process of this executor fail halfway through its program, or start late."""
    if fault.get("kind") == "early" or not executor.acts or fault.get("rank") != executor.program.vertex:
        return
    place = 0 if fault["kind"] == "late" else len(executor.acts) // 2
    act = executor.acts[place]

    def broken() -> None:
        _fail(fault)
        act()

    executor.acts[place] = broken


def _fail(fault: dict) -> None:
    if fault["kind"] == "late":
        time.sleep(fault["seconds"])
    elif fault["kind"] == "raise":
        raise ValueError("an error made on purpose")
    elif fault["kind"] == "exit":
        os._exit(LEFT)
    else:
        os.kill(os.getpid(), signal.SIGKILL if fault["kind"] == "kill" else signal.SIGSTOP)
