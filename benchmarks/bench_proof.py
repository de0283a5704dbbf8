"""How fast schedules are proved, explained, replayed and built, on one core: medians of CPU time, beside the goals.

python benchmarks/bench_proof.py
python benchmarks/bench_proof.py --quick     without the largest schedules
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from statistics import median

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from core.algorithms import ALGORITHMS
from core.collective import ALL_REDUCE
from core.edits import dropped, edited, flipped
from core.fingerprint import probably_right
from core.replay import carry_out
from core.schedule import Schedule
from core.verify import verify


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="without the largest schedules")
    quick = options.parse_args().quick
    print(f"{'what':52} {'measured':>22} {'goal':>26}")
    for row in (*proofs(quick), *fingerprints(quick), *explanations(), *replays(), *builds(quick)):
        print(f"{row[0]:52} {row[1]:>22} {row[2]:>26}", flush=True)


def seconds(work: Callable, repeats: int) -> float:
    """Median CPU time, after one run to warm up."""
    times = []
    for _ in range(repeats + 1):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return median(times[1:])


def proofs(quick: bool):
    goals = {64: "<= 2 ms", 128: "<= 10 ms", 256: "", 512: "", 1024: "<= 500 ms, >= 5 M moves/s"}
    for ranks, goal in goals.items():
        if quick and ranks > 256:
            continue
        schedule = ALGORITHMS["ring"](ranks)
        taken = seconds(lambda s=schedule: prove(s), 25 if ranks < 300 else 5)
        yield f"exact proof, ring of {ranks}", f"{show(taken)}, {rate(schedule, taken)}", goal
    if not quick:
        yield "its memory, schedule included", f"{peak_memory(schedule) / 2**20:.0f} MiB", "<= 256 MiB"
    for name in ("halving_doubling", "direct", "binomial_tree"):
        schedule = ALGORITHMS[name](256)
        taken = seconds(lambda s=schedule: prove(s), 9)
        yield f"exact proof, {name} of 256", f"{show(taken)}, {rate(schedule, taken)}", ">= 5 M moves/s"


def prove(schedule: Schedule) -> None:
    if not verify(schedule, ALL_REDUCE).right:
        raise SystemExit(f"{schedule.name} is wrong: nothing to measure")


def peak_memory(schedule: Schedule) -> int:
    tracemalloc.start()
    verify(schedule, ALL_REDUCE)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak + sum(getattr(schedule, c).nbytes for c in ("src", "dst", "chunk", "count", "op", "step_ptr"))


def fingerprints(quick: bool):
    for ranks, goal in {1024: ">= 30 M moves/s", 4096: "<= 1.2 s, >= 30 M moves/s"}.items():
        if not (quick and ranks > 1024):
            schedule = ALGORITHMS["ring"](ranks)
            taken = seconds(lambda s=schedule: probably_right(s, ALL_REDUCE), 5)
            yield f"fingerprint proof, ring of {ranks}", f"{show(taken)}, {rate(schedule, taken)}", goal


def explanations():
    for name, ranks, goal in (
        ("ring", 16, "<= 1 s"),
        ("multi_ring", 16, "<= 1 s"),
        ("ring", 64, ""),
        ("ring", 256, ""),
    ):
        schedule = ALGORITHMS[name](ranks)
        rows = range(0, schedule.num_transfers, max(1, schedule.num_transfers // 7))
        broken = [edited(schedule, edit(schedule, row)) for row in rows for edit in (dropped, flipped)]
        times = [seconds(lambda s=s: verify(s, ALL_REDUCE), 1) for s in broken]
        yield (
            f"explaining a mistake, {name} of {ranks}: median, worst",
            f"{show(median(times))}, {show(max(times))}",
            goal,
        )


def replays():
    """Against numpy.add on the same pieces of the same buffers, in turn with it."""
    for name, ranks, piece in (
        ("ring", 16, 1 << 16),
        ("ring", 8, 1 << 20),
        ("halving_doubling", 16, 1 << 16),
        ("binomial_tree", 8, 1 << 20),
        ("recursive_doubling", 8, 1 << 20),
    ):
        schedule = ALGORITHMS[name](ranks)
        width = piece // 4
        buffers = np.zeros((schedule.num_vertices, width * schedule.num_chunks), np.float32)
        pairs = [
            (int(d), int(s), int(c) * width, int(c + k) * width)
            for d, s, c, k in zip(schedule.dst, schedule.src, schedule.chunk, schedule.count)
        ]

        def control(buffers=buffers, pairs=pairs):
            for dst, src, low, high in pairs:
                np.add(buffers[dst, low:high], buffers[src, low:high], out=buffers[dst, low:high])

        rounds = [(seconds(lambda b=buffers, s=schedule: carry_out(s, b), 1), seconds(control, 1)) for _ in range(9)]
        ours, theirs = (median(column) for column in zip(*rounds))
        payload = int(schedule.count.sum()) * piece
        what = f"exact data, {name} of {ranks}, pieces of {piece >> 10} KiB"
        yield what, f"{payload / ours / 1e9:.1f} GB/s, {theirs / ours:.0%} of add", ">= 80 % of numpy.add"


def builds(quick: bool):
    ranks = 1024 if quick else 2240  # 2240 ranks: 10 million transfers
    taken = seconds(lambda: ALGORITHMS["ring"](ranks), 3)
    transfers = 2 * ranks * (ranks - 1)
    yield f"building {transfers / 1e6:.1f} M transfers", f"{taken:.2f} s", "10 M in <= 2 s"


def rate(schedule: Schedule, taken: float) -> str:
    return f"{int(schedule.count.sum(dtype=np.int64)) / taken / 1e6:.1f} M/s"


def show(taken: float) -> str:
    return f"{taken:.2f} s" if taken >= 1 else f"{1000 * taken:.2f} ms"


if __name__ == "__main__":
    main()
