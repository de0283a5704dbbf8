"""NCCL's own all-reduce in all its ways, one after another, each in processes of its own:

    python -m core.run.nccl_sweep -n 8 --bytes 1M,64M

A setting is read when a communicator is made, and what is impossible fails then: that becomes a line of the table.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from itertools import product

from core.run import launch
from core.run.nccl_settings import MULTIMEM, PROTOCOLS, Setting
from core.run.request import Method, Request
from core.units import parse_bytes, show_bytes, show_rate, show_seconds


@dataclass(frozen=True)
class Line:
    """One setting and size: a time, or the reason why there is none."""

    setting: str
    nbytes: int
    seconds: float | None
    busbw: float | None
    said: str  # what NCCL's log says it did, or why it did nothing


def settings(algorithms: list[str], protocols: list[str], shared: bool = False) -> list[Setting]:
    """Every combination that is not nonsense on any machine. Raises ValueError for a name that there is not."""
    alone = [Setting(algorithm) for algorithm in algorithms] + [Setting("", protocol) for protocol in protocols]
    if problem := next(filter(None, (setting.refuse() for setting in alone)), ""):
        raise ValueError(problem)
    every = [Setting(algorithm, protocol, shared) for algorithm, protocol in product(algorithms, protocols)]
    return [setting for setting in every if not setting.refuse()]


def sweep(request: Request, chosen: list[Setting], progress=lambda text: None) -> list[Line]:
    """Run the request once for each setting. Impossible ones give lines without times."""
    lines = []
    for setting in chosen:
        progress(setting.label)
        try:
            job = launch.submit(replace(request, nccl=setting.as_dict()))
        except launch.Refused as refused:
            lines += [Line(setting.label, nbytes, None, None, str(refused)) for nbytes in request.sizes]
            continue
        job.wait()
        lines += _lines(setting, request, job)
    return lines


def _lines(setting: Setting, request: Request, job: launch.Job) -> list[Line]:
    if job.state != "done":
        return [Line(setting.label, nbytes, None, None, job.error) for nbytes in request.sizes]
    did = job.result["about"].get("nccl", {}).get("did", "")
    rows = [row for row in job.result["rows"] if row["label"] == "native"]
    return [Line(setting.label, row["nbytes"], row["median"], row["busbw"], did) for row in rows]


def table(lines: list[Line]) -> str:
    width = max(len(line.setting) for line in lines)
    text = [f"{'size':>9}  {'setting':<{width}}  {'median':>9}  {'busbw':>10}  what happened (measured here)"]
    for line in lines:
        seconds = "-" if line.seconds is None else show_seconds(line.seconds)
        rate = "-" if line.busbw is None else show_rate(line.busbw)
        text.append(f"{show_bytes(line.nbytes):>9}  {line.setting:<{width}}  {seconds:>9}  {rate:>10}  {line.said}")
    return "\n".join(text)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m core.run.nccl_sweep", description=__doc__.splitlines()[0])
    parser.add_argument("-n", "--ranks", type=int, default=2)
    parser.add_argument("--bytes", default="1M", help="sizes, separated by commas")
    parser.add_argument("--algorithms", default=",".join(["", "ring", "tree", "nvls", MULTIMEM]), help="of NCCL")
    parser.add_argument("--protocols", default=",".join(PROTOCOLS), help="of NCCL")
    parser.add_argument("--share-gpu", action="store_true", help="all ranks on one GPU (NCCL 2.30 or later)")
    asked = parser.parse_args(arguments)
    try:
        sizes = tuple(map(parse_bytes, asked.bytes.split(",")))
        request = Request(asked.ranks, (Method("ring"),), sizes, backend="nccl", trace=False)
        chosen = settings(asked.algorithms.split(","), asked.protocols.split(","), asked.share_gpu)
        if not chosen:
            raise ValueError("no algorithm that was named works with a protocol that was named: name more of them")
    except ValueError as problem:
        print(f"nccl_sweep: {problem}", file=sys.stderr)
        return 2
    print(table(sweep(request, chosen, lambda text: print(text, file=sys.stderr))))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
