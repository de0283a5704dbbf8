"""Bidirectional ring: use the links in both directions at once.

With halves, one half of the buffer goes around to the right and the other to the left.

>>> from core.figures.table import table
>>> print(table(bidirectional_ring(2)))
start           c0  a   b
                c1  a   b
                c2  a   b
                c3  a   b
reduce-scatter  c0  ab  b
                c1  a   ab
                c2  ab  b
                c3  a   ab
all-gather      c0  ab  ab
                c1  ab  ab
                c2  ab  ab
                c3  ab  ab

With distance, every chunk comes in from both sides, and only from half-way around the ring.

>>> print(table(bidirectional_ring(3, split="distance")))
start           c0  a    b    c
                c1  a    b    c
                c2  a    b    c
reduce-scatter  c0  abc  b    c
                c1  a    abc  c
                c2  a    b    abc
all-gather      c0  abc  abc  abc
                c1  abc  abc  abc
                c2  abc  abc  abc
"""

import numpy as np

from core.algorithms.base import Option, algorithm, backwards, on_groups, side_by_side
from core.algorithms.ring import ring
from core.cost import Cost
from core.schedule import COPY, REDUCE, send, together


def halves(world_size):
    """Two rings at once, one to the right and one to the left, each with half of the buffer."""
    right = ring.steps(world_size, direction=1)
    left = on_groups(ring.steps(world_size, direction=-1), np.arange(world_size)[None], first_chunk=world_size)
    return side_by_side(right, left)


def reduce_from_both_sides(world_size):
    """Chunk r sets out from the ranks farthest from rank r and is added up on its way, from the left and right."""
    rank = np.arange(world_size)
    for hop in range(world_size // 2, 0, -1):
        right = send(rank, (rank + 1) % world_size, chunk=(rank + hop) % world_size, op=REDUCE, phase="reduce-scatter")
        left = send(rank, (rank - 1) % world_size, chunk=(rank - hop) % world_size, op=REDUCE, phase="reduce-scatter")
        yield together([right, left]) if 2 * hop < world_size else right  # the rank opposite is reached only once


def _cost(n, split):
    steps, ways = (2 * (n - 1), 2 if n > 2 else 1) if split == "halves" else (2 * (n // 2), 1)
    messages = 2 * (n - 1) * ways
    return Cost(steps, traffic=2 * (n - 1) / n, work=(n - 1) / n, messages=messages)


@algorithm(
    num_chunks=lambda n, split: 2 * n if split == "halves" else n,
    cost=_cost,
    options={
        "split": Option(
            "halves",
            "halves: one half of the buffer travels each way all around; distance: every chunk travels both ways, but "
            "only half-way around, in half the steps.",
            ("halves", "distance"),
        )
    },
    reference="Austin et al., How to Scale Your Model, chapter on sharding (bidirectional rings on TPUs)",
    extra="S/n: one chunk on its way in",
    users="TPUs (both directions of each torus axis); NCCL builds rings in both directions as separate channels",
    also_called="two-way ring; counter-rotating rings",
)
def bidirectional_ring(world_size, split="halves"):
    if split == "halves":
        yield from halves(world_size)
    else:
        yield from reduce_from_both_sides(world_size)
        yield from backwards(reduce_from_both_sides(world_size), op=COPY, phase="all-gather")
