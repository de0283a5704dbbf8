"""Several rings at once: each has its share of the buffer and its own order of ranks, and no two share a link.

Ring number i walks in steps of its own length: 1, then n-1 (the first ring backwards), then other lengths that have no
factor in common with n and so pass every rank.

>>> from core.figures.table import table
>>> print(table(multi_ring(3)))
start           c0  a    b    c
                c1  a    b    c
                c2  a    b    c
                c3  a    b    c
                c4  a    b    c
                c5  a    b    c
reduce-scatter  c0  a    b    bc
                c1  ac   b    c
                c2  a    ab   c
                c3  a    bc   c
                c4  ab   b    c
                c5  a    b    ac
reduce-scatter  c0  abc  b    bc
                c1  ac   abc  c
                c2  a    ab   abc
                c3  abc  bc   c
                c4  ab   b    abc
                c5  a    abc  ac
all-gather      c0  abc  abc  bc
                c1  ac   abc  abc
                c2  abc  ab   abc
                c3  abc  bc   abc
                c4  ab   abc  abc
                c5  abc  abc  ac
all-gather      c0  abc  abc  abc
                c1  abc  abc  abc
                c2  abc  abc  abc
                c3  abc  abc  abc
                c4  abc  abc  abc
                c5  abc  abc  abc
"""

from math import gcd

import numpy as np

from core.algorithms.base import Option, algorithm, on_groups, side_by_side
from core.algorithms.ring import ring
from core.cost import Cost


def strides(world_size, num_rings):
    """The step lengths of up to num_rings rings, shortest first."""
    lengths = [d for near in range(1, world_size) for d in (near, world_size - near) if gcd(near, world_size) == 1]
    return list(dict.fromkeys(lengths))[:num_rings] or [1]


def _cost(n, num_rings):
    messages = 2 * (n - 1) * len(strides(n, num_rings))
    return Cost(2 * (n - 1), traffic=2 * (n - 1) / n, work=(n - 1) / n, messages=messages)


@algorithm(
    num_chunks=lambda n, num_rings: n * len(strides(n, num_rings)),
    cost=_cost,
    options={
        "num_rings": Option(
            2, "How many rings; where the ranks allow fewer that share no link, so many.", high=64, examples=(1, 4)
        )
    },
    reference="NVIDIA, NCCL, src/graph/connect.cc (one ring per channel)",
    extra="S/n: one chunk of each ring on its way in",
    users="NCCL and RCCL: every channel has its own ring, laid over other links or another network card",
    also_called="multi-channel ring; edge-disjoint rings",
)
def multi_ring(world_size, num_rings=2):
    rank, lengths = np.arange(world_size), strides(world_size, num_rings)
    rings = [
        on_groups(ring.steps(world_size), groups=(rank * length % world_size)[None], first_chunk=i * world_size)
        for i, length in enumerate(lengths)
    ]
    yield from side_by_side(*rings)
