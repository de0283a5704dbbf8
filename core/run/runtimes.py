"""Find the programs that start a live run, and give them a clean environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAUNCHERS = ("PMI_", "PMIX_", "PRTE_", "OMPI_", "SLURM_", "HYDRA_", "HYDI_", "MPI_LOCAL", "ALLREDUCE_RUN")
TORCHRUN = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "MASTER_ADDR", "MASTER_PORT")
SMALL = 16 << 10  # bytes up to which MPICH's spinning all-reduce is its fastest
FORCED = {  # our name for an all-reduce of the libraries: (MPICH's name, Open MPI's number, Intel MPI's number)
    "recursive_doubling": ("recursive_doubling", "3", "1"),
    "ring": ("ring", "4", "8"),
    "halving_doubling": ("reduce_scatter_allgather", "6", "2"),
}
LIBRARY = ("tuned", "plain", *FORCED)
STEERING = (  # how the names of settings begin that change how fast MPI is
    *("GLIBC_TUNABLES", "MPI4PY_RC_THREAD_LEVEL", "MPIR_CVAR_", "UCX_", "FI_"),
    *(f"OMPI_MCA_{part}" for part in ("btl", "coll", "mpi_", "mtl", "osc", "pml", "smsc")),
    *(f"I_MPI_{part}" for part in ("ADJUST", "COLL", "FABRICS", "SHM", "THREAD", "WAIT")),
)
KNOWN = ("HYDRA", "MPI", "OpenRTE")  # words in what the launchers say of themselves
GET_MPI = "pip install mpi4py mpich" if sys.platform != "win32" else "pip install mpi4py impi-rt"


class Missing(Exception):
    """Says what is not there and the one command that brings it."""


@dataclass(frozen=True)
class Launcher:
    path: str
    flavour: str  # "mpich", "openmpi" or "intel"
    version: str

    def command(self, processes: int, program: list[str]) -> list[str]:
        flags = []
        if self.flavour == "openmpi":
            flags = ["--oversubscribe"] + ["--allow-run-as-root"] * (_is_root())
        return [self.path, *flags, "-n", str(processes), *program]


def launcher() -> Launcher:
    """The mpiexec that belongs to this Python. Raises Missing."""
    if find_spec("mpi4py") is None:
        raise Missing(f"mpi4py is not installed: {GET_MPI}")
    path = mpiexec()
    if not path:
        raise Missing(f"no mpiexec was found beside this Python or on the PATH: {GET_MPI}")
    return _asked(path)


def mpiexec() -> str:
    """$ALLREDUCE_MPIEXEC, or the one that lies with the library asked for or with this Python, or the PATH's, or ""."""
    if chosen := os.environ.get("ALLREDUCE_MPIEXEC"):
        return chosen if os.access(chosen, os.X_OK) else ""
    name = "mpiexec.exe" if sys.platform == "win32" else "mpiexec"
    beside = [Path(sys.executable).parent / name, Path(sys.prefix) / "Library" / "bin" / name]
    if library := os.environ.get("MPI4PY_LIBMPI"):
        place = Path(library.split(os.pathsep)[0])  # .../lib/libmpi.so, or .../lib/x86_64-linux-gnu/libmpi.so.40
        beside = [folder / "bin" / name for folder in place.parents[1:3]] if place.is_absolute() else []
    for path in beside:
        if path.exists():
            return str(path)
    return shutil.which("mpiexec") or shutil.which("mpirun") or ""


@lru_cache(maxsize=8)
def _asked(path: str) -> Launcher:
    try:
        how = {"capture_output": True, "text": True, "errors": "replace", "timeout": 10}
        done = subprocess.run([path, "--version"], stdin=subprocess.DEVNULL, check=False, **how)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise Missing(f"{path} does not answer ({problem}): {GET_MPI}") from None
    text = done.stdout + done.stderr
    words = text.split()
    if not any(name in text for name in KNOWN):
        said = f"said {' '.join(words)[:80]!r}" if words else "said nothing"
        raise Missing(
            f"{path} is no MPI launcher that we know: asked with --version, it {said} and ended with code "
            f"{done.returncode}. Set ALLREDUCE_MPIEXEC to the mpiexec of MPICH, Open MPI or Intel MPI, or unset it"
        )
    flavour = "openmpi" if "Open MPI" in text or "OpenRTE" in text else "intel" if "Intel" in text else "mpich"
    version = next((word for word in words if word[0].isdigit() and "." in word), "of unknown version")
    return Launcher(path, flavour, version)


def environment(run_id: str, folder: str, processes: int, largest: int, library: str = "tuned") -> dict[str, str]:
    """The environment of every process of a run: ours, without what another launcher left in it."""
    env = {name: value for name, value in os.environ.items() if not _of_a_launcher(name)}
    env |= {
        "ALLREDUCE_RUN": run_id,
        "TMPDIR": folder,
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")])),
        "PYTHONUNBUFFERED": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "GLOO_SOCKET_IFNAME": "lo0" if sys.platform == "darwin" else "lo",
    }
    if _is_root():
        env |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    for name, value in tuning(processes, largest, library).items():
        env.setdefault(name, value)
    return env


def tuning(processes: int, largest: int, library: str = "tuned") -> dict[str, str]:
    """Settings of the MPI library: "plain" none, "tuned" for speed, or tuned and forced to one of FORCED.

    Tuned, the library's own all-reduce is as fast as it can be, so that comparing with it is fair.
    Huge pages: MPICH takes fresh memory in every large call, and pays for each page of it. Threads: promising that
    only one thread calls MPI makes small calls quicker, but then MPICH's all-reduce inside a host waits without
    letting others run: fine for a few KiB with a processor for everyone, three times slower for large buffers, and
    hopeless (a second for 1 MiB) with more processes than processors. I_MPI_THREAD_YIELD asks Intel MPI's processes to
    let each other run: all that is known of it is that 8 of them on 2 processors, which other programs used too, took
    less time with it than without it in each of three rounds, taken in turns.
    """
    if library == "plain":
        return {}
    crowded = processes > (os.cpu_count() or 1)
    found = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"} if sys.platform == "linux" else {}
    found["MPI4PY_RC_THREAD_LEVEL"] = "multiple" if crowded else "funneled"
    if crowded:
        found["I_MPI_THREAD_YIELD"] = "3"
    if largest > SMALL or library in FORCED:
        found["MPIR_CVAR_ALLREDUCE_POSIX_INTRA_ALGORITHM"] = "mpir"
    if library in FORCED:
        mpich, openmpi, intel = FORCED[library]
        found["MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM"] = mpich
        found["OMPI_MCA_coll_tuned_use_dynamic_rules"] = "1"
        found["OMPI_MCA_coll_tuned_allreduce_algorithm"] = openmpi
        found["I_MPI_ADJUST_ALLREDUCE"] = intel
    return found


def tune(processes: int, largest: int, library: str) -> None:
    """The same for this very process, before it loads MPI. What glibc reads when a program begins comes too late."""
    for name, value in tuning(processes, largest, library).items():
        if name != "GLIBC_TUNABLES":
            os.environ.setdefault(name, value)


def settings() -> dict[str, str]:
    """Those of this process's environment that change how fast MPI is; not what mpiexec itself leaves there, and not
    where files lie on this machine: a trace is passed on."""
    chosen = {name: value for name, value in sorted(os.environ.items()) if name.startswith(STEERING)}
    return {name: value for name, value in chosen.items() if os.sep not in value}


def _of_a_launcher(name: str) -> bool:
    """Is this a name that another launcher left in the environment, and not a choice of the person at the keyboard?"""
    return name in TORCHRUN or (name.startswith(LAUNCHERS) and not name.startswith(STEERING))


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0
