"""Where the processes of a live run begin: those that a Job starts, and those that mpiexec, srun or torchrun start."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import traceback
from collections.abc import Callable

from core.run import faults, keeper, runtimes
from core.run.arguments import request_of
from core.run.groups import group_of, run_in_groups
from core.run.report import Printer, complain, print_result, typed, write_or_tell
from core.run.request import MAX_CLUSTER, Request
from core.run.spec import Spec
from core.run.started import Started, started
from core.run.watch import Watch
from core.run.worker import Report, RunFailed, Worker


def of_a_job(spec: Spec) -> int:
    """One process of a Job: events go to stdout, one JSON line each, traces into the job's folder."""
    request = spec.request

    def report(event: dict) -> None:
        if event["ev"] == "trace":
            name = f"{event['label']}-{event['nbytes']}.arl".replace("/", "-")
            (spec.folder / name).write_bytes(event.pop("data"))
            event["file"] = name
        keeper.tell(event)

    def watch(rank: int | None = None) -> Watch:
        return Watch(rank, str(spec.folder), spec.parent, request.time_limit, spec.born)

    def guard(rank: int) -> Watch:
        if not early:
            return watch(rank)
        early[0].rank = rank
        return early[0]

    if hasattr(signal, "SIGCHLD"):
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # who inherits that it is ignored never learns how a rank ended
    early: list[Watch] = []  # a copied process is watched before it meets the others: they may never come
    if hasattr(os, "fork"):
        os.register_at_fork(after_in_child=lambda: early.append(watch()))
    if request.backend == "mpi" and hasattr(os, "fork"):
        keeper.stay_behind(started("mpi").rank)
    code = work(request, report, guard, spec.command, lambda group: os._exit(1))
    if code:
        os._exit(code)  # MPI would end the others here, before they are heard: the job does it
    return 0


def of_a_cluster(options: argparse.Namespace, world: Started) -> int:
    """One process that mpiexec, srun or torchrun started without the app: process 0 talks to the terminal."""
    request = request_of(options, 2 if options.ranks is None else options.ranks)
    if request.backend == "mpi" and request.sizes:
        runtimes.tune(world.local_size, max(request.sizes), request.library)
    if options.ranks is None:  # as many ranks as the world has, less the switches
        size = world.size or group_of("mpi").size
        fitting = (n for n in range(size, 0, -1) if _fits(options, n, size))
        request = request_of(options, next(fitting, size))
    if problem := request.refuse(MAX_CLUSTER) or faults.refuse(request.fault, request.num_processes):
        return complain(problem, world.rank)
    if problem := world.wrong_size(request.world_size, request.num_processes):
        return complain(problem, world.rank)
    printer, traces, unwritten, silent = Printer(), [], [], []

    def report(event: dict) -> None:
        if event["ev"] == "progress":
            printer.show(event["done"], event["text"])
        elif event["ev"] == "trace":
            traces.append(event)
        elif event["ev"] == "error":
            if event.get("all") and world.rank:
                silent.append(event)  # process 0 says it: see report.complain
                return
            printer.close()
            print(f"core.run: {event['text']}", file=sys.stderr)
        elif event["ev"] == "done":
            printer.close()
            files = write_or_tell(options.out, traces)
            unwritten.extend(traces[len(files) :])
            print_result(event["result"], files, options.json)

    code = work(request, report, lambda rank: Watch(rank, time_limit=request.time_limit), typed(world.launcher()))
    return 0 if silent else code or int(bool(unwritten and options.out))


def _fits(options: argparse.Namespace, world_size: int, size: int) -> bool:
    request = request_of(options, world_size)
    return not request.refuse(MAX_CLUSTER) and request.num_processes == size


def work(request: Request, report: Report, guard: Callable[[int], Watch], command: str, end=None) -> int:
    """What the processes of both kinds do; the exit code. Errors become an event, and the end of all processes.

    `end(group)` brings that about; without it the group's library does.
    """

    def one(group) -> int:
        watch = guard(group.rank)
        try:
            faults.begin(request.fault, group.rank)
            result = Worker(request, group, report, watch, command).work()
        except RunFailed as failed:
            if group.rank == 0:
                report({"ev": "error", "rank": 0, "text": str(failed)})
            return 3
        except Exception as problem:
            traceback.print_exc()
            report(keeper.error(group.rank, problem))
            sys.stderr.flush()
            end(group) if end else group.abort(1)
            return 1
        if group.rank == 0:
            report({"ev": "done", "result": result})
        return 0

    try:
        return run_in_groups(request, one)
    except runtimes.Missing as missing:
        report({"ev": "error", "text": str(missing), "all": True})
        return 2
