"""What this machine has, and what each way of running a schedule can do on it: look(), Survey, backends().

The app asks from outside: every probe (core.run.probes) is a process of its own with a time limit, in the same line
as the live runs, because two measurements at once would spoil each other. Whatever a probe does, what comes back is
{"found": {...}}, or a sentence under "missing" or "problem".
"""

from __future__ import annotations

import datetime
import json
import os
import sys
import threading
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

from core.run import child, runtimes
from core.run.measure import processor_seconds
from core.run.turns import QUEUE, Turn


@dataclass(frozen=True)
class Probe:
    name: str
    doing: str  # what a page says while it runs
    limit: float  # seconds
    processes: int = 1


PROBES = (
    Probe("system", "asking the operating system", 10),
    Probe("memory", "measuring the memory: copying and adding", 30),
    Probe("mpi", "starting two MPI processes and timing their messages", 20, processes=2),
    Probe("torch", "loading torch, starting gloo", 90),
    Probe("gpus", "looking for graphics processors", 90),
    Probe("gpu_mpi", "sending four bytes of a GPU's memory through MPI", 60, processes=2),
)


def look(probe: Probe, cancelled: threading.Event | None = None) -> dict:
    """What one probe says: {"found": dict}, {"missing": sentence} or {"problem": sentence}.

    Beside it the "seconds" it took, and which share of the processors other programs took meanwhile ("foreign"; None
    where the system does not say). After it no process of the probe is left, however it ended.
    """
    began, busy, run_id = time.monotonic(), _busy_with_others(), uuid.uuid4().hex
    try:
        with child.workplace(run_id) as folder:
            answer = _ask(probe, run_id, folder, cancelled or threading.Event())
    except runtimes.Missing as missing:
        answer = {"missing": str(missing)}
    except OSError as problem:
        answer = {"problem": f"the probe could not be started: {problem}"}
    wall, after = time.monotonic() - began, _busy_with_others()
    known = busy is not None and after is not None
    foreign = round(max(0.0, after - busy) / (wall * (os.cpu_count() or 1)), 3) if known else None
    return answer | {"seconds": round(wall, 2), "foreign": foreign}


def _busy_with_others() -> float | None:
    """Seconds that all processors have worked for anything but the programs that this one started and saw end."""
    total, mine = processor_seconds(), os.times()
    return None if total is None else total - mine.children_user - mine.children_system


def _ask(probe: Probe, run_id: str, folder: Path, cancelled: threading.Event) -> dict:
    """Start the probe, wait for it, end it if it takes too long. Raises Missing, OSError."""
    env = runtimes.environment(run_id, str(folder), probe.processes, 0)
    until = time.monotonic() + probe.limit
    late = f"no answer within {probe.limit:g} s, so the probe was ended: look again"
    with open(folder / "said", "w+b") as out, open(folder / "errors", "w+b") as errors:
        with child.running(_program(probe), env, out, errors) as process:
            ended = child.follow(process, cancelled, lambda: late if time.monotonic() > until else "")
        if ended:
            return {"problem": "the survey was cancelled" if ended == "cancelled" else ended}
        return _answer(*(child.said(file, 1 << 20) for file in (out, errors)), process.returncode)


def _program(probe: Probe) -> list[str]:
    words = ["-m", "core.run.probes", probe.name, str(probe.limit), str(os.getpid())]
    if probe.processes == 1:
        return [sys.executable, *words]
    return runtimes.launcher().command(probe.processes, [sys.executable, "-m", "mpi4py", *words])


def _answer(said: bytes, errors: bytes, code: int) -> dict:
    """The last line that is an answer; libraries print other things around it."""
    for line in reversed(said.splitlines()):
        try:
            answer = json.loads(line)
        except ValueError:
            continue
        if isinstance(answer, dict) and answer.keys() & {"found", "missing", "problem"}:
            return answer
    last = next((line for line in reversed(errors.decode(errors="replace").splitlines()) if line.strip()), "")
    return {"problem": f"the probe ended with code {code} and said nothing{': ' + last.strip()[:200] if last else ''}"}


class Survey(Turn):
    """All probes, one after another, in the line of the live runs."""

    def __init__(self, probes: tuple[Probe, ...] = PROBES):
        super().__init__()
        self.probes, self.answers = probes, {}
        self.date = ""

    def start(self) -> Survey:
        """Join the line. Raises core.run.turns.Refused when it is too long."""
        QUEUE.join(self)
        return self

    def run(self) -> None:
        self.state = "running"
        self.date = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        try:
            for nth, probe in enumerate(self.probes):
                self.text, self.done = probe.doing, nth / len(self.probes)
                if not self._cancel.is_set():
                    self.answers[probe.name] = look(probe, self._cancel)
        finally:
            cancelled = self._cancel.is_set()
            self.done, self.text = 1.0, "cancelled" if cancelled else "done"
            self.close("cancelled" if cancelled else "done", "the survey was cancelled" if cancelled else "")

    def found(self, name: str) -> dict:
        """What a probe found; nothing if it has not been asked, or found nothing."""
        return self.answers.get(name, {}).get("found", {})

    def trouble(self, name: str) -> str:
        """Why a probe found nothing, in a sentence, or ""."""
        answer = self.answers.get(name, {"problem": "nobody has looked yet"})
        return answer.get("missing") or answer.get("problem") or ""

    def foreign(self) -> float:
        """The largest share of the processors that other programs took while something was measured."""
        return max(self.answers.get(name, {}).get("foreign") or 0.0 for name in ("memory", "mpi", "gpus"))

    def as_dict(self) -> dict:
        """For a file: everything that was found, and where and when."""
        return {"kind": "hardware", "version": 1, "date": self.date, "measured": "here", "probes": self.answers}
