"""The command line of a live run, and the request that it means."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from core.algorithms import ALGORITHMS
from core.run import faults
from core.run.request import BACKENDS, DEVICES, DTYPES, THROUGH, Method, Request
from core.run.runtimes import LIBRARY
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
    add("--fault", default="", metavar="KIND:RANK", help=f"break something: {', '.join(faults.KINDS)}")
    add("--library", default="tuned", choices=LIBRARY, help="how MPI's own all-reduce is set up (default: tuned)")
    add("--no-native", action="store_true", help="leave out the library's own all-reduce")
    add("--out", default="", help="where the trace file goes (several traces: one file each, named after this one)")
    add("--json", action="store_true", help="print the result as JSON")
    add("--worker", action="store_true", help="be one of the MPI processes that mpiexec or srun starts")
    add("--in-place-launch", action="store_true", dest="worker", help="the same as --worker")
    add("--spec", default="", help=argparse.SUPPRESS)
    return found


def request_of(options: argparse.Namespace, world_size: int) -> Request:
    """Raises ValueError, in a sentence, for anything that cannot be understood."""
    if (options.nccl or options.share_gpu) and options.backend != "nccl":
        raise ValueError(f"--nccl and --share-gpu steer NCCL, and the backend is {options.backend}: add --backend nccl")
    if options.device and options.backend != "virtual":
        raise ValueError(f"--device is where virtual ranks live, not {options.backend} ranks: add --backend virtual")
    _refuse_out(options.out)
    return Request(
        world_size,
        _methods(options),
        tuple(parse_bytes(size) for size in options.bytes.split(",")),
        backend=options.backend,
        device=options.device,
        nccl=_nccl(options) if options.backend == "nccl" else {},
        library=options.library,
        dtype=options.dtype,
        op=options.op,
        repeats=options.repeats,
        seconds=options.seconds,
        time_limit=options.time_limit,
        native=not options.no_native,
        trace=bool(options.out),
        fault=_fault(options.fault),
    )


def _refuse_out(out: str) -> None:
    try:
        folder = bool(out) and Path(out).is_dir()
    except (OSError, ValueError) as problem:
        raise ValueError(f"--out cannot be a file: {getattr(problem, 'strerror', None) or problem}") from None
    if folder:
        raise ValueError(f"--out {out} is a folder: name a file in it, as in {Path(out) / 'trace.arl'}")


def _methods(options: argparse.Namespace) -> tuple[Method, ...]:
    if options.schedule:
        path = Path(options.schedule)
        if not path.is_file():
            raise ValueError(f"there is no file {options.schedule}")
        return (Method(path.stem, segments=options.segments, file=str(path.resolve()), through=options.through),)

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
    try:
        return name, int(value)
    except ValueError:
        return name, {"true": True, "false": False}.get(value.lower(), value)


def _nccl(options: argparse.Namespace) -> dict:
    algorithm, _, protocol = options.nccl.lower().partition(":")
    return {"algorithm": algorithm, "protocol": protocol, "shared": options.share_gpu}


def _fault(text: str) -> dict:
    if not text:
        return {}
    kind, _, rest = text.partition(":")
    rank, _, seconds = rest.partition(":")
    try:
        found = {"kind": kind, "rank": int(rank), "seconds": float(seconds or 0.1)}
    except ValueError:
        kind = ""
    if kind not in faults.KINDS:
        known = ", ".join(faults.KINDS)
        raise ValueError(f"fault {text!r}: write one of {known}, a colon and the process: kill:1, or late:1:0.1")
    return found if kind == "late" else {"kind": kind, "rank": found["rank"]}
