"""The simulated network's speed: python benchmarks/bench_network.py [--quick]

Processor seconds, medians; run it on a quiet machine. SimGrid runs beside it where it is installed (Debian:
libsimgrid-dev), alternating with our own runs. Figures of other peers are published ones, measured on one core.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from core.algorithms import ALGORITHMS  # noqa: E402
from core.network import finish, simulate  # noqa: E402
from core.schedule import Schedule  # noqa: E402
from core.topologies import crossbar, fat_tree  # noqa: E402
from tests import simgrid  # noqa: E402

NBYTES = 16 << 20
RING = ALGORITHMS["ring"]
WHOLE = """
from core.algorithms.ring import ring
from core.network import finish
from core.topologies import crossbar
print(finish(ring.steps(1024), 1024, 1024, 1 << 24, crossbar(1024)))
"""
PEERS = {  # published, one core; see the project's notes on timing
    "contention-free": "LogGOPSim 0.9 M/s, ASTRA-sim 0.9-1.2 M/s, SimGrid 0.05-0.17 M/s",
    "whole process": "LogGOPSim 7.3 s, SimGrid 30-41 s",
    "static loads": "ASTRA-sim, congestion aware, 0.5-0.7 M/s",
    "memory": "130-288 B a transfer (SimGrid, ASTRA-sim, LogGOPSim), msccl-tools 3-7 KB",
}


def seconds(what: Callable[[], object], repeats: int) -> float:
    what()
    found = []
    for _ in range(repeats):
        before = time.process_time()
        what()
        found.append(time.process_time() - before)
    return statistics.median(found)


def row(name: str, value: str, goal: str, met: bool, peer: str = "") -> None:
    print(f"{name:<58} {value:>12}   goal {goal:<12} {'ok' if met else 'MISSED':<7} {peer}")


def rates(repeats: int) -> None:
    """Transfers a second of the engines that work step by step."""
    goals = {"rendezvous": (20, "contention-free"), "buffered": (15, "per-chunk dependence")}
    for send, (goal, name) in goals.items():
        for ranks in (256, 1024):
            schedule, network = RING(ranks), crossbar(ranks)
            took = seconds(lambda: simulate(schedule, NBYTES, network, model="ports", send=send), repeats)  # noqa: B023
            rate = schedule.num_transfers / took / 1e6
            title, said = f"{name}, ring of {ranks}, {send}", f"{rate:.1f} M/s"
            row(title, said, f">= {goal} M/s", rate >= goal, PEERS.get(name, ""))
    for ranks in (256, 1024):
        schedule, network = RING(ranks), fat_tree(ranks)
        for placement in ("natural", "shuffled"):
            options = {"model": "links", "send": "rendezvous", "placement": placement}
            took = seconds(lambda: simulate(schedule, NBYTES, network, **options), repeats)  # noqa: B023
            rate = schedule.num_transfers / took / 1e6
            name = f"static loads, ring of {ranks} on a fat tree, {placement}"
            row(name, f"{rate:.1f} M/s", ">= 10 M/s", rate >= 10, PEERS["static loads"])


def large(repeats: int) -> None:
    steps = ALGORITHMS["halving_doubling"].steps(16384)
    schedule = Schedule.from_steps(steps, name="halving_doubling", world_size=16384, num_chunks=16384)
    network = crossbar(16384)
    took = seconds(lambda: simulate(schedule, NBYTES, network, model="ports"), repeats)
    row("halving/doubling of 16384, per chunk, schedule built before", f"{took:.3f} s", "<= 0.2 s", took <= 0.2)


def whole_process(repeats: int) -> None:
    found = []
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        subprocess.run([sys.executable, "-c", WHOLE], cwd=ROOT, env=environment, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    took = statistics.median(found)
    row("ring of 1024, streamed, the whole process", f"{took:.2f} s", "<= 0.3 s", took <= 0.3, PEERS["whole process"])


def memory() -> None:
    for ranks in (1024, 4096):
        network = crossbar(ranks)
        steps = (step for step, _ in zip(RING.steps(ranks), range(200)))
        tracemalloc.start()
        finish(steps, ranks, ranks, NBYTES, network)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        row(f"memory, ring of {ranks} streamed", f"{peak / ranks:.0f} B/rank", "<= 1000 B", peak / ranks <= 1000)
    schedule = RING(256)
    trace = simulate(schedule, NBYTES, crossbar(256), model="ports")
    columns = (schedule.src, schedule.dst, schedule.chunk, schedule.count, schedule.op, trace.start, trace.end)
    stored = sum(column.nbytes for column in columns) / schedule.num_transfers
    row("memory, a stored trace", f"{stored:.0f} B", "<= 40 B", stored <= 40, PEERS["memory"])


def flows(repeats: int) -> None:
    schedule, network = RING(64), fat_tree(64)
    for send in ("rendezvous", "buffered"):
        for placement in ("natural", "round_robin", "shuffled"):
            options = {"send": send, "placement": placement, "seed": 1}
            took = seconds(lambda: simulate(schedule, NBYTES, network, **options), repeats)  # noqa: B023
            row(f"flow model, ring of 64 on a fat tree, {placement}, {send}", f"{took:.3f} s", "<= 0.1 s", took <= 0.1)


def against_simgrid(repeats: int) -> None:
    """A shuffled ring of 256 in both, turn about; processor seconds of the whole smpirun process."""
    schedule, network = RING(256), fat_tree(256)
    hosts = np.random.default_rng(1).permutation(256).tolist()
    ours, theirs, times = [], [], {}
    with tempfile.TemporaryDirectory() as folder:
        program = simgrid.build(Path(folder)) if simgrid.installed() else None
        for _ in range(repeats):
            before = time.process_time()
            trace = simulate(schedule, NBYTES, network, send="rendezvous", placement="shuffled", seed=1, envelope=16)
            ours.append(time.process_time() - before)
            times["ours"] = trace.seconds
            if program:
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                times["SimGrid"] = simgrid.seconds(program, simgrid.fat_tree(256), hosts, NBYTES, "lr", simgrid.PLAIN)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                theirs.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    took = statistics.median(ours)
    if program:
        peer = statistics.median(theirs)
        goal, met = f"<= {2 * peer:.2f} s", took <= 2 * peer
        said = f"SimGrid {peer:.2f} s now; simulated {times['ours'] * 1e6:.3f} and {times['SimGrid'] * 1e6:.3f} us"
    else:
        goal, met, said = "2x SimGrid", took <= 2.2, "SimGrid is not installed; published: 1.1 s"
    row("flow model, ring of 256 on a fat tree, shuffled", f"{took:.2f} s", goal, met, said)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    repeats = 3 if parser.parse_args().quick else 7
    print(f"Python {sys.version.split()[0]}, numpy {np.__version__}, load {os.getloadavg()[0]:.1f} of {os.cpu_count()}")
    rates(repeats)
    large(repeats)
    whole_process(repeats)
    memory()
    flows(repeats)
    against_simgrid(min(repeats, 3))


if __name__ == "__main__":
    main()
