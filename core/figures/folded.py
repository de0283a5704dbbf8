"""The columns of a schedule in few bytes: most steps differ from the step before as that one did from its own.

A ring of 1,024 ranks has two million transfers, yet every step says "the same ranks, one chunk further". So for each
column only the differences to the step before are kept, modulo one more than its largest number, where that step has
as many transfers; and those only where they are not the differences of the step before once more. Inside a step again
only the differences from transfer to transfer are kept. static/player/folded.js is the way back.
"""

from __future__ import annotations

import numpy as np

from core.container import narrow


def fold(columns: dict[str, np.ndarray], step_ptr: np.ndarray) -> tuple[dict[str, int], dict[str, np.ndarray]]:
    """({column: its modulus}, arrays): what is left of each column, `size` and `again`.

    `columns` are whole numbers [num_transfers], eight at most; `size` is the number of transfers of each step, and bit
    k of `again` says that the differences of column k are those of the step before, uint8 [num_steps].
    """
    size = np.diff(step_ptr)
    again = np.zeros(len(size), np.uint8)
    stretches = _stretches(size)
    modulus, kept = {}, {}
    for bit, (name, column) in enumerate(columns.items()):
        modulus[name] = int(column.max(initial=0)) + 1
        further, same = _steps_further(narrow(column), step_ptr, stretches, modulus[name])
        again |= same.astype(np.uint8) << bit
        new = np.repeat(~same, size)
        kept[name] = _further_inside(further[new], size[~same], modulus[name])
    return modulus, {**kept, "size": narrow(size), "again": again}


def _stretches(size: np.ndarray) -> list[tuple[int, int]]:
    """[(first step, last step + 1), ...] of two or more steps with equally many transfers, and with any."""
    edges = np.flatnonzero(np.diff(size, prepend=-1, append=-1))  # where another number begins, and the end
    stretches = zip(edges[:-1].tolist(), edges[1:].tolist())
    return [(first, last) for first, last in stretches if last - first > 1 and size[first]]


def _steps_further(
    column: np.ndarray, step_ptr: np.ndarray, stretches: list[tuple[int, int]], modulus: int
) -> tuple[np.ndarray, np.ndarray]:
    """The differences to the step before, and which steps, bool [num_steps], repeat those of the step before."""
    further, same = column.copy(), np.zeros(len(step_ptr) - 1, bool)
    for first, last in stretches:
        rows = slice(step_ptr[first], step_ptr[last])
        steps = column[rows].reshape(last - first, -1)
        change = further[rows].reshape(last - first, -1)
        change[1:] = _less(steps[1:], steps[:-1], modulus)
        same[first + 1 : last] = (change[1:] == change[:-1]).all(axis=1)
    return further, same


def _further_inside(column: np.ndarray, size: np.ndarray, modulus: int) -> np.ndarray:
    """The differences to the transfer before in the same step."""
    further = column.copy()
    further[1:] = _less(column[1:], column[:-1], modulus)
    first = (np.cumsum(size) - size)[size > 0]
    further[first] = column[first]
    return further


def _less(one: np.ndarray, other: np.ndarray, modulus: int) -> np.ndarray:
    """one - other, modulo `modulus`, of unsigned numbers below it; they wrap around where their type ends."""
    wrap = one.dtype.type(modulus & np.iinfo(one.dtype).max)  # 0 if the type itself ends there
    return (one - other) + (one < other) * wrap
