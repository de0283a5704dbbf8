"""What each process of a live run does: check the result, time the calls, record a trace. The same for all backends."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from dataclasses import asdict, dataclass

from core import trace
from core.cost import bandwidths
from core.run import faults
from core.run.about import about
from core.run.backend import Call, Executor, Group
from core.run.buffers import aligned
from core.run.check import wrong_bits, wrong_numbers
from core.run.measure import Times, compete
from core.run.mishaps import MISHAPS, happen
from core.run.plan import Piece, pieces, program
from core.run.request import Method, Request
from core.run.roof import roofs
from core.run.shifts import NOTHING
from core.run.tracing import impossible, of_transfers, record
from core.run.watch import Watch
from core.run.window import WindowExecutor, refuse
from core.schedule import Schedule
from core.units import show_bytes

Report = Callable[[dict], None]


class RunFailed(Exception):
    """Says in a sentence why a live run cannot go on."""


@dataclass(eq=False)
class Runner:
    """One method on one size, in one process."""

    request: Request
    method: Method
    schedule: Schedule
    num_elements: int
    cut: list[Piece]
    part: Group | None  # the processes that are its vertices; None: this one is not among them
    executor: Executor | None = None

    @classmethod
    def of(cls, request: Request, method: Method, schedule: Schedule, num_elements: int, part: Group | None) -> Runner:
        cut = pieces(schedule, num_elements, request.layout)
        found = cls(request, method, schedule, num_elements, cut, part)
        if part is not None:
            found.executor = found.prepare(cut, num_elements)
        return found

    def prepare(self, cut: list[Piece], num_elements: int) -> Executor:
        request = self.request
        mine = program(self.schedule, self.part.rank, cut, num_elements, request.op, request.itemsize)
        if self.method.through == "memory":
            kind = request.dtype, request.op, request.world_size
            return WindowExecutor(self.part.comm, mine, cut, self.part.arena, kind)
        return self.part.executor(mine, cut, request.dtype, request.op, request.world_size)

    def call(self) -> Call | None:
        """What is timed: one run, or nothing on a process that is not one of the vertices."""
        if self.executor is None:
            return None
        return self.executor.recorder(self.cut).run if self.method.stamped else self.executor.run

    def close(self) -> None:
        if self.executor:
            self.executor.close()


class Worker:
    """One process of a run. `report` is called on process 0 with events: hello, progress, trace (bytes of a file)."""

    def __init__(self, request: Request, group: Group, report: Report, watch: Watch, command: str):
        self.request, self.group, self.watch, self.tell = request, group, watch, report
        self.report = report if group.rank == 0 else lambda event: None
        self._meet()
        self.about = about(request, group, command)
        self.schedules = [method.schedule(request.world_size) for method in request.methods]
        sizes = sorted({schedule.num_vertices for schedule in self.schedules} | {request.world_size})
        self.parts = {size: group.first(size) for size in sizes}

    def work(self) -> dict | None:
        """Everything that was asked for. The result on process 0, None elsewhere. Raises RunFailed."""
        if self.request.mishap:
            return self._mishap()
        rows = [row for nth in range(len(self.request.sizes)) for row in self._one_size(nth)]
        return None if self.group.rank else {"rows": rows, "about": self.about | self.group.findings()}

    def _mishap(self) -> dict | None:
        """Make the mistake; every process that comes through says what it saw, at once and for itself."""
        self._say(0.5, MISHAPS[self.request.mishap].does, "starts")
        self.tell({"ev": "saw", **happen(self.request.mishap, self.group, self.request.sizes[0], self.watch)})
        self.watch.phase = "is through, and waits for the others"
        self.group.barrier()
        return None if self.group.rank else {"rows": [], "about": self.about}

    def _meet(self) -> None:
        wanted, backend = self.request.num_processes, self.request.backend
        if self.group.size != wanted:
            library = self.group.versions().get("MPI", "the library")
            raise RunFailed(
                f"asked for {wanted} processes, but the {backend} world has {self.group.size}: start as many, and with "
                f"the launcher that belongs to {library} (MPICH, Intel MPI: their own mpiexec, or srun --mpi=pmi2; "
                "Open MPI: its own mpiexec, or srun --mpi=pmix)"
            )
        hosts = self.group.share(len(set(self.group.gather(platform.node()) or [])))
        problem = refuse(hosts) if any(method.through == "memory" for method in self.request.methods) else ""
        if problem:
            raise RunFailed(problem)
        pids = self.group.gather(os.getpid())
        self.report({"ev": "hello", "pids": pids, "versions": self.group.versions()})

    def _one_size(self, nth: int) -> list[dict]:
        request, nbytes = self.request, self.request.sizes[nth]
        runners = [
            Runner.of(request, method, schedule, nbytes // request.itemsize, self.parts[schedule.num_vertices])
            for method, schedule in zip(request.methods, self.schedules)
        ]
        self.watch.cut = runners[0].cut
        for runner in runners:
            self._say(nth, f"checking {runner.method.label} with {show_bytes(nbytes)}", "checks the results")
            self._check(runner)
        if faults.breaks(request.fault):
            self._say(nth, faults.describe(request.fault), "breaks something on purpose")
            self._break(runners[0])
        rows = self._time(runners, nth, nbytes)
        if request.trace:
            self._say(nth + 1, f"recording {show_bytes(nbytes)}", "records the trace")
            for place, runner in enumerate(runners):
                self._trace(runner, nbytes, rows, place)
        for runner in runners:
            runner.close()
        return rows

    def _say(self, done: float, text: str, phase: str = "times the calls") -> None:
        self.watch.phase = phase
        self.report({"ev": "progress", "done": round(done / len(self.request.sizes), 4), "text": text})

    def _check(self, runner: Runner) -> None:
        """Raise RunFailed, in every process, if any of them ended with something wrong."""
        if runner.method.promises() is NOTHING:
            return
        for check in (wrong_numbers, wrong_bits):
            found = self.group.gather(check(runner) if runner.executor else "")
            wrong = self.group.share(next(filter(None, found), "") if found else None)
            if wrong:
                raise RunFailed(f"{runner.method.label}: {wrong}")

    def _break(self, runner: Runner) -> None:
        if runner.executor:
            faults.arm(runner.executor, self.request.fault)
            runner.executor.run()
        self.group.barrier(idle=runner.executor is None)

    def _time(self, runners: list[Runner], nth: int, nbytes: int) -> list[dict]:
        calls = [runner.call() for runner in runners]
        labels = [runner.method.label for runner in runners]
        quiet = 1 if self.request.op == "prod" else 0  # stays what it is, however often it is added up
        for runner in runners:
            if runner.executor:
                runner.executor.fill(quiet)
        if self.request.native and runners[0].method.promises().name == "all-reduce":
            native = self._native(runners[0].num_elements, quiet)
            if self.group.share(native is not None):
                calls.append(native)
                labels.append("native")

        if self.request.roof:
            found = roofs(nbytes)
            calls += found.values() if self.group.rank < self.request.world_size else [None] * len(found)
            labels += found

        def progress(done: int, wanted: int) -> None:
            self._say(nth + done / wanted, f"timing {show_bytes(nbytes)}: round {done} of {wanted}")

        measured = compete(self.group, calls, self.request.repeats, self.request.seconds, progress)
        if measured is None:
            return []
        promise, ranks = runners[0].method.promises(), self.request.world_size
        factor = promise.bus_factor(ranks) if ranks > 1 else 0
        share = 1 / promise.buffers(ranks)  # of all chunks together, what counts as the size of the collective
        return [row(label, nbytes, times, (share, factor), measured[1]) for label, times in zip(labels, measured[0])]

    def _native(self, num_elements: int, quiet: int) -> Call | None:
        ranks = self.parts[self.request.world_size]
        if ranks is None:
            return None
        data = aligned(num_elements, self.request.dtype)
        data.fill(quiet)
        return ranks.native(data, self.request.op)

    def _trace(self, runner: Runner, nbytes: int, rows: list[dict], place: int) -> None:
        if runner.executor:
            faults.arm(runner.executor, self.request.fault)
            found = record(runner.part, runner.executor.recorder(runner.cut), len(runner.cut))
        self.group.barrier(idle=runner.executor is None)
        if self.group.rank:
            return
        times, clock = found
        start, end = of_transfers(runner.schedule, runner.cut, times)
        known = self.about | {
            "label": runner.method.label,
            "collective": runner.method.promises().name,
            "medians": {line["label"]: line["median"] for line in rows},
            **{key: rows[place][key] for key in ("median", "rounds", "foreign")},
            "clock": clock | {"impossible": impossible(times, clock["uncertainty_us"] * 1e3)},
            "fault": self.request.fault,
        }
        measured = trace.Trace(runner.schedule, nbytes, start, end, self.request.backend, known)
        self.report({"ev": "trace", "label": runner.method.label, "nbytes": nbytes, "data": trace.save(measured)})


def row(label: str, nbytes: int, times: Times, factors: tuple[float, float], foreign: float | None) -> dict:
    """One line of the result: seconds for one call, and bytes per second."""
    algbw, busbw = bandwidths(nbytes * factors[0], times.median, factors[1])
    return {"label": label, "nbytes": nbytes, **asdict(times), "algbw": algbw, "busbw": busbw, "foreign": foreign}
