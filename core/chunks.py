"""Where each chunk begins and ends in a buffer that need not divide evenly.

even         the first chunks get one element more (Open MPI; our default)
ceil         every chunk as large as the largest, the last ones short or empty (Gloo, MPICH)
floor_last   every chunk as large as the smallest, the last one takes the rest (vLLM, oneCCL)
aligned      as ceil, rounded up to whole multiples of `align` elements (NCCL: 16 bytes)
"""

from __future__ import annotations

import numpy as np

from core.schedule import Schedule

LAYOUTS = ("even", "ceil", "floor_last", "aligned")


def chunk_bounds(num_elements: int, num_chunks: int, layout: str = "even", align: int = 4) -> np.ndarray:
    """int64 [num_chunks + 1]: chunk c is elements bounds[c] .. bounds[c+1]-1. Chunks may be empty.

    >>> chunk_bounds(10, 4).tolist(), chunk_bounds(10, 4, "ceil").tolist(), chunk_bounds(2, 4, "floor_last").tolist()
    ([0, 3, 6, 8, 10], [0, 3, 6, 9, 10], [0, 0, 0, 0, 2])
    """
    if layout not in LAYOUTS:
        raise ValueError(f"unknown chunk layout {layout!r}: choose one of {', '.join(LAYOUTS)}")
    if num_elements < 0 or num_chunks < 1:
        raise ValueError(f"cannot cut {num_elements} elements into {num_chunks} chunks")
    index = np.arange(num_chunks + 1, dtype=np.int64)
    small, rest = divmod(num_elements, num_chunks)
    if layout == "even":
        return index * small + np.minimum(index, rest)
    if layout == "floor_last":
        return np.append(index[:-1] * small, num_elements)
    size = small + (rest > 0)
    if layout == "aligned":
        size = -(-size // align) * align
    return np.minimum(index * size, num_elements)


def slot_bounds(schedule: Schedule, num_elements: int, layout: str = "even") -> tuple[np.ndarray, np.ndarray]:
    """(first, last + 1) of every chunk slot, int64 [num_slots] each; scratch buffers follow the data."""
    bounds = chunk_bounds(num_elements, schedule.num_chunks, layout)
    offset = np.repeat(np.arange(schedule.num_buffers) * num_elements, schedule.num_chunks)
    return np.tile(bounds[:-1], schedule.num_buffers) + offset, np.tile(bounds[1:], schedule.num_buffers) + offset
