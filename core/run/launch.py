"""Start live runs, one at a time, and leave nothing behind: submit(request) -> Job.

The Job is looked at from outside (state, text, done, result, traces, error). A run ends in one of four ways: done,
failed, cancelled, or over its time. After each of them no process is left.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
import uuid
from functools import partial
from pathlib import Path

from core.run import autopsy, child, faults, runtimes, spec
from core.run.buffers import free_memory
from core.run.memory import needed_bytes
from core.run.request import Request
from core.run.turns import QUEUE, Refused, Turn
from core.units import show_bytes

IDLE = 10.0  # seconds without a sign of life after which a run is given up
BEGIN = 30.0  # the same while the processes have not met yet: a busy machine loads programs slowly
TORCH_IDLE = 30.0  # the same where the processes first have to load torch
ANSWER = 0.8  # seconds that hung processes get to say where they are
LAST_WORDS = 0.3  # seconds that the others get to say what they saw when one has ended badly
STARTERS = {  # what is started for each backend
    "mpi": "the launcher (mpiexec)",
    "gloo": "the process that starts the ranks",
    "nccl": "process 0",
    "threads": "the process of all ranks",
    "virtual": "the process of all ranks",
}
LONGEST = 200_000  # bytes of stderr that are kept


class Job(Turn):
    """One live run, from the queue to its end."""

    def __init__(self, request: Request, command: str = "", idle: float = IDLE):
        super().__init__()
        self.request, self.command, self.idle = request, command, idle
        self.run_id = uuid.uuid4().hex
        self.result: dict | None = None
        self.traces: list[dict] = []  # label, nbytes, data (the bytes of a trace file)
        self.saw: list[dict] = []  # after a mishap: rank, kind and text of every process that came through
        self.where: list[str] = []  # what each process was doing when the run was given up
        self.log = ""  # what the processes wrote to stderr
        self.pids: list[int] = []
        self.versions: dict = {}
        self.seconds = 0.0  # from the start of the launcher to the end
        self._said_done = self._judged = False
        self.hurt = 0.0  # when it was told that a process had ended badly, on the clock of time.monotonic
        self._launched = self._heard = 0.0
        self._ended: list[tuple[int, int]] = []  # rank and exit code of those that ended badly, as they were told
        self._errors: dict[int, str] = {}  # what each rank said was wrong
        self._banner: list[str] = []  # what came on stdout and was no event

    def run(self) -> None:
        self.state, self.text = "running", "starting the processes"
        try:
            with child.workplace(self.run_id) as folder, open(folder / "stderr", "w+b") as errors:
                spec.write(folder, self.request, self.command)
                state, error = self._live(folder, errors)
        except Exception as problem:  # whatever it is, whoever waits for this run must hear of it
            state, error = "failed", f"the run could not be carried out: {problem}"
        self.close(state, error)

    def _live(self, folder: Path, errors) -> tuple[str, str]:
        """Start the processes and see them end: the state of the run then, and what went wrong."""
        program, env = self._program(folder)
        self._launched = self._heard = time.monotonic()
        with child.running(program, env, subprocess.PIPE, errors) as process:
            reader = threading.Thread(target=self._read, args=(process.stdout, folder), daemon=True)
            reader.start()
            ended = child.follow(process, self._cancel, partial(self._verdict, process.pid, folder))
            self._judged = bool(ended)  # how processes end from now on is our doing
        reader.join(2)
        self.seconds = time.monotonic() - self._launched
        self.log = child.said(errors, LONGEST).decode(errors="replace")
        if ended == "cancelled":
            return "cancelled", "the run was cancelled"
        if not ended and process.returncode == 0 and self._said_done:
            return "done", ""
        if self.where:
            return "failed", ended
        starter = STARTERS[self.request.backend], 0 if ended else process.returncode
        output = "\n".join([self.log, *self._banner])
        return "failed", autopsy.of_death(autopsy.Traces(self._ended, self._errors, output, *starter))

    def _program(self, folder: Path) -> tuple[list[str], dict[str, str]]:
        """What is started, and its environment. Raises Missing."""
        request = self.request
        program = [sys.executable, "-m", "core.run", "--worker", "--spec", str(folder / spec.NAME)]
        if request.backend == "mpi":
            program[1:1] = ["-m", "mpi4py"]  # ends all ranks when one of them meets an error
            program = runtimes.launcher().command(request.num_processes, program)
        crowd, largest = request.num_processes, max(request.sizes)
        return program, runtimes.environment(self.run_id, str(folder), crowd, largest, request.library)

    def _verdict(self, launcher: int, folder: Path) -> str:
        """Why the run must be ended now, or ""."""
        now, many = time.monotonic(), self.request.num_processes
        if self._ended and (now - self.hurt > LAST_WORDS or len(self._ended) == many):
            return "a process is gone"
        patience = self.idle if self.pids else max(self.idle, BEGIN)
        silent, late = now - self._heard > patience, now - self._launched > self.request.time_limit
        if not silent and not late:
            return ""
        self.where = autopsy.of_hang(folder, self.pids or [0] * many, ANSWER)
        why = f"nothing happened for {patience:g} s" if silent else "its time was up"
        frozen = autopsy.frozen(self.where, launcher)
        return f"the run was ended because {why} ({self.request.time_limit:g} s at most){frozen}"

    def _read(self, stdout, folder: Path) -> None:
        with stdout:
            for line in stdout:
                self._heard = time.monotonic()
                try:
                    event = json.loads(line)
                    self._event(event, folder)
                except (ValueError, KeyError, TypeError, OSError):
                    self._banner.append(line.decode(errors="replace").rstrip())  # MPI libraries print here too

    def _event(self, event: dict, folder: Path) -> None:
        kind = event["ev"]
        if kind == "hello":
            self.pids, self.versions = event["pids"], event["versions"]
        elif kind == "progress":
            self.done, self.text = event["done"], event["text"]
        elif kind == "trace":
            data = (folder / event.pop("file")).read_bytes()
            self.traces.append({"label": event["label"], "nbytes": event["nbytes"], "data": data})
        elif kind == "saw":
            self.saw.append(event)
        elif kind == "error" and not self._judged:
            self._errors.setdefault(event.get("rank", 0), event["text"])
        elif kind == "ended" and not self._judged:
            self.hurt = self.hurt or time.monotonic()
            self._ended.append((event["rank"], event["code"]))
        elif kind == "done":
            self.result, self._said_done, self.done = event["result"], True, 1.0


def refuse(request: Request) -> str:
    """Why this request cannot be run on this machine now, in a sentence, or ""."""
    if problem := request.refuse() or faults.refuse(request.fault, request.num_processes):
        return problem
    if request.backend == "mpi":
        try:
            runtimes.launcher()
        except runtimes.Missing as missing:
            return str(missing)
    free, wanted = free_memory(), needed_bytes(request)
    if free is not None and wanted > free / 2:
        return (
            f"the run would take {show_bytes(wanted)} of memory in {request.num_processes} processes, and half of what "
            f"is free is {show_bytes(free // 2)}: choose a smaller size or fewer ranks"
        )
    return ""


def submit(request: Request, command: str = "", idle: float = 0.0) -> Job:
    """Put a run into the queue. Raises Refused. `command` is what the trace file names as its origin."""
    if problem := refuse(request):
        raise Refused(problem)
    usual = TORCH_IDLE if request.backend in ("gloo", "virtual", "nccl") else IDLE
    job = Job(request, command, idle or usual)
    QUEUE.join(job)
    return job
