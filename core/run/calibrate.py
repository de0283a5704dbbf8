"""Learn what one step costs on this machine, and predict from that how long any schedule takes.

Two predictions come out of the same measurement. The textbook line has three numbers: alpha, beta and gamma. The table
keeps what was measured for each kind of step at each size, and so it knows of caches and of messages that change
their way at some size. Where the two differ, the textbook is too simple for this machine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.machines import Machine
from core.run.request import Method, Request
from core.run.shifts import KINDS, kinds_of, shift
from core.schedule import Schedule, messages

SIZES = (*(8 << (3 * i) for i in range(7)), 16 << 20, 64 << 20)  # bytes: 8 B to 2 MiB, times 8, and two more
ROUNDS, SECONDS = 5, 0.4  # for each size


@dataclass(frozen=True, eq=False)
class Table:
    """Seconds of one step against bytes of one message; between the points straight lines on logarithmic axes."""

    nbytes: np.ndarray  # float64 [points], rising
    seconds: np.ndarray  # float64 [points]

    def __call__(self, nbytes: np.ndarray) -> np.ndarray:
        """Below the first point as long as there, beyond the last in proportion."""
        inside = np.clip(nbytes, self.nbytes[0], self.nbytes[-1])
        found = np.exp(np.interp(np.log(inside), np.log(self.nbytes), np.log(self.seconds)))
        return found * np.maximum(1.0, np.asarray(nbytes) / self.nbytes[-1])


@dataclass(frozen=True, eq=False)
class Calibration:
    tables: dict[str, Table]  # one for each of KINDS
    machine: Machine  # the textbook line through the walks
    about: dict  # machine, date, command, versions

    def predict(self, schedule: Schedule, nbytes: int) -> float:
        """Seconds for a schedule on a buffer of nbytes (all chunks together), step by step from the table."""
        sent, total = messages(schedule), 0.0
        size = sent.chunks * (nbytes / schedule.num_chunks)
        bounds = np.searchsorted(sent.step, np.arange(schedule.num_steps + 1))
        for kind, first, last in zip(kinds_of(schedule), bounds, bounds[1:]):
            rows = slice(first, last)
            each = self.tables[kind](size[rows])
            total += max(np.bincount(end[rows], each).max(initial=0.0) for end in (sent.src, sent.dst))
        return float(total)


def request(world_size: int, backend: str = "mpi", through: str = "messages", dtype: str = "float32") -> Request:
    """What a calibration runs: a few seconds, for two ranks or more."""
    return Request(
        world_size,
        tuple(Method(kind, through=through) for kind in KINDS),
        tuple(size for size in SIZES if size <= (64 << 20) // max(1, world_size // 4)),
        backend=backend,
        dtype=dtype,
        repeats=ROUNDS,
        seconds=SECONDS,
        native=False,
        trace=False,
    )


def learned(result: dict, world_size: int) -> Calibration:
    """The calibration in the result of such a run."""
    tables = {}
    for kind in KINDS:
        schedule = shift(kind, world_size)
        rows = [row for row in result["rows"] if row["label"].split(" ")[0] == kind]
        sizes = np.array([row["nbytes"] / schedule.num_chunks for row in rows])
        seconds = np.array([row["median"] / schedule.num_steps for row in rows])
        tables[kind] = Table(sizes, seconds)
    return Calibration(tables, textbook(tables["walk_add"], tables["walk_copy"]), result["about"])


def textbook(adding: Table, copying: Table) -> Machine:
    """alpha, beta and gamma: the lines with the least relative error through the two kinds of walk."""
    alpha, beta = _line(copying)
    _, slope = _line(adding, alpha)
    source = "measured here: everyone sends to the right, with and without adding"
    return Machine(alpha, beta, max(0.0, slope - beta), name="This machine", source=source)


def _line(table: Table, alpha: float | None = None) -> tuple[float, float]:
    """(alpha, slope) with the least relative error; with the given alpha only the slope is free. Never negative."""
    x, y = table.nbytes / table.seconds, 1 / table.seconds
    if alpha is None:
        alpha = max(0.0, float(np.linalg.lstsq(np.stack([y, x], axis=1), np.ones(len(x)), rcond=None)[0][0]))
    return alpha, max(0.0, float(x @ (1 - alpha * y) / (x @ x)))


def errors(pairs: list[tuple[float, float]]) -> dict:
    """How good predictions are, from (predicted, measured) pairs: share within 35 %, median and worst factor; and the
    lean, the median of predicted / measured: far from 1 when the machine's pace has changed meanwhile."""
    logs = np.array([np.log(predicted / measured) for predicted, measured in pairs])
    factors = np.exp(np.abs(logs))
    return {
        "cases": len(pairs),
        "lean": float(np.exp(np.median(logs))),
        "within 35 %": float(np.mean(factors <= 1.35)),
        "median factor": float(np.median(factors)),
        "worst factor": float(factors.max()),
    }
