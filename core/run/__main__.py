"""Run a schedule for real, from the command line:

python -m core.run -n 4 --algorithm ring --bytes 16M --out trace.arl
"""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from core.run import entry, launch, runtimes, spec
from core.run.arguments import parser, request_of
from core.run.report import Printer, complain, print_result, typed, write_or_tell
from core.run.request import Request
from core.run.started import Started, started
from core.run.streams import forgiving


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    world = Started("")
    try:
        world = started(options.backend)
        if options.spec:
            return entry.of_a_job(spec.read(Path(options.spec)))
        if problem := world.refuse(options.backend):
            return complain(problem, world.rank)
        if world.by or (options.worker and options.backend == "mpi"):
            return entry.of_a_cluster(options, world)
        request = request_of(options, 2 if options.ranks is None else options.ranks)
    except (ValueError, runtimes.Missing) as problem:
        return complain(str(problem), world.rank)
    return _launch(request, options)


def _launch(request: Request, options: argparse.Namespace) -> int:
    try:
        job = launch.submit(request, typed())
    except launch.Refused as refused:
        return complain(str(refused))
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
    files = write_or_tell(options.out, job.traces)
    print_result(job.result, files, options.json)
    return int(bool(options.out) and len(files) < len(job.traces))


if __name__ == "__main__":
    raise SystemExit(forgiving(main, sys.argv[1:]))
