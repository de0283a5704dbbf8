"""Start live runs, one at a time, and leave nothing behind: submit(request) -> Job.

The Job is looked at from outside (state, text, done, result, traces, error); its own threads never call anybody.
A run ends in one of four ways: done, failed, cancelled, or over its time. After each of them no process is left.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from pathlib import Path

from core.run import autopsy, faults, processes, runtimes
from core.run.buffers import free_memory
from core.run.memory import needed_bytes
from core.run.request import Request
from core.run.turns import QUEUE, Refused
from core.units import show_bytes

IDLE = 10.0  # seconds without a sign of life after which a run is given up
BEGIN = 30.0  # the same while the processes have not met yet: a busy machine loads programs slowly
TORCH_IDLE = 30.0  # the same where the processes first have to load torch
ANSWER = 0.8  # seconds that hung processes get to say where they are


class Job:
    """One live run, from the queue to its end."""

    def __init__(self, request: Request, command: str = "", idle: float = IDLE):
        self.request, self.command, self.idle = request, command, idle
        self.run_id = uuid.uuid4().hex
        self.state = "waiting"  # then "running", then "done", "failed" or "cancelled"
        self.text, self.done = "waiting for its turn", 0.0
        self.result: dict | None = None
        self.traces: list[dict] = []  # label, nbytes, data (the bytes of a trace file)
        self.error = ""
        self.saw: list[dict] = []  # after a mishap: rank, kind and text of every process that came through
        self.where: list[str] = []  # what each process was doing when the run was given up
        self.log = ""  # what the processes wrote to stderr
        self.pids: list[int] = []
        self.versions: dict = {}
        self.seconds = 0.0  # from the start of the launcher to the end
        self._said_done = False
        self._cancel, self._over = threading.Event(), threading.Event()
        self._launched = self._heard = 0.0
        self._first: list[int] = []  # the processes that ended before all others
        self._banner: list[str] = []  # what came on stdout and was no event

    @property
    def over(self) -> bool:
        return self._over.is_set()

    @property
    def position(self) -> int:
        """How many runs are before this one."""
        return QUEUE.position(self)

    def cancel(self) -> None:
        self._cancel.set()
        QUEUE.leave(self)

    def wait(self, timeout: float | None = None) -> bool:
        return self._over.wait(timeout)

    def close(self, state: str, error: str = "") -> None:
        self.state, self.error = state, error
        self._over.set()

    def run(self) -> None:
        """The whole life of the processes; called in a thread of its own."""
        self.state, self.text = "running", "starting the processes"
        processes.tidy(tempfile.gettempdir())
        folder = tempfile.mkdtemp(prefix=processes.FOLDER)
        try:
            with open(Path(folder) / "stderr", "w+b") as errors:
                state, error = self._live(Path(folder), errors)
                errors.seek(0)
                self.log = errors.read(200_000).decode(errors="replace")
        except Exception as problem:  # whatever it is, whoever waits for this run must hear of it
            state, error = "failed", f"the run could not be carried out: {problem}"
        if state == "failed" and not error:
            names = [str(self.pids.index(pid)) for pid in self._first]
            error = autopsy.of_death(self.log + "\n".join(self._banner), names)
        shutil.rmtree(folder, ignore_errors=True)
        self.close(state, error)

    def _live(self, folder: Path, errors) -> tuple[str, str]:
        process = self._start(folder, errors)
        reader = threading.Thread(target=self._read, args=(process.stdout, folder), daemon=True)
        reader.start()
        try:
            ended = self._follow(process, folder)
        finally:
            processes.end(process, self.run_id)
            reader.join(2)
            self.seconds = time.monotonic() - self._launched
        if ended:
            return ended
        if process.returncode == 0 and self._said_done:
            return "done", ""
        return "failed", self.error

    def _start(self, folder: Path, errors) -> subprocess.Popen:
        request, spec = self.request, folder / "spec.json"
        about = {"request": request.as_dict(), "folder": str(folder), "command": self.command}
        about |= {"parent": os.getpid(), "born": processes.started(os.getpid())}
        spec.write_text(json.dumps(about))
        program = [sys.executable, "-m", "core.run", "--worker", "--spec", str(spec)]
        if request.backend == "mpi":
            program[1:1] = ["-m", "mpi4py"]  # ends all ranks when one of them meets an error
            program = runtimes.launcher().command(request.num_processes, program)
        crowd, largest = request.num_processes, max(request.sizes)
        env = runtimes.environment(self.run_id, str(folder), crowd, largest, request.library)
        self._launched = self._heard = time.monotonic()
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": errors}
        return subprocess.Popen(program, cwd=runtimes.ROOT, env=env, start_new_session=True, **quiet)

    def _follow(self, process: subprocess.Popen, folder: Path) -> tuple[str, str] | None:
        """Wait for the end; (state, error) if it had to be brought about."""
        while process.poll() is None:
            now = time.monotonic()
            if self._cancel.wait(0.02):
                return "cancelled", "the run was cancelled"
            patience = self.idle if self.pids else max(self.idle, BEGIN)
            silent, late = now - self._heard > patience, now - self._launched > self.request.time_limit
            if silent or late:
                self.where = autopsy.of_hang(folder, len(self.pids) or self.request.num_processes, ANSWER)
                why = f"nothing happened for {patience:g} s" if silent else "its time was up"
                return "failed", f"the run was ended because {why} ({self.request.time_limit:g} s at most)"
        return None

    def _read(self, stdout, folder: Path) -> None:
        with stdout:
            for line in stdout:
                self._heard = time.monotonic()
                try:
                    event = json.loads(line)
                    self._event(event, folder)
                except (ValueError, KeyError, TypeError, OSError):
                    self._banner.append(line.decode(errors="replace").rstrip())  # MPI libraries print here too

    def _see_who_ends(self) -> None:
        self._first = processes.first_to_end(self.pids)

    def _event(self, event: dict, folder: Path) -> None:
        kind = event["ev"]
        if kind == "hello":
            self.pids, self.versions = event["pids"], event["versions"]
            threading.Thread(target=self._see_who_ends, daemon=True).start()
        elif kind == "progress":
            self.done, self.text = event["done"], event["text"]
        elif kind == "trace":
            data = (folder / event.pop("file")).read_bytes()
            self.traces.append({"label": event["label"], "nbytes": event["nbytes"], "data": data})
        elif kind == "saw":
            self.saw.append(event)
        elif kind == "error":
            if autopsy.PEER_GONE.search(event["text"]):
                self._banner.append(event["text"])  # a witness, not the cause
            else:
                self.error = self.error or event["text"]
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
