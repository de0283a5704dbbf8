"""Which bits every rank ends with: a run in a given number format, in the schedule's own order of additions.

Every addition is rounded to the format at once, as on a rank that stores its partial sums in it. bf16 is float32 with
the lower half cut off, rounded to nearest, ties to even; its sums are formed in float32 and then rounded, as processors
without bf16 arithmetic do.

>>> from core.algorithms.ring import ring
>>> run(ring(3), np.full((3, 3), 0.1), "fp16").result.tolist()[0]  # 0.1 is 0.09998 in fp16, and so on
[0.2998046875, 0.2998046875, 0.2998046875]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.replay import carry_out
from core.schedule import Schedule

FORMATS = {"fp64": np.float64, "fp32": np.float32, "fp16": np.float16, "bf16": np.float32}
AVERAGES = {
    "": "the sum itself",
    "after": "sum, then divide by the number of ranks (gloo; MPI programs)",
    "before": "multiply every input by 1/n, rounded to the format, then sum (NCCL)",
}


@dataclass(frozen=True, eq=False)
class Outcome:
    result: np.ndarray  # [world_size, num_elements] in the format's numpy type (bf16: float32 with rounded values)
    differing: int  # elements of which not all ranks have the same bits
    rms_error: float  # root mean square of (rank 0's result - exact), relative to that of the exact result
    worst_error: float  # largest |result - exact| of any rank

    @property
    def identical(self) -> bool:
        """Do all ranks end with the same bits?"""
        return self.differing == 0


def run(
    schedule: Schedule, inputs: np.ndarray, number: str = "fp32", average: str = "", layout: str = "even"
) -> Outcome:
    """Carry out an all-reduce on inputs[world_size, num_elements] in format `number`, a key of FORMATS.

    Errors are counted from the exact sum (or mean) of the inputs as the format holds them.
    """
    _refuse(schedule, inputs, number, average)
    ranks, num_elements = inputs.shape
    held = rounded(inputs, number)
    exact = held.astype(np.longdouble).sum(axis=0) / (ranks if average else 1)
    if average == "before":
        held = rounded(held * rounded(np.array(1 / ranks), number), number)
    buffers = np.zeros((schedule.num_vertices, num_elements * schedule.num_buffers), FORMATS[number])
    buffers[:ranks, :num_elements] = held
    with np.errstate(over="ignore", invalid="ignore"):  # infinity is an answer
        carry_out(schedule, buffers, layout, _add_bf16 if number == "bf16" else np.add)
        result = buffers[:ranks, :num_elements]
        if average == "after":
            result = rounded(result / FORMATS[number](ranks), number)
        return _outcome(result, exact)


def _outcome(result: np.ndarray, exact: np.ndarray) -> Outcome:
    bits = np.ascontiguousarray(result).view(f"u{result.itemsize}")
    error = np.abs(result.astype(np.longdouble) - exact)
    size = float(np.sqrt((exact**2).mean())) if exact.size else 0.0
    rms = float(np.sqrt((error[0] ** 2).mean())) if exact.size else 0.0
    return Outcome(
        result,
        differing=int((bits != bits[0]).any(axis=0).sum()),
        rms_error=rms / size if size else rms,
        worst_error=float(error.max(initial=0.0)),
    )


def rounded(values: np.ndarray, number: str) -> np.ndarray:
    """The nearest values that the format can hold, in its numpy type."""
    with np.errstate(over="ignore"):
        result = np.array(values, FORMATS[number])
    if number == "bf16":
        _cut(result)
    return result


def _add_bf16(mine: np.ndarray, piece: np.ndarray, out: np.ndarray) -> None:
    np.add(mine, piece, out=out)
    _cut(out)


def _cut(values: np.ndarray) -> None:
    """Round float32 to bf16 in place: to the nearest, ties to even. Infinity and NaN stay what they are."""
    bits, special = values.view(np.uint32), ~np.isfinite(values)
    kept = values[special]
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    bits += odd + np.uint32(0x7FFF)
    bits &= np.uint32(0xFFFF0000)
    values[special] = kept


def _refuse(schedule: Schedule, inputs: np.ndarray, number: str, average: str) -> None:
    for value, known in ((number, FORMATS), (average, AVERAGES)):
        if value not in known:
            raise ValueError(f"{value!r} is not known: choose one of {', '.join(map(repr, known))}")
    if inputs.ndim != 2 or len(inputs) != schedule.world_size:
        raise ValueError(f"inputs have shape {inputs.shape}: one row for each of {schedule.world_size} ranks is needed")
