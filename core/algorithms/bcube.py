"""Bcube: groups of k exchange 1/k of what they have, then groups farther apart 1/k of that, and all the way back.

With k=2 it is halving and doubling, with k=n it is direct: everything in between has fewer steps and more partners.

>>> from core.figures.table import table
>>> print(table(bcube(4)))
start           c0  a     b     c     d
                c1  a     b     c     d
                c2  a     b     c     d
                c3  a     b     c     d
reduce-scatter  c0  ab    b     cd    d
                c1  ab    b     cd    d
                c2  a     ab    c     cd
                c3  a     ab    c     cd
reduce-scatter  c0  abcd  b     cd    d
                c1  ab    b     abcd  d
                c2  a     abcd  c     cd
                c3  a     ab    c     abcd
all-gather      c0  abcd  b     abcd  d
                c1  abcd  b     abcd  d
                c2  a     abcd  c     abcd
                c3  a     abcd  c     abcd
all-gather      c0  abcd  abcd  abcd  abcd
                c1  abcd  abcd  abcd  abcd
                c2  abcd  abcd  abcd  abcd
                c3  abcd  abcd  abcd  abcd
"""

import numpy as np

from core.algorithms.base import Option, algorithm, backwards
from core.cost import Cost
from core.schedule import COPY, REDUCE, send


def factors(world_size, radix):
    """n as a product: the radix as often as it divides, then what is left (6 = 2 * 3, 7 = 7)."""
    found = []
    while world_size % radix == 0:
        found.append(radix)
        world_size //= radix
    return found + [world_size] * (world_size > 1)


def reduce_scatter(world_size, radix):
    """On each level, send every member of your group the part of your window that it goes on with."""
    start, size, distance = np.zeros(world_size, int), world_size, 1
    for factor in factors(world_size, radix):
        rank, place = np.arange(world_size), np.arange(factor)
        mine = rank // distance % factor
        size //= factor
        me, other = np.nonzero(place != mine[:, None])
        partner = me + (other - mine[me]) * distance
        yield send(me, partner, chunk=start[me] + other * size, count=size, op=REDUCE, phase="reduce-scatter")
        start, distance = start + mine * size, distance * factor


def _cost(n, radix):
    sizes = factors(n, radix)
    return Cost(
        2 * len(sizes),
        traffic=2 * (n - 1) / n,
        work=(n - 1) / n,
        messages=2 * sum(size - 1 for size in sizes),
    )


@algorithm(
    num_chunks=lambda n, radix: n,
    cost=_cost,
    options={
        "radix": Option(
            2, "How many ranks form a group (k); what n has besides powers of k is one level.", low=2, examples=(3, 4)
        )
    },
    reference="Gloo, docs/algorithms.md (allreduce_bcube)",
    extra="up to S: one part from each member of the group",
    users="Gloo on request (BCUBE); much the same: UCC's sra_knomial above 4 KiB, MPICH's k_reduce_scatter_allgather",
    also_called="bcube (Gloo); SRA k-nomial (UCC); mixed-radix exchange",
)
def bcube(world_size, radix=2):
    yield from reduce_scatter(world_size, radix)
    yield from backwards(reduce_scatter(world_size, radix), op=COPY, phase="all-gather")
