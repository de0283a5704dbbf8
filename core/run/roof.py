"""The least that any all-reduce in place does to memory, measured: how near to it is a time?

n inputs of S bytes must be read, and n results of S bytes must be written: n * S bytes each way, a byte of each buffer
once. Each rank does just that in a buffer of its own, all ranks at once; nothing is exchanged and nobody waits. The
traffic is a bound for every algorithm; the time is not, because it is that of two passes made with numpy, and a third
one might be quicker. It says something only of buffers that are too large for the caches.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from core.run.backend import Call
from core.run.blocks import BLOCK
from core.run.buffers import aligned


def roofs(nbytes: int) -> dict[str, Call]:
    """Passes over one buffer of nbytes bytes, by their label in the result: each reads and writes every byte once."""
    buffer = aligned(nbytes, np.uint8)
    return {label: make(buffer) for label, make in ROOFS.items()}


def whole(buffer: np.ndarray) -> Call:
    """One stream of memory: what was read is written back, changed."""
    return partial(np.invert, buffer, out=buffer)


def halves(buffer: np.ndarray) -> Call:
    """Two streams: block by block, add one half to the other and copy the sums back while they are in the cache."""
    one, other = np.split(buffer[: len(buffer) // 2 * 2], 2)
    blocks = [(one[i : i + BLOCK], other[i : i + BLOCK]) for i in range(0, len(one), BLOCK)]

    def run() -> None:
        for ours, theirs in blocks:
            np.add(ours, theirs, out=ours)
            np.copyto(theirs, ours)

    return run


ADDED = "memory, two streams"  # the pass that adds, as an all-reduce must; in a large cache one stream alone is quicker
ROOFS = {"memory, one stream": whole, ADDED: halves}


def taken_from(rows: dict[str, dict]) -> dict[str, float]:
    """Seconds of each pass among the rows of a result (by label), which are then only those of methods."""
    return {label: rows.pop(label)["median"] for label in ROOFS if label in rows}
