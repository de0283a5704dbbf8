"""Memory for live runs, the data that goes in, and what must come out."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import partial, reduce
from itertools import pairwise

import numpy as np

from core.chunks import chunk_bounds
from core.collective import Collective
from core.replay import OPS

PAGE = 4096
LARGE_PAGE = 2 << 20
COLLAPSE = 25  # the number of MADV_COLLAPSE, in Linux 6.1 and later


def aligned(num_elements: int, dtype) -> np.ndarray:
    """An array that starts at a memory page, every page touched. (numpy's own arrays start at 16 bytes.)"""
    itemsize = np.dtype(dtype).itemsize
    raw = np.empty(num_elements * itemsize + PAGE, np.uint8)
    begin = -raw.ctypes.data % PAGE
    found = raw[begin : begin + num_elements * itemsize].view(dtype)
    found.fill(0)
    return found


def use_large_pages(memory: np.ndarray) -> bool:
    """Move memory, used before, to large pages where the system can; its contents stay. False where it cannot.

    The processor finds large pages quicker. Memory of one process gets them by the settings of its allocator, memory
    that processes share only by this request.
    """
    begin = memory.ctypes.data + -memory.ctypes.data % LARGE_PAGE
    end = (memory.ctypes.data + memory.nbytes) // LARGE_PAGE * LARGE_PAGE
    if sys.platform != "linux" or begin >= end:
        return False
    advise = ctypes.CDLL(None).madvise
    return advise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), COLLAPSE) == 0


class Arena:
    """Memory that is taken once and used again by whatever runs next: touching new pages is slow.

    What one user leaves there, the next one finds.
    """

    def __init__(self):
        self.kept: dict[str, np.ndarray] = {}

    def take(self, name: str, num_elements: int, dtype) -> np.ndarray:
        nbytes = num_elements * np.dtype(dtype).itemsize
        if name not in self.kept or len(self.kept[name]) < nbytes:
            self.kept.pop(name, None)
            self.kept[name] = aligned(nbytes, np.uint8)
        return self.kept[name][:nbytes].view(dtype)


def sample(rank: int, num_elements: int, dtype, op: str, first: int = 0) -> np.ndarray:
    """The input of one rank, from element `first` on: small whole numbers, whose sum is exact in any order.

    They repeat every 11 (for prod every 2) elements, and differ from rank to rank and from chunk to chunk.
    """
    place = np.arange(first, first + (2 if op == "prod" else 11))
    values = 1 + (place + rank) % 2 if op == "prod" else (place * 7 + rank * 13) % 11
    return np.resize(values.astype(dtype), num_elements)


def expected(
    collective: Collective, world_size: int, cut: tuple[int, int], num_elements: int, dtype, op: str, layout: str
) -> np.ndarray:
    """What a rank that needs every chunk ends with, without any schedule: numpy alone.

    `cut` is (how many chunks the schedule has, how many of them are segments of one chunk of the collective).
    """
    num_chunks, segments = cut
    bounds = chunk_bounds(num_elements, num_chunks, layout).tolist()
    result = np.empty(num_elements, dtype)
    rank, chunk, origin = np.ogrid[:world_size, :num_chunks, :world_size]
    there = collective.starts(rank, chunk // segments, origin)
    there = np.broadcast_to(there, (world_size, num_chunks, world_size)).any(axis=0)
    for c, (first, last) in enumerate(pairwise(bounds)):
        inputs = [sample(o, min(last - first, 22), dtype, op, first) for o in np.flatnonzero(there[c]).tolist()]
        result[first:last] = np.resize(reduce(OPS[op], inputs), last - first)  # what repeats adds up to what repeats
    return finished(result, op, world_size)


def adding(op: str, mine: np.ndarray, other: np.ndarray) -> partial:
    """A call that adds other to mine, or whatever op does, in place."""
    if OPS[op] in (np.maximum, np.minimum):
        return partial(OPS[op], mine, other, out=mine)
    return partial(OPS[op], mine, other, mine)  # half as long as by name; for max and min numpy deprecates it


def finished(total: np.ndarray, op: str, world_size: int) -> np.ndarray:
    """The total, or the average if that is asked for; in place."""
    if op == "avg":
        divide = np.floor_divide if total.dtype.kind in "iu" else np.divide
        divide(total, world_size, out=total)
    return total


def needed(collective: Collective, rank: int, cut: tuple[int, int], num_elements: int, layout: str) -> np.ndarray:
    """bool [num_elements]: what this rank must end with."""
    num_chunks, segments = cut
    chunks = np.broadcast_to(collective.needs(rank, np.arange(num_chunks) // segments), num_chunks)
    return np.repeat(chunks, np.diff(chunk_bounds(num_elements, num_chunks, layout)))


def free_memory() -> int | None:
    """Bytes of memory that programs may still take; None where the system does not say."""
    try:
        with open("/proc/meminfo") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (ValueError, OSError, AttributeError):
        return None
