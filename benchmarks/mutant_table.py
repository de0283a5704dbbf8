"""How well the proof finds mistakes: every single-edit mutant of every all-reduce algorithm, blamed.

python benchmarks/mutant_table.py            all algorithms, 4 to 9 ranks, a sample of their transfers
python benchmarks/mutant_table.py --all      all transfers (several minutes)
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core.algorithms import ALGORITHMS
from core.collective import ALL_REDUCE
from core.mutants import KINDS, mutants, place_named, steps_away
from core.verify import verify

SAMPLE = 12  # transfers of a schedule, unless --all
HEAD = ("kind", "mutants", "still right", "rejected", "0 steps", "<= 1 step", "named 1st", "among 3", "slowest ms")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--all", action="store_true", help="every transfer, not a sample")
    options.add_argument("--ranks", type=int, nargs="*", default=range(4, 10))
    options.add_argument("--only", nargs="*", help="names of algorithms")
    options.add_argument("--by-algorithm", action="store_true", help="one row per algorithm and kind")
    chosen = options.parse_args()
    table: dict[str, Counter] = defaultdict(Counter)
    for name, algorithm in ALGORITHMS.items():
        if algorithm.collective is ALL_REDUCE and (not chosen.only or name in chosen.only):
            for ranks in chosen.ranks:
                if not algorithm.refuse(ranks):
                    count(table, algorithm(ranks), None if chosen.all else SAMPLE, chosen.by_algorithm)
    show(table)


def count(table: dict[str, Counter], schedule, sample: int | None, by_algorithm: bool) -> None:
    rows = range(schedule.num_transfers)
    if sample and sample < len(rows):
        rows = sorted(random.Random(schedule.world_size).sample(rows, sample))
    for mutant in mutants(schedule, rows):
        row = table[f"{schedule.name} {mutant.kind}" if by_algorithm else mutant.kind]
        start = time.process_time()
        report = verify(mutant.schedule, ALL_REDUCE)
        row["slowest"] = max(row["slowest"], time.process_time() - start)
        row["mutants"] += 1
        if report.right:
            row["right"] += 1
        else:
            away, place = steps_away(report, mutant), place_named(report, mutant)
            row["same"] += away == 0
            row["near"] += away <= 1
            row["first"] += place == 0
            row["among"] += place is not None and place < 3


def show(table: dict[str, Counter]) -> None:
    width = max(map(len, table), default=4)
    print(f"{HEAD[0]:{width}}", *(f"{title:>11}" for title in HEAD[1:]))
    for kind in sorted(table, key=lambda name: KINDS.index(name) if name in KINDS else 0):
        row = table[kind]
        wrong = row["mutants"] - row["right"]
        shares = (f"{row[c] / wrong:11.1%}" if wrong else f"{'-':>11}" for c in ("same", "near", "first", "among"))
        numbers = (row["mutants"], row["right"], wrong)
        print(f"{kind:{width}}", *(f"{n:11}" for n in numbers), *shares, f"{1000 * row['slowest']:11.1f}")


if __name__ == "__main__":
    main()
