"""Hurt live runs at random, a hundred times: python benchmarks/fault_matrix.py [--count 100] [--seed 1]

Every run must end by itself or on request, soon, with a sentence, and no process may be left. Exit code 1 otherwise.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from core.run import launch, processes
from core.run.request import Method, Request

IDLE = 2.0  # seconds of silence that a hung run gets
LIMITS = {"cancel": 2.0, "kill": 2.0, "terminate": 2.0, "raise": 4.0, "freeze": IDLE + 3.0}  # raise: from the start


def hurt(kind: str, backend: str, dice: random.Random) -> tuple[float, str]:
    """(seconds from the fault to the end, what is wrong or "")."""
    ranks = dice.choice((2, 3, 4))
    fault = {"kind": "raise", "rank": dice.randrange(ranks)} if kind == "raise" else {}
    request = Request(
        ranks,
        (Method("ring"),),
        (1 << dice.randrange(4, 20),),
        backend,
        seconds=30,
        time_limit=40,
        fault=fault,
        repeats=999,
    )
    job = launch.submit(request, idle=IDLE if backend == "mpi" else 2 * IDLE)
    _until(lambda: job.over or (job.pids and (kind == "raise" or "timing" in job.text)), 40)
    if kind != "raise":
        time.sleep(dice.random() * 0.5)
    if kind != "raise" and not job.pids:
        job.cancel()
        job.wait(30)
        return 0.0, f"it did not begin: {job.text}; {job.error}; {job.log[-300:]}"
    began = time.perf_counter()
    _do(kind, job, dice)
    if not job.wait(30):
        return 30.0, "it never ended"
    took = time.perf_counter() - began
    left = processes.of_run(job.run_id)
    problem = f"{len(left)} processes are left" if left else "" if job.error else "it ended without a sentence"
    slow = took > LIMITS[kind] + (IDLE if backend != "mpi" else 0)
    return took, problem or (f"it took {took:.1f} s" if slow else "")


def _do(kind: str, job: launch.Job, dice: random.Random) -> None:
    if kind == "cancel":
        job.cancel()
    signs = {"kill": signal.SIGKILL, "terminate": signal.SIGTERM, "freeze": signal.SIGSTOP}
    if kind in signs:
        with suppress(ProcessLookupError):
            os.kill(dice.choice(job.pids), signs[kind])


def _until(done, seconds: float) -> None:
    until = time.monotonic() + seconds
    while not done() and time.monotonic() < until:
        time.sleep(0.02)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    dice, times, bad = random.Random(options.seed), defaultdict(list), 0
    for number in range(options.count):
        kind, backend = dice.choice(list(LIMITS)), dice.choice(("mpi", "gloo"))
        took, problem = hurt(kind, backend, dice)
        times[backend, kind].append(took)
        bad += bool(problem)
        if problem:
            print(f"{number}: {backend}, {kind}: {problem}", flush=True)
    for (backend, kind), seconds in sorted(times.items()):
        print(f"{backend:5} {kind:9} {len(seconds):3} times, ended after {max(seconds):.2f} s at most")
    print(f"{options.count - bad} of {options.count} ended in time, with a sentence, and left no process")
    return bool(bad)


if __name__ == "__main__":
    raise SystemExit(main())
