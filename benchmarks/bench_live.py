"""Live runs against the library's own all-reduce: python benchmarks/bench_live.py [--ranks 8] [--seconds 2]

Goals are ratios of medians inside one run, never absolute times. Run it on a quiet machine: other programs' share of
the processors is printed with every table, and spoils what it measures.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from core.algorithms import ALGORITHMS
from core.run import calibrate, launch, sweep
from core.run.request import Method, Request
from core.run.roof import ADDED, taken_from
from core.trace import lockstep
from core.units import show_bytes, show_seconds

SMALL, MIDDLE, LARGE = (8, 512, 4 << 10), (32 << 10, 256 << 10, 1 << 20, 4 << 20), (16 << 20, 64 << 20)
MANY = (4 << 10, 64 << 10, 1 << 20)
STAMPS = (32 << 10, 1 << 20, 16 << 20)
BARS = {8: 2.0, 512: 2.0, 4 << 10: 1.15, **dict.fromkeys(MIDDLE, 0.75), **dict.fromkeys(LARGE, 0.65)}
GLOO_BARS = {8: 0.6, 4 << 10: 0.6, 32 << 10: 0.6, 64 << 20: 1.05}
MEMORY = ("binomial_tree", "recursive_doubling", "direct", "halving_doubling")
PREDICTED = ("ring", "recursive_doubling", "halving_doubling", "binomial_tree")
PREDICTED_AT = (64, 2 << 10, 32 << 10, 512 << 10, 8 << 20, 32 << 20)
RINGS = "ring", "ring (segments=4)"  # the ring itself, sent as messages: whole, or as libraries do in pieces
CROWDED_BAR, RING_BAR, RING_FROM, STAMP_BAR, ROOF_BAR = 0.7, 1.05, 256 << 10, 1.05, 0.85


def methods(sizes: tuple[int, ...]) -> tuple[Method, ...]:
    """What may win at these sizes."""
    found = [Method("ring"), Method("recursive_doubling"), Method("direct")]
    found += [Method(name, through="memory") for name in MEMORY]
    if sizes[-1] >= MIDDLE[1]:
        found = [m for m in found if m.algorithm != "recursive_doubling"]
        found += [Method("ring", segments=4), *(Method("direct", segments=k) for k in (4, 16))]
        found += [Method("direct", segments=4, through="memory")]
    if sizes[-1] >= LARGE[0]:
        found += [Method("direct", segments=64), *(Method("direct", segments=k, through="memory") for k in (16, 64))]
    return tuple(found)


def run(world_size: int, methods: tuple[Method, ...], sizes: tuple[int, ...], seconds: float, **how) -> dict:
    usual = {"trace": False, "repeats": 9, "seconds": seconds, "time_limit": 600.0}
    job = launch.submit(Request(world_size, methods, sizes, **{**usual, **how}), "python benchmarks/bench_live.py")
    job.wait()
    if job.state != "done":
        raise SystemExit(f"bench_live: {job.error}")
    return job.result


def verdict(value: float, bar: float) -> str:
    return "ok" if value <= bar else "MISS"


def bars(result: dict, bar_of, roomy: bool = True) -> list[str]:
    """One line a size: the best of ours against native and the bar; `roomy`: a processor for every rank."""
    lines = []
    for size in sorted({row["nbytes"] for row in result["rows"]}):
        rows = {row["label"]: row for row in result["rows"] if row["nbytes"] == size}
        native, passes = rows.pop("native"), taken_from(rows)
        best = min(rows.values(), key=lambda row: row["median"])
        ring = min((rows[label] for label in RINGS if label in rows), key=lambda row: row["median"])
        ratio, ring_ratio = best["median"] / native["median"], ring["median"] / native["median"]
        line = f"{show_bytes(size):>9}  native {show_seconds(native['median']):>8}  best of ours {ratio:5.2f}"
        line += f"  bar {bar_of(size):.2f} {verdict(ratio, bar_of(size)):<4}  {best['label']:<36} "
        line += f"{ring['label']:<17} {ring_ratio:5.2f}"
        if size >= RING_FROM and roomy:
            line += f" {verdict(ring_ratio, RING_BAR)}"
        if passes:
            share = passes[ADDED] / best["median"]
            line += f"  memory, read, added and written once / ours {share:.0%}  bar {ROOF_BAR:.0%} "
            line += f"{verdict(ROOF_BAR, share)} (only read and written: {min(passes.values()) / best['median']:.0%})"
        lines.append(line + f"  foreign {native['foreign'] or 0:.0%}")
    return lines


def gloo(seconds: float) -> list[str]:
    chosen = (Method("recursive_doubling"), Method("binomial_tree"), Method("ring"))
    return bars(run(2, chosen, tuple(GLOO_BARS), seconds, backend="gloo"), GLOO_BARS.get, roomy=False)


def calibration(world_size: int, seconds: float) -> list[str]:
    """How far the two kinds of prediction are off, learned from the same processes: between two starts of the
    processes, a virtual machine's memory may become twice as quick or slow."""
    asked = calibrate.request(world_size)
    algorithms, sizes = tuple(map(Method, PREDICTED)), tuple(sorted({*asked.sizes, *PREDICTED_AT}))
    result = run(world_size, (*asked.methods, *algorithms), sizes, seconds, native=False)
    learned = calibrate.learned(
        {**result, "rows": [row for row in result["rows"] if row["nbytes"] in asked.sizes]}, world_size
    )
    schedules = {name: ALGORITHMS[name](world_size) for name in PREDICTED}
    cases = [row for row in result["rows"] if row["label"] in PREDICTED and row["nbytes"] in PREDICTED_AT]
    lines = [f"{world_size} ranks: calibrated; alpha {show_seconds(learned.machine.alpha)}"]
    ways = {"table": learned.predict, "line": lambda s, size: lockstep(s, size, learned.machine).seconds}
    for name, predict in ways.items():
        how = calibrate.errors([(predict(schedules[row["label"]], row["nbytes"]), row["median"]) for row in cases])
        good = how["within 35 %"] >= 0.75 and how["median factor"] <= 1.25
        lines.append(
            f"  {name:5} {how['within 35 %']:.0%} of {how['cases']} within 35 %, median factor "
            f"{how['median factor']:.2f}, worst {how['worst factor']:.1f}  bar 75 %, 1.25 {'ok' if good else 'MISS'}"
        )
    return lines


def stamps(seconds: float) -> list[str]:
    result = run(2, (Method("ring"), Method("ring", stamped=True)), STAMPS, seconds, native=False)
    lines = []
    for size in STAMPS:
        plain, stamped = (row["median"] for row in result["rows"] if row["nbytes"] == size)
        found = f"{stamped / plain - 1:+.1%}  bar {STAMP_BAR - 1:.0%} {verdict(stamped / plain, STAMP_BAR)}"
        lines.append(f"{show_bytes(size):>9}  stamps cost {found}")
    return lines


def first_result(world_size: int) -> str:
    began = time.perf_counter()
    run(world_size, (Method("ring"),), (1 << 10,), 0.1, repeats=1)
    took, bar = time.perf_counter() - began, 1.0 if world_size <= 2 else 2.0
    return f"{world_size} ranks: from the click to the result {took:.2f} s  bar {bar:.0f} s {verdict(took, bar)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=8, help="of the crowded run")
    parser.add_argument("--seconds", type=float, default=2.0, help="for the rounds of one size")
    parser.add_argument("--json", default="", help="write what was measured on 2 ranks there, as a sweep file")
    options = parser.parse_args()
    everything = []
    for sizes in (SMALL, MIDDLE, LARGE):  # apart: the library's best settings differ, see core/run/runtimes.py
        everything.append(run(2, methods(sizes), sizes, options.seconds, roof=sizes is LARGE))
        print("\n".join(bars(everything[-1], BARS.get)), flush=True)
    print(f"{options.ranks} ranks:")
    everything.append(run(options.ranks, methods(MANY[:1]), MANY, options.seconds))
    print("\n".join(bars(everything[-1], lambda size: CROWDED_BAR, roomy=False)), flush=True)
    print("gloo, 2 ranks:")
    print("\n".join(gloo(options.seconds)), flush=True)
    print("\n".join(line for n in (2, 4) for line in calibration(n, options.seconds)), flush=True)
    print("\n".join([*stamps(options.seconds), *(first_result(n) for n in (2, 8))]))
    if options.json:
        rows = [row for result in everything[:-1] for row in result["rows"]]  # a sweep is of one number of ranks
        Path(options.json).write_text(sweep.to_json({"rows": rows, "about": everything[0]["about"]}))


if __name__ == "__main__":
    main()
