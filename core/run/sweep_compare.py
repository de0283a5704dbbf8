"""Several sweeps beside each other: names that tell them apart, and each curve against a chosen one."""

from __future__ import annotations

import math
import re
import string
from collections.abc import Sequence
from dataclasses import dataclass

from core.run import sweep

QUANTITIES = {"time": "median", "algbw": "algbw", "busbw": "busbw"}  # what a curve may show: the name in a row
SPELLED = {"mpi": "MPI", "nccl": "NCCL"}


@dataclass(frozen=True, eq=False)
class Kept:
    """One sweep, and where it comes from: "measured here" or "recorded"."""

    result: dict
    origin: str

    @property
    def name(self) -> str:
        """Machine, ranks, backend, date and origin: enough to tell it from the others."""
        about = self.result["about"]
        backend, ranks = SPELLED.get(about["backend"], about["backend"]), about["world_size"]
        date = about["date"][:16].replace("T", " ")
        return f"{short(about['machine'])}, {ranks} {backend} ranks, {date}, {self.origin}"

    @property
    def labels(self) -> list[str]:
        return list(dict.fromkeys(row["label"] for row in self.result["rows"]))

    def curve(self, label: str, quantity: str, sizes: Sequence[int]) -> list[float]:
        """One value for each size, NaN where this sweep has none; seconds, or bytes per second."""
        column = QUANTITIES[quantity]
        found = {row["nbytes"]: row[column] for row in self.result["rows"] if row["label"] == label}
        return [found.get(size, math.nan) for size in sizes]


def short(machine: dict) -> str:
    """A processor's name without what all of them have.

    >>> short({"processor": "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz", "hosts": 4})
    '4 x Intel Xeon Platinum 8481C'
    """
    words = re.sub(r"\((R|TM|r|tm)\)| CPU| Processor| @.*| \d+-Core", "", str(machine.get("processor", "")))
    name = " ".join(words.split())[:40] or "unknown machine"
    hosts = machine.get("hosts", 1)
    return f"{hosts} x {name}" if type(hosts) is int and hosts > 1 else name


def lettered(kept: Sequence[Kept]) -> dict[str, Kept]:
    """{letter: sweep}, A for the first: short enough for a table, and two runs of one machine stay apart."""
    return dict(zip(string.ascii_uppercase, kept))


def all_sizes(kept: Sequence[Kept]) -> list[int]:
    """Every size that one of them has, rising; a size of 0 has no place on the axis."""
    return sorted({size for one in kept for size in sweep.curves_of(one.result)[0]})


def common(kept: Sequence[Kept]) -> list[str]:
    """All labels, those that most of the sweeps have first."""
    every = dict.fromkeys(label for one in kept for label in one.labels)
    return sorted(every, key=lambda label: -sum(label in one.labels for one in kept))


def ratios(curve: Sequence[float], base: Sequence[float]) -> list[float]:
    """curve / base at each size, NaN where one of them has nothing, or the base is 0."""
    return [value / other if other else math.nan for value, other in zip(curve, base)]
