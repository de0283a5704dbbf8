"""What each way of running a schedule can do on a machine that was looked at, and what brings the missing ones."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from core.run.hardware import Survey
from core.run.probes import GET_TORCH
from core.run.probes_gpu import GET_CUDA, NO_GPU, may_have_gpu
from core.run.request import BACKENDS, DTYPES, MAX_PROCESSES
from core.run.runtimes import Missing, launcher

NUMBERS = ", ".join(DTYPES)


@dataclass(frozen=True)
class Backend:
    name: str
    title: str
    works: bool
    version: str  # of what it stands on
    does: str  # what it can do
    why_not: str  # a sentence that ends with the one command, where there is one


def backends(survey: Survey) -> list[Backend]:
    """Every way of running a schedule, in the order in which one would try them."""
    every = [_mpi(survey), _gloo(survey), _threads(survey), _virtual(survey), _nccl(survey)]
    return [backend for backend in every if backend.name in BACKENDS]


def gpu_memory(survey: Survey) -> str:
    """Does MPI take a GPU's memory as it is? A sentence; "" where there is no GPU to ask it with."""
    answer = survey.answers.get("gpu_mpi", {})
    if "found" in answer:
        return "takes GPU memory as it is" if answer["found"]["aware"] else "loses what it reads from GPU memory"
    problem = answer.get("problem", "")
    return f"needs copies in the host's memory: sent from a GPU, {problem}" if problem else ""


def missing(name: str, survey: Survey | None = None) -> str:
    """Why this way of running cannot work here, in a sentence with its cure; "" if nothing is known against it.

    From the survey, if this machine was looked at; otherwise only from what stands on the disk, so that nothing has to
    be loaded or started: what is broken, rather than missing, shows when the run begins.
    """
    if survey is not None and survey.state == "done":
        return next((one.why_not for one in backends(survey) if one.name == name and not one.works), "")
    if name == "mpi":
        try:
            launcher()
        except Missing as problem:
            return str(problem)
    if name in ("gloo", "virtual", "nccl") and find_spec("torch") is None:
        return f"torch is not installed: {GET_TORCH}"
    return NO_GPU if name == "nccl" and not may_have_gpu() else ""


def _mpi(survey: Survey) -> Backend:
    found = survey.found("mpi")
    version = f"{found['MPI']}, MPI standard {found['standard']}, mpi4py {found['mpi4py']}" if found else ""
    does = (
        f"any algorithm on up to {MAX_PROCESSES} processes, on one machine or many; beside it MPI_Allreduce. "
        f"{NUMBERS} (MPI_Allreduce has no float16)"
    )
    return Backend("mpi", "MPI processes", bool(found), version, does, survey.trouble("mpi"))


def _gloo(survey: Survey) -> Backend:
    found = survey.found("torch")
    works = bool(found.get("gloo"))
    version = f"torch {found['torch']}, interface: {found['gloo']}" if works else ""
    does = (
        "any algorithm over sockets, between processes; beside it torch's own all_reduce. It names the rank that fails"
    )
    return Backend(
        "gloo", "gloo processes", works, version, does, survey.trouble("torch") or found.get("gloo_problem", "")
    )


def _threads(survey: Survey) -> Backend:
    found = survey.found("system")
    does = "any algorithm with nothing but numpy, on every system; there is no library to compare with"
    return Backend("threads", "threads of one process", True, f"Python {found.get('python', '')}".strip(), does, "")


def _virtual(survey: Survey) -> Backend:
    torch, gpus = survey.found("torch"), survey.found("gpus").get("gpus", [])
    usable = [gpu for gpu in gpus if "copy" in gpu]
    where = usable[0]["name"] if usable else "the processor (no GPU that torch can use)"
    version = f"torch {torch['torch']}, on {where}" if torch else ""
    does = "any algorithm, all ranks on one device: one memory system, so copies compete where links would not"
    return Backend("virtual", "virtual ranks on one device", bool(torch), version, does, survey.trouble("torch"))


def _nccl(survey: Survey) -> Backend:
    torch, gpus = survey.found("torch"), survey.found("gpus").get("gpus", [])
    usable = sum("copy" in gpu for gpu in gpus)
    does = (
        "any algorithm between GPUs, one process each; beside it NCCL's own all-reduce, also forced to one of its "
        "algorithms and protocols"
    )
    version = f"NCCL {torch['nccl']}, torch {torch['torch']}, {usable} GPUs" if torch.get("nccl") else ""
    return Backend(
        "nccl", "NCCL ranks", bool(torch.get("nccl") and usable), version, does, _why_no_nccl(survey, usable)
    )


def _why_no_nccl(survey: Survey, usable: int) -> str:
    torch = survey.found("torch")
    if not torch:
        return survey.trouble("torch")
    if not survey.found("gpus"):
        return survey.trouble("gpus") or NO_GPU
    if not torch["nccl"]:
        return f"torch {torch['torch']} was built without NCCL: {GET_CUDA}"
    return "" if usable else "; ".join(survey.found("gpus")["notes"])
