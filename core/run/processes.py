"""End the processes of a live run, all of them and no others."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import time
from contextlib import suppress
from pathlib import Path

FOLDER = "allreduce-"  # what the name of a run's folder begins with
GRACE = 1.0  # seconds between asking and forcing


def of_run(run_id: str) -> list[int]:
    """The living processes that carry this run's mark in their environment. Linux; elsewhere none are found."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            marked = f"ALLREDUCE_RUN={run_id}".encode() in (place / "environ").read_bytes().split(b"\0")
            if marked and (place / "stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX":
                found.append(int(place.name))
        except (OSError, IndexError):
            continue  # it ended while we looked, or belongs to somebody else
    return found


def end(launcher, run_id: str) -> None:
    """Ask the launcher (a Popen in a session of its own) to stop, then force it, then force what it left behind.

    Killing the launcher's group is not enough: MPI's ranks are in groups of their own.
    """
    names = shared_memory(of_run(run_id)) if launcher.poll() is None else set()
    _to_group(launcher.pid, signal.SIGTERM)
    _wait(lambda: launcher.poll() is not None, GRACE)
    _to_group(launcher.pid, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
    for _ in range(20):
        left = of_run(run_id)
        for pid in left:
            _send(pid, signal.SIGKILL)
        if not left:
            break
        time.sleep(0.05)
    launcher.wait()
    forget(names)


def started(pid: int) -> str:
    """When a process was started, as a word that differs if its number is given to another one; "" if it is gone."""
    if not pid:
        return ""
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        return "" if fields[0] in "ZX" else fields[19]
    if os.path.isdir("/proc/self"):
        return ""
    try:
        os.kill(pid, 0)
    except OSError:
        return ""
    return "alive"


def first_to_end(pids: list[int]) -> list[int]:
    """Wait until one of the processes ends; which of them have ended then. Nothing where the system cannot tell."""
    if not hasattr(os, "pidfd_open"):
        return []
    watch, of = select.poll(), {}
    try:
        for pid in pids:
            of[os.pidfd_open(pid)] = pid
        for descriptor in of:
            watch.register(descriptor, select.POLLIN)
        return [of[descriptor] for descriptor, _ in watch.poll()]
    except OSError:
        return []
    finally:
        for descriptor in of:
            os.close(descriptor)


def tidy(place: str) -> None:
    """Remove the folders of runs whose starter was killed before it could do so itself."""
    for spec in Path(place).glob(f"{FOLDER}*/spec.json"):
        with suppress(OSError, ValueError, KeyError):
            about = json.loads(spec.read_text())
            if started(about["parent"]) != about["born"]:
                shutil.rmtree(spec.parent, ignore_errors=True)


def shared_memory(pids: list[int]) -> set[str]:
    """Files of shared memory that these processes use. Linux; elsewhere none are found."""
    found = set()
    for pid in pids:
        with suppress(OSError):
            lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
            found |= {line.split(maxsplit=5)[5] for line in lines if "/dev/shm/" in line}
    return {path for path in found if not path.endswith("(deleted)")}


def forget(names: set[str]) -> None:
    """Delete MPICH's files of shared memory; whoever has them open keeps the memory."""
    for path in names:
        if "mpich_shm" in path:
            with suppress(OSError):
                os.unlink(path)


def _to_group(pid: int, sign: int) -> None:
    if not hasattr(os, "killpg"):  # Windows
        return _send(pid, sign)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, sign)


def _send(pid: int, sign: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, sign)


def _wait(done, seconds: float) -> None:
    until = time.monotonic() + seconds
    while not done() and time.monotonic() < until:
        time.sleep(0.02)
