"""What is added up and passed on at once goes block by block: each sum is written while it is still in the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from operator import setitem

import numpy as np

from core.run.backend import Call

BLOCK = 256 << 10  # bytes: with what is added to it, it fits the second cache of any processor of today


def worthwhile(mine: np.ndarray, other: np.ndarray, home: np.ndarray) -> bool:
    """May mine, into which other goes, be written to home block by block, and is it large enough for that?

    A block of home that is written must not be one of other that is still to be read: so the two are the same place,
    or have nothing in common.
    """
    start, end = other.ctypes.data, other.ctypes.data + other.nbytes
    first, last = home.ctypes.data, home.ctypes.data + home.nbytes
    return mine.nbytes > BLOCK and (first == start or last <= start or end <= first)


def woven(
    combine: Callable[[np.ndarray, np.ndarray], Call], mine: np.ndarray, other: np.ndarray, home: np.ndarray
) -> Iterator[tuple[Call, Call]]:
    """For each block: the call that combines other into mine, and the one that writes the result to home."""
    size = max(1, BLOCK // mine.itemsize)
    for first in range(0, len(mine), size):
        block = slice(first, first + size)
        yield combine(mine[block], other[block]), partial(setitem, home[block], ..., mine[block])
