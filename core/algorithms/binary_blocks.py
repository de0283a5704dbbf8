"""Binary blocks: cut the ranks into groups of 8, 4, 2, 1 that each halve, and let the small groups feed the large ones.

Rank 2 is a block of its own.

>>> from core.figures.table import table
>>> print(table(binary_blocks(3)))
start           c0  a    b    c
                c1  a    b    c
reduce-scatter  c0  ab   b    c
                c1  a    ab   c
feed            c0  abc  b    c
                c1  a    abc  c
all-gather      c0  abc  b    abc
                c1  a    abc  abc
all-gather      c0  abc  abc  abc
                c1  abc  abc  abc
"""

from itertools import pairwise

import numpy as np

from core.algorithms.base import algorithm, backwards
from core.algorithms.folds import power_below, reverse_bits
from core.cost import Cost
from core.schedule import COPY, REDUCE, send, together


def blocks(world_size):
    """[(first rank, number of ranks)] of every block, the largest first: the binary digits of n."""
    sizes = [1 << bit for bit in reversed(range(world_size.bit_length())) if world_size >> bit & 1]
    return list(zip(np.cumsum([0, *sizes[:-1]]).tolist(), sizes))


def window(member, swaps, num_chunks):
    """The first chunk of what this member of a block still works on after so many swaps with ever farther partners."""
    return reverse_bits(member % (1 << swaps), swaps) * (num_chunks >> swaps)


def halve(block, swap, num_chunks):
    """One swap inside a block: give a partner the half of your window that it goes on with."""
    first, size = block
    member = np.arange(size)
    partner = member ^ 1 << swap
    give, count = window(partner, swap + 1, num_chunks), num_chunks >> swap + 1
    return send(first + member, first + partner, chunk=give, count=count, op=REDUCE, phase="reduce-scatter")


def feed(small, large, num_chunks):
    """The members of a block send their window to those of the next larger block, who own it piece by piece."""
    member = np.arange(large[1])
    owned = window(member, large[1].bit_length() - 1, num_chunks)
    count = num_chunks // large[1]
    return send(small[0] + member % small[1], large[0] + member, chunk=owned, count=count, op=REDUCE, phase="feed")


def inward(world_size):
    """Every block halves, then the smallest feeds the next larger, and so on until the largest has every sum."""
    parts, num_chunks = blocks(world_size), power_below(world_size)
    for swap in range(num_chunks.bit_length() - 1):
        yield together(halve(block, swap, num_chunks) for block in parts if block[1] >> swap > 1)
    for small, large in pairwise(reversed(parts)):
        yield feed(small, large, num_chunks)


def _cost(n):
    sizes = [size for _, size in blocks(n)]
    halving = Cost(sizes[0].bit_length() - 1, traffic=1 - 1 / sizes[0], work=1 - 1 / sizes[0])
    for large, small in pairwise(
        sizes
    ):  # a member of the small block has large/small partners and sends them all it has
        halving += Cost(1, traffic=1 / small, work=1 / large, messages=large // small)
    return halving + Cost(halving.steps, halving.traffic, 0, halving.messages)


@algorithm(
    num_chunks=power_below,
    cost=_cost,
    reference="Rabenseifner and Traeff, More efficient reduction algorithms for non-power-of-two processes, 2004",
    extra="S: half of the partner's buffer, and what a smaller block sends",
    users="Gloo's older interface (allreduce_halving_doubling)",
    also_called="halving_doubling (Gloo); binary-block halving",
)
def binary_blocks(world_size):
    yield from inward(world_size)
    yield from backwards(inward(world_size), op=COPY, phase="all-gather")
