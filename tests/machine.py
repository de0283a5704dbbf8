"""Machines that were never looked at: what the probes might have found there."""

from core.run.hardware import Survey

SYSTEM = {"processor": "a chip", "cores": 8, "usable": 8, "physical": 4, "sockets": 1, "memory": 1 << 34}
SYSTEM |= {"free": 1 << 33, "cache": 1 << 25, "python": "3.11.7", "system": "Linux"}
MEMORY = {"threads": 8, "array": 1 << 27, "cache": 1 << 25, "handover": 4e-6}
MEMORY |= {"copy_one": 8e9, "copy_all": 20e9, "add_one": 5e9, "add_all": 12e9}
MPI = {"MPI": "MPICH 5.0.2", "mpi4py": "4.1.2", "standard": "5.0", "latency": 1e-6, "bandwidth": 9e9}
TORCH = {"torch": "2.13.0", "cuda": "", "gloo": "lo", "nccl": ""}
FULL = {"system": SYSTEM, "memory": MEMORY, "mpi": MPI, "torch": TORCH}


def gpus(count, kind="NVLink", rate=lambda i, j: 300e9):
    pairs = [(i, j) for i in range(count) for j in range(count) if i != j]
    links = [{"src": i, "dst": j, "kind": kind, "bandwidth": rate(i, j), "latency": 2e-6} for i, j in reversed(pairs)]
    one = {"name": "a GPU", "memory": 80 << 30, "copy": 1.5e12, "latency": 3e-6, "nvlinks": 18}
    return {"gpus": [dict(one) for _ in range(count)], "links": links, "driver": "580", "notes": []}


def surveyed(**found):
    """A survey that is over: what is None there was missing."""
    survey = Survey()
    for name, answer in found.items():
        survey.answers[name] = {"missing": f"no {name}: pip install {name}"} if answer is None else {"found": answer}
    survey.close("done")
    return survey
