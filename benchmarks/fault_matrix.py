"""Hurt live runs at random, a hundred times: python benchmarks/fault_matrix.py [--count 100] [--seed 1] [--jobs 3]

Every run must end by itself or on request, with a sentence that names the process and the cause, and leave nothing: no
process, no folder, no shared memory. Exit code 1 otherwise. The times are those of this machine, on which --jobs runs
at once disturb each other: --jobs 1 is for times.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from core.run import autopsy, faults, launch, processes, runtimes
from core.run.request import Method, Request

IDLE = 2.0  # seconds of silence that a hung run gets
PATIENCE = 60.0  # seconds after which a run counts as one that never ends
SIGNALS = {"kill": "SIGKILL", "terminate": "SIGTERM", "segfault": "SIGSEGV", "abort": "SIGABRT", "freeze": "SIGSTOP"}
INSIDE = ("raise", "early", "exit")  # the process hurts itself, when the run has come so far
KINDS = {
    "cancel": "the run is cancelled, at any moment",
    "kill": "a rank is killed",
    "terminate": "a rank is asked to end",
    "segfault": "a rank touches memory that is not there",
    "abort": "a rank aborts",
    "exit": "a rank leaves without a word",
    "raise": "a rank meets an error in mid-run",
    "early": "a rank meets an error before the first step",
    "freeze": "a rank is stopped for ever",
    "launcher": "what started the ranks is killed",
    "start": "a process of any kind is killed while all of them start",
    "starter": "the program that asked for the run is killed",
}
BARS = defaultdict(lambda: 2.0, {"freeze": IDLE + 2.0})  # seconds, on a quiet machine
STARTER = """
import json, sys
from core.run import launch
from core.run.request import Request
job = launch.submit(Request.from_dict(json.loads(sys.argv[1])))
print(job.run_id, flush=True)
while not job.wait(0.01):
    if job.pids:
        print("met", flush=True)
        job.wait()
"""


@dataclass(frozen=True)
class Case:
    kind: str
    backend: str
    ranks: int
    rank: int  # that is hurt
    size: int  # bytes
    moment: float  # 0 to 1: when, in the stretch of time that the kind leaves open

    def request(self) -> Request:
        fault = {"kind": self.kind, "rank": self.rank} if self.kind in INSIDE else {}
        how = {"seconds": 30, "time_limit": 50, "repeats": 999, "trace": False, "fault": fault}
        return Request(self.ranks, (Method("ring"),), (self.size,), self.backend, **how)


@dataclass(frozen=True)
class Found:
    case: Case
    seconds: float  # from the fault to the end of everything
    problem: str  # or ""


def cases(count: int, seed: int) -> list[Case]:
    """Every kind over both backends in turn, everything else at random."""
    dice, found = random.Random(seed), []
    for number in range(count):
        kind, backend = list(KINDS)[number // 2 % len(KINDS)], ("mpi", "gloo")[number % 2]
        ranks = dice.choice((2, 2, 3, 4))
        found.append(Case(kind, backend, ranks, dice.randrange(ranks), 1 << dice.randrange(4, 20), dice.random()))
    return found


def hurt(case: Case) -> Found:
    """Start a run, hurt it, see what becomes of it."""
    try:
        took, problem = _of_another(case) if case.kind == "starter" else _of_mine(case)
    except Exception as problem:  # one case must not end the others
        return Found(case, PATIENCE, f"{type(problem).__name__}: {problem}")
    return Found(case, took, problem)


def _of_mine(case: Case) -> tuple[float, str]:
    job = launch.Job(case.request(), idle=PATIENCE)
    threading.Thread(target=job.run, daemon=True).start()  # not in line: times are not what this is about
    began = _hit(case, job)
    if not job.wait(PATIENCE):
        job.cancel()
        return PATIENCE, "it never ended"
    took = time.monotonic() - (began or job.hurt)
    return took, _left(job.run_id) or wrong(case, job)


def _hit(case: Case, job: launch.Job) -> float:
    """Wait for the moment, and do it; when that was (0: the process does it, and the job knows when)."""
    if case.kind in INSIDE:
        return 0.0
    if case.kind in ("cancel", "start"):
        _until(lambda: job.over or processes.of_run(job.run_id), 20)
        time.sleep(case.moment * (0.6 if case.backend == "mpi" else 2.5))
    else:
        _until(lambda: job.over or (job.pids and "timing" in job.text), 40)
        time.sleep(case.moment * 0.2)
    began = time.monotonic()
    if case.kind == "cancel":
        job.cancel()
    elif case.kind in SIGNALS:
        _send(job.pids[case.rank], getattr(signal, SIGNALS[case.kind]))
        if case.kind == "freeze":
            job.idle = IDLE  # from now on: before, a crowded machine may be silent for longer
    elif case.kind in ("start", "launcher"):
        alive = sorted(processes.of_run(job.run_id))
        _send(alive[int(case.moment * 977) % len(alive) if case.kind == "start" else 0], signal.SIGKILL)
    return began


def wrong(case: Case, job: launch.Job) -> str:
    """What is wrong with the end of a run, or ""."""
    state = "cancelled" if case.kind == "cancel" else "failed"
    if job.state == state and any(words in job.error for words in sentences(case)):
        return ""
    return f"{job.state}: {job.error or 'no sentence'}; said: {job.log[-200:]!r}"


def sentences(case: Case) -> tuple[str, ...]:
    """What a run may say in the end: one of these."""
    who = f"process {case.rank}"
    if case.kind in SIGNALS and case.kind != "freeze":
        name = SIGNALS[case.kind]
        return (f"{who} was ended by signal {int(getattr(signal, name))} ({name})",)
    return {
        "cancel": ("the run was cancelled",),
        "exit": (f"{who} ended with code {faults.LEFT}",),
        "raise": (f"{who}: ValueError: an error made on purpose",),
        "early": (f"{who}: ValueError: an error made on purpose, before the first step",),
        "freeze": (f"nothing happened for {IDLE:g} s (50 s at most); {who} is frozen",),
        "launcher": (f"{launch.STARTERS[case.backend]} was ended by signal 9 (SIGKILL)",),
        "start": ("signal 9 (SIGKILL)", autopsy.LOST),
    }[case.kind]


def _of_another(case: Case) -> tuple[float, str]:
    """The run belongs to a program of its own, which is killed."""
    words = [sys.executable, "-c", STARTER, json.dumps(case.request().as_dict())]
    with subprocess.Popen(words, cwd=runtimes.ROOT, stdout=subprocess.PIPE, text=True) as starter:
        run_id = starter.stdout.readline().strip()
        if case.moment < 0.5:
            time.sleep(case.moment)  # while the processes start
        else:
            starter.stdout.readline()
        starter.kill()
        began = time.monotonic()
    _until(lambda: not processes.of_run(run_id), PATIENCE)
    took = time.monotonic() - began
    _until(lambda: not _left(run_id), 1)
    processes.tidy(tempfile.gettempdir())  # as the next run does: in its first moments a run has nobody else who could
    return took, _left(run_id)


def _left(run_id: str) -> str:
    """What is left of a run that has ended, or ""."""
    living = processes.of_run(run_id)
    folders = list(Path(tempfile.gettempdir()).glob(f"{processes.FOLDER}{run_id[:8]}-*"))
    found = [f"{len(living)} processes"] * bool(living) + [str(path) for path in folders]
    return f"left behind: {', '.join(found)}" if found else ""


def memory_left(since: float) -> set[str]:
    """Shared memory that nobody has and nobody removes. Asked when all runs are over: it does not say whose it is."""
    _until(lambda: not processes.of_nobody(since), 3)
    return processes.of_nobody(since)


def _send(pid: int, sign: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, sign)


def _until(done: Callable[[], object], seconds: float) -> None:
    until = time.monotonic() + seconds
    while not done() and time.monotonic() < until:
        time.sleep(0.02)


def matrix(chosen: list[Case], jobs: int) -> list[Found]:
    """All cases, so many at a time, in their order."""
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(hurt, chosen))


def table(found: list[Found]) -> str:
    lines = ["backend  kind       times  right  slowest s  within the bar"]
    for kind in KINDS:
        for backend in ("mpi", "gloo"):
            mine = [one for one in found if (one.case.kind, one.case.backend) == (kind, backend)]
            if mine:
                right, slowest = sum(not one.problem for one in mine), max(one.seconds for one in mine)
                within = sum(one.seconds <= BARS[kind] for one in mine)
                lines.append(
                    f"{backend:7}  {kind:9}  {len(mine):5}  {right:5}  {slowest:9.2f}  {within} <= {BARS[kind]:g} s"
                )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    began, since = time.monotonic(), time.time()
    found = matrix(cases(options.count, options.seed), options.jobs)
    for one in found:
        if one.problem:
            print(f"{one.case}: {one.problem}")
    right = sum(not one.problem for one in found)
    print(table(found))
    print(f"{right} of {len(found)} ended with the right sentence, and left nothing ({time.monotonic() - began:.0f} s)")
    if memory := memory_left(since):
        print(f"shared memory is left: {', '.join(sorted(memory))}")
    return right < len(found) or bool(memory)


if __name__ == "__main__":
    raise SystemExit(main())
