"""End the processes of a live run, all of them and no others."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import signal
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

FOLDER = "allreduce-"  # what the name of a run's folder begins with
OWNER = re.compile(FOLDER + r"([0-9a-f]{8})-([0-9a-f]{6})-(\d{1,10})-(\w*)-\w+")  # run, world, number, since when
MPICH = ("mpich_shm",)  # how the names of files of shared memory begin
OPENMPI = ("sm_segment.", "vader_segment.", "osc_sm.")
SHARED = (*MPICH, "mpich_shar_tmp", *OPENMPI, "ucx_shm_posix_", "Intel_MPI_")  # UCX is in MPICH and Open MPI
UNSEEN = (FileNotFoundError, ProcessLookupError, PermissionError)  # of a process that has ended, or is somebody else's
GRACE = 1.0  # seconds between asking and forcing
DYING = 10.0  # seconds that a busy machine may take to end what was forced


def of_run(run_id: str) -> list[int]:
    """The living processes that carry this run's mark in their environment. Linux; elsewhere none are found."""
    if not run_id:
        return []  # an empty mark is nobody's
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            marked = f"ALLREDUCE_RUN={run_id}".encode() in (place / "environ").read_bytes().split(b"\0")
            if marked and _state(place.name)[0] not in "ZX":
                found.append(int(place.name))
        except (OSError, IndexError):
            continue  # it ended while we looked, or belongs to somebody else
    return found


def end(launcher, run_id: str, since: float) -> None:
    """Ask the launcher (a Popen in a session of its own) to stop, then force it, then force what it left behind.

    Killing the launcher's group is not enough: MPI's ranks are in groups of their own. `since` is when it was started,
    in seconds of the day's clock.
    """
    _to_group(launcher.pid, signal.SIGTERM)
    _wait(lambda: launcher.poll() is not None, GRACE)
    _to_group(launcher.pid, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
    force(run_id)
    launcher.wait()
    forget(of_nobody(since))


def force(run_id: str, spared: int = 0) -> None:
    """End every process of a run at once, but for the one that is spared."""
    until = time.monotonic() + DYING
    while (left := [pid for pid in of_run(run_id) if pid != spared]) and time.monotonic() < until:
        for pid in left:
            _send(pid, signal.SIGKILL)
        time.sleep(0.02)


def started(pid: int) -> str:
    """When a process was started, as a word that differs if its number is given to another one; "" if it is gone.

    Raises OSError where that cannot be seen now, as with too many open files: it may be there or not.
    """
    if not pid:
        return ""
    if os.path.isdir("/proc/self"):
        try:
            fields = _state(pid)
        except (FileNotFoundError, ProcessLookupError):
            return ""
        return "" if fields[0] in "ZX" else fields[19]
    if sys.platform == "win32":
        return "alive"  # nobody knows: there, signal 0 is Ctrl-C
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return ""
    except PermissionError:
        pass  # it is there, and somebody else's
    return "alive"


def stopped(pid: int) -> bool:
    """Has a signal (SIGSTOP and its like) frozen this process? Linux; elsewhere nobody knows."""
    with suppress(OSError, IndexError):
        return _state(pid)[0] in "Tt"
    return False


def _state(pid: int | str) -> list[str]:
    """What the system says of a process after its name, which may be any bytes. Raises OSError."""
    return Path(f"/proc/{pid}/stat").read_text(errors="replace").rsplit(")", 1)[1].split()


@cache
def world() -> str:
    """Six digits for all processes that this one can see: elsewhere the same number is another process.

    Other computers and other containers may keep their temporary files in the same place.
    """
    try:
        kernel, names = Path("/proc/sys/kernel/random/boot_id").read_text(), os.readlink("/proc/self/ns/pid")
    except OSError:
        kernel, names = platform.node(), ""
    return hashlib.sha256(f"{kernel} {names}".encode()).hexdigest()[:6]


def is_folder(folder: Path, run_id: str) -> bool:
    """Is this the folder of that run, as new_folder makes it?"""
    named = OWNER.fullmatch(folder.name)
    return named is not None and named[1] == run_id[:8] and folder.is_dir() and not folder.is_symlink()


def new_folder(run_id: str) -> Path:
    """A folder for a run; its name says whose it is, from its first moment on."""
    mine = os.getpid()
    return Path(tempfile.mkdtemp(prefix=f"{FOLDER}{run_id[:8]}-{world()}-{mine}-{started(mine)}-"))


def remove(folder: Path) -> None:
    """Delete a run's folder with all that is in it; anything that is not called like one stays untouched."""
    if OWNER.fullmatch(folder.name):
        shutil.rmtree(folder, ignore_errors=True)


def tidy(place: str) -> None:
    """Remove the folders of runs whose starter was killed before it could do so itself."""
    for folder in Path(place).glob(f"{FOLDER}*"):
        owner = OWNER.fullmatch(folder.name)
        if owner and owner[2] == world() and owner[4]:
            with suppress(OSError):  # who cannot be seen may be there
                if started(int(owner[3])) != owner[4]:
                    remove(folder)


def shared_memory(pids: list[int]) -> set[str]:
    """Files of shared memory that these processes use. Linux; elsewhere none are found."""
    found = set()
    for pid in pids:
        with suppress(OSError):
            found |= _mapped(pid)
    return found


def _mapped(pid: int) -> set[str]:
    """Files of shared memory that are in a process's memory. Raises OSError."""
    lines = Path(f"/proc/{pid}/maps").read_text(errors="surrogateescape").splitlines()
    found = {line.split(maxsplit=5)[5] for line in lines if " /dev/shm/" in line}
    return {path for path in found if not path.endswith("(deleted)")}


def of_nobody(since: float) -> set[str]:
    """Files of shared memory of an MPI library that are younger than that, and that no process uses any more.

    Those of processes that were killed while MPI began, or that Open MPI took for one alone in its world. Whoever makes
    such a file has it open until it is in its memory, so one that was there before all processes were looked at, and
    that none of them has, is nobody's. Who cannot look at all of them now, with too many open files, finds none.
    """
    found = set()
    for path in Path("/dev/shm").glob("*"):
        with suppress(OSError):
            if path.name.startswith(SHARED) and path.stat().st_uid == os.getuid() and path.stat().st_ctime > since - 1:
                found.add(str(path))
    try:
        for place in Path("/proc").glob("[0-9]*") if found else ():
            with suppress(*UNSEEN):
                found -= _open_files(place / "fd")
            with suppress(*UNSEEN):
                found -= _mapped(int(place.name))
    except OSError:
        return set()
    return found


def _open_files(descriptors: Path) -> set[str]:
    """What a process has open, but for what it closes while we look. Raises OSError."""
    found = set()
    for descriptor in os.listdir(descriptors):
        with suppress(FileNotFoundError):
            found.add(os.readlink(descriptors / descriptor))
    return found


def forget(names: set[str], kinds: tuple[str, ...] = SHARED) -> None:
    """Delete files of shared memory of the MPI libraries; whoever has them open keeps the memory."""
    for path in names:
        if os.path.basename(path).startswith(kinds):
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
