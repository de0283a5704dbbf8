"""Run a schedule for real, from the command line:

python -m core.run -n 4 --algorithm ring --bytes 16M --out trace.arl
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import signal
import sys
import traceback
from pathlib import Path

from core.run import faults, launch, runtimes, sweep
from core.run.report import Printer, about_lines, table
from core.run.request import BACKENDS, DEVICES, DTYPES, THROUGH, Method, Request
from core.run.watch import Watch
from core.run.worker import RunFailed, Worker
from core.units import parse_bytes


class Parser(argparse.ArgumentParser):
    def error(self, message: str):
        print(f"core.run: {message}", file=sys.stderr)
        raise SystemExit(2)


def parser() -> Parser:
    found = Parser(
        prog="python -m core.run",
        description="Run all-reduce schedules on real processes, time them beside the library's own, record a trace.",
        epilog="On a cluster: srun -n 4 python -m core.run --worker -n 4 --algorithm ring --bytes 16M --out trace.arl",
    )
    add = found.add_argument
    add("--backend", default="mpi", choices=BACKENDS, help="what moves the data (default: mpi)")
    add("--device", default="", choices=DEVICES, help="where virtual ranks live (default: a GPU if there is one)")
    add("--nccl", default="", metavar="ALGORITHM:PROTOCOL", help="force NCCL's own all-reduce, as in ring:simple")
    add("--share-gpu", action="store_true", help="all NCCL ranks on one GPU (experimental, NCCL 2.30 or later)")
    add("-n", "--ranks", type=int, help="how many ranks; a switch is one process more (default: 2, or what MPI has)")
    add("--algorithm", default="ring", help="names of the catalogue, separated by commas")
    add("--schedule", default="", help="a trace file (.arl) whose schedule is run instead")
    add("--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the algorithms that have it")
    add("--segments", type=int, default=1, help="cut every chunk into so many that follow each other")
    add("--through", default="messages", choices=THROUGH, help="how MPI processes of one host exchange data")
    add("--bytes", default="1M", help="sizes of the buffer, separated by commas: 1024,64K,16M")
    add("--dtype", default="float32", choices=DTYPES)
    add("--op", default="sum", help="sum, prod, max, min or avg")
    add("--repeats", type=int, default=9, help="rounds that count (default: 9)")
    add("--seconds", type=float, default=3.0, help="how long the rounds of one size may take (default: 3)")
    add("--time-limit", type=float, default=60.0, help="seconds after which everything is ended (default: 60)")
    add("--fault", default="", metavar="KIND:RANK", help="break something: kill, freeze, raise, or late:RANK:SECONDS")
    add("--no-native", action="store_true", help="leave out the library's own all-reduce")
    add("--out", default="", help="where the trace file goes (several traces: one file each, named after this one)")
    add("--json", action="store_true", help="print the result as JSON")
    add("--worker", action="store_true", help="be one of the processes that mpiexec or srun starts")
    add("--in-place-launch", action="store_true", dest="worker", help="the same as --worker")
    add("--spec", default="", help=argparse.SUPPRESS)
    return found


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    if options.spec:
        return _worker_of_a_job(Path(options.spec))
    worker = options.worker or runtimes.inside()
    try:
        if worker and options.backend == "mpi":
            return _worker_of_a_cluster(options)
        request = request_of(options, 2 if options.ranks is None else options.ranks)
    except (ValueError, runtimes.Missing) as problem:
        return _complain(str(problem))
    return _launch(request, options)


def request_of(options: argparse.Namespace, world_size: int) -> Request:
    """Raises ValueError, in a sentence, for anything that cannot be understood."""
    return Request(
        world_size,
        _methods(options),
        tuple(parse_bytes(size) for size in options.bytes.split(",")),
        backend=options.backend,
        device=options.device,
        nccl=_nccl(options) if options.backend == "nccl" else {},
        dtype=options.dtype,
        op=options.op,
        repeats=options.repeats,
        seconds=options.seconds,
        time_limit=options.time_limit,
        native=not options.no_native,
        trace=bool(options.out),
        fault=_fault(options.fault),
    )


def _methods(options: argparse.Namespace) -> tuple[Method, ...]:
    if options.schedule:
        path = Path(options.schedule)
        if not path.is_file():
            raise ValueError(f"there is no file {options.schedule}")
        return (Method(path.stem, segments=options.segments, file=str(path.resolve()), through=options.through),)
    from core.algorithms import ALGORITHMS

    pairs = dict(_pair(text) for text in options.option)
    names = options.algorithm.split(",")
    known = [set(getattr(ALGORITHMS.get(name), "options", ())) for name in names]
    if lost := next((name for name in pairs if len(names) > 1 and not any(name in has for has in known)), ""):
        raise ValueError(f"none of these algorithms has an option {lost!r}")
    chosen = [pairs if len(names) == 1 else {k: v for k, v in pairs.items() if k in has} for has in known]
    how = {"segments": options.segments, "through": options.through}
    return tuple(Method(name, mine, **how) for name, mine in zip(names, chosen))


def _pair(text: str) -> tuple[str, object]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ValueError(f"option {text!r}: write NAME=VALUE, as in radix=2")
    return name, int(value) if value.lstrip("-").isdigit() else {"true": True, "false": False}.get(value.lower(), value)


def _nccl(options: argparse.Namespace) -> dict:
    algorithm, _, protocol = options.nccl.lower().partition(":")
    return {"algorithm": algorithm, "protocol": protocol, "shared": options.share_gpu}


def _fault(text: str) -> dict:
    if not text:
        return {}
    kind, _, rest = text.partition(":")
    rank, _, seconds = rest.partition(":")
    if kind not in faults.KINDS or not rank.isdigit():
        raise ValueError(
            f"fault {text!r}: write one of {', '.join(faults.KINDS)}, a colon and the process, as in kill:1"
        )
    return {"kind": kind, "rank": int(rank)} | ({"seconds": float(seconds or 0.1)} if kind == "late" else {})


def _launch(request: Request, options: argparse.Namespace) -> int:
    try:
        job = launch.submit(request, _command())
    except launch.Refused as refused:
        return _complain(str(refused))
    printer = Printer()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # being ended is being interrupted: tidy up first
    try:
        while not job.wait(0.1):
            printer.show(job.done, job.text)
    except KeyboardInterrupt:
        job.cancel()
        job.wait(10)
    printer.close()
    for line in job.where:
        print(f"  {line}", file=sys.stderr)
    if job.state != "done":
        print(f"core.run: {job.error}", file=sys.stderr)
        return 130 if job.state == "cancelled" else 1
    files = _write(options.out, job.traces)
    _print_result(job.result, files, options.json)
    return 0


def _command() -> str:
    return shlex.join(["python", "-m", "core.run", *sys.argv[1:]])


def _complain(problem: str) -> int:
    print(f"core.run: {problem}", file=sys.stderr)
    return 2


def _print_result(result: dict, files: list[str], as_json: bool) -> None:
    if as_json:
        print(sweep.to_json({**result, "files": files}))
        return
    print(table(result["rows"]))
    print("\n".join([*about_lines(result), *(f"trace in {name}" for name in files)]))


def _write(out: str, traces: list[dict]) -> list[str]:
    """Write the trace files; several of them get names of their own."""
    if not out:
        return []
    path, written = Path(out), []
    for found in traces:
        name = path
        if len(traces) > 1:
            word = "".join(c if c.isalnum() else "-" for c in f"{found['label']}-{found['nbytes']}").strip("-")
            name = path.with_name(f"{path.stem}-{word}{path.suffix or '.arl'}")
        name.parent.mkdir(parents=True, exist_ok=True)
        name.write_bytes(found["data"])
        written.append(str(name))
    return written


def _worker_of_a_job(spec: Path) -> int:
    """One process of a Job: events go to stdout, one JSON line each, traces into the job's folder."""
    about = json.loads(spec.read_text())
    request, folder = Request.from_dict(about["request"]), Path(about["folder"])

    def report(event: dict) -> None:
        if event["ev"] == "trace":
            name = f"{event['label']}-{event['nbytes']}.arl".replace("/", "-")
            (folder / name).write_bytes(event.pop("data"))
            event["file"] = name
        os.write(1, (json.dumps(event) + "\n").encode())  # one call: lines of several processes do not mix

    def guard(rank: int) -> Watch:
        return Watch(rank, about["folder"], about["parent"], request.time_limit)

    return work(request, report, guard, about["command"])


def _worker_of_a_cluster(options: argparse.Namespace) -> int:
    """One process that mpiexec or srun started without the app: process 0 talks to the terminal."""
    from core.run.groups import group_of

    request = request_of(options, 2 if options.ranks is None else options.ranks)
    if options.ranks is None:  # as many ranks as the world has, less the switches
        size = group_of("mpi").size
        fitting = (n for n in range(size, 0, -1) if _fits(options, n, size))
        request = request_of(options, next(fitting, size))
    if problem := request.refuse() or faults.refuse(request.fault, request.num_processes):
        return _complain(problem)
    printer, traces = Printer(), []

    def report(event: dict) -> None:
        if event["ev"] == "progress":
            printer.show(event["done"], event["text"])
        elif event["ev"] == "trace":
            traces.append(event)
        elif event["ev"] == "error":
            printer.close()
            print(f"core.run: {event['text']}", file=sys.stderr)
        elif event["ev"] == "done":
            printer.close()
            _print_result(event["result"], _write(options.out, traces), options.json)

    return work(request, report, lambda rank: Watch(rank, time_limit=request.time_limit), _command())


def _fits(options: argparse.Namespace, world_size: int, size: int) -> bool:
    request = request_of(options, world_size)
    return not request.refuse() and request.num_processes == size


def work(request: Request, report, guard, command: str) -> int:
    """What the processes of both kinds do; the exit code. Errors become an event, and the end of all processes."""
    from core.run.groups import run_in_groups

    def one(group) -> int:
        watch = guard(group.rank)
        try:
            result = Worker(request, group, report, watch, command).work()
        except RunFailed as failed:
            if group.rank == 0:
                report({"ev": "error", "text": str(failed)})
            return 3
        except Exception as problem:
            traceback.print_exc()
            report({"ev": "error", "text": f"process {group.rank}: {type(problem).__name__}: {_plain(problem)}"})
            sys.stderr.flush()
            group.abort(1)
            return 1
        if group.rank == 0:
            report({"ev": "done", "result": result})
        return 0

    try:
        return run_in_groups(request, one)
    except runtimes.Missing as missing:
        report({"ev": "error", "text": str(missing)})
        return 2


def _plain(problem: Exception) -> str:
    """What went wrong, without the place in somebody else's source that gloo puts first."""
    return re.sub(r"^\[[^\]]*\] ", "", str(problem))[:300]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
