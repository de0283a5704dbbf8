"""Circulant broadcast: k segments in k - 1 + ceil(log2 n) steps, the fewest possible, over ever changing distances.

In every step all ranks send over the same distance, each the newest segment that the receiver lacks. Whether that ends
in the fewest steps depends on the order of the distances: we try all that take turns, and keep the first that does.

>>> from core.figures.table import table
>>> print(table(circulant_broadcast(3, num_segments=2), BROADCAST))
start      c0  a
           c1  a
broadcast  c0  a         a
           c1  a
broadcast  c0  a         a
           c1  a    a
broadcast  c0  a    a    a
           c1  a    a    a
"""

from functools import lru_cache
from itertools import product

import numpy as np

from core.algorithms.base import SEGMENTS, algorithm
from core.algorithms.circulant import distances
from core.algorithms.folds import rounds
from core.collective import BROADCAST
from core.cost import Cost
from core.schedule import COPY, send

MOST_RANKS, MOST_SEGMENTS = 256, 256


def spread(world_size, num_segments, hops):
    """[(src, dst, segment), ...] of every step, and whether everyone has everything at the end."""
    has = np.zeros((world_size, num_segments), bool)
    has[0] = True
    rank, steps = np.arange(world_size), []
    for step in range(num_segments - 1 + rounds(world_size)):
        to = (rank + hops[step % len(hops)]) % world_size
        useful = has & ~has[to] & (rank > 0)[:, None]
        useful[0, min(step, num_segments - 1)] = True  # rank 0 deals out the segments in order
        useful &= ~has[to]
        src = np.flatnonzero(useful.any(axis=1))
        segment = num_segments - 1 - np.argmax(useful[src, ::-1], axis=1)
        steps.append((src, to[src], segment))
        has[to[src], segment] = True
    return steps, bool(has.all())


@lru_cache(maxsize=64)
def shortest(world_size, num_segments):
    """The steps of the first order of distances that ends in time, or None."""
    if world_size == 1:
        return []
    for skips, backwards in product(("halves", "powers"), (True, False)):
        hops = distances(world_size, skips)[:-1][:: -1 if backwards else 1]
        for turn in range(max(1, len(hops))):
            steps, done = spread(world_size, num_segments, hops[turn:] + hops[:turn])
            if done:
                return steps
    return None


def refuse(world_size, num_segments):
    """Why there is no schedule for these, or ""."""
    if world_size > MOST_RANKS or num_segments > MOST_SEGMENTS:
        return f"the search for the order of distances stops at {MOST_RANKS} ranks and {MOST_SEGMENTS} segments"
    if shortest(world_size, num_segments) is None:
        return f"no order of distances brings {num_segments} segments to {world_size} ranks in time: use fewer segments"
    return ""


def _cost(n, num_segments):
    steps = num_segments - 1 + rounds(n) if n > 1 else 0
    return Cost(steps, traffic=steps / num_segments, work=0)


@algorithm(
    collective=BROADCAST,
    num_chunks=lambda n, num_segments: num_segments,
    cost=_cost,
    requires=refuse,
    options={"num_segments": SEGMENTS},
    reference="Traeff, Optimal broadcast schedules in logarithmic time, arXiv 2407.18004 (there without a search)",
    users="MPICH (circ_graph)",
    also_called="circ_graph (MPICH); round-optimal n-block broadcast",
)
def circulant_broadcast(world_size, num_segments=1):
    for src, dst, segment in shortest(world_size, num_segments):
        yield send(src, dst, chunk=segment, op=COPY, phase="broadcast")
