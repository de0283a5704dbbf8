"""What to do with ranks beyond a power of two, and a few numbers about powers of two."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.schedule import COPY, REDUCE, Step, send, together


def power_below(n: int) -> int:
    """The largest power of two that is not above n."""
    return 1 << (n.bit_length() - 1)


def rounds(n: int) -> int:
    """ceil(log2 n): how often something must double to reach n."""
    return (n - 1).bit_length()


def reverse_bits(numbers: np.ndarray, width: int) -> np.ndarray:
    """`numbers` with their lowest `width` bits in mirror order: int64 [k]."""
    return sum((numbers >> bit & 1) << (width - 1 - bit) for bit in range(width)) + 0 * numbers


def survivors(world_size: int, first: bool = False) -> np.ndarray:
    """The ranks that stay, as many as a power of two: of the first few pairs (2i, 2i+1) the odd or the `first` one."""
    virtual = np.arange(power_below(world_size))
    left_over = world_size - len(virtual)
    return np.where(virtual < left_over, 2 * virtual + (not first), virtual + left_over)


def fold_in(world_size: int, num_chunks: int = 1, fold: str = "whole") -> Iterator[Step]:
    """Every left-over rank hands its input to the rank beside it.

    whole   the even rank sends the odd one everything (MPICH)
    halves  both swap halves and add, then the odd rank sends its sum to the even one, which stays (Open MPI)
    """
    even = 2 * np.arange(world_size - power_below(world_size))
    odd, half = even + 1, num_chunks // 2
    if len(even) and fold == "whole":
        yield send(even, odd, chunk=0, count=num_chunks, op=REDUCE, phase="fold")
    elif len(even):
        upper, lower = {"chunk": half, "count": num_chunks - half}, {"chunk": 0, "count": half}
        sums = send(even, odd, **upper, op=REDUCE, phase="fold"), send(odd, even, **lower, op=REDUCE, phase="fold")
        yield together(sums)
        yield send(odd, even, **upper, op=COPY, phase="fold")


def unfold(world_size: int, num_chunks: int = 1, first: bool = False) -> Iterator[Step]:
    """Every rank that stood aside gets the whole result."""
    even = 2 * np.arange(world_size - power_below(world_size))
    src, dst = (even, even + 1) if first else (even + 1, even)
    if len(even):
        yield send(src, dst, chunk=0, count=num_chunks, op=COPY, phase="unfold")


def runs(wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(row, first, count) of every run of True in the rows of `wanted` (bool [rows, chunks]): int64 [num_runs] each."""
    edge = np.diff(np.pad(wanted, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    row, first = np.nonzero(edge == 1)
    return row, first, np.nonzero(edge == -1)[1] - first


def around(first: np.ndarray, count: int, num_chunks: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(row, first, count) of `count` chunks from each `first`, cut in two where they run over the end of the buffer."""
    row = np.arange(len(first))
    whole = np.minimum(count, num_chunks - first)
    rest = np.flatnonzero(count > whole)
    return np.append(row, rest), np.append(first, 0 * rest), np.append(whole, count - whole[rest])
