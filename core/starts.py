"""Ask a collective who has what at the start, in pieces that fit into memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.collective import Collective

AT_ONCE = 16 << 20  # answers


def who_has(collective: Collective, world_size: int, low: int, high: int) -> Iterator[tuple[slice, np.ndarray]]:
    """(chunks, bool [world_size, 1 or len(chunks), world_size]): does [rank] have [chunk]'s input of [origin]?

    The chunks low .. high-1 come as slices that count from `low`. Where the chunk makes no difference (most
    collectives), all come at once, with a middle axis of length 1.
    """
    rank, chunk, origin = np.ogrid[:world_size, low:high, :world_size]
    alike = np.shape(collective.starts(rank[:1], chunk[:, :2], origin[..., :1]))[1] == 1
    size = high - low if alike else max(1, AT_ONCE // world_size**2)
    for at in range(0, high - low, size):
        part = chunk[:, at : at + size]
        has = collective.starts(rank, part, origin)
        yield slice(at, at + part.shape[1]), np.broadcast_to(has, (world_size, has.shape[1], world_size))
