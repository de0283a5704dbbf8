"""Circulant all-reduce: any number of ranks in 2 ceil(log2 n) steps without moving one byte more than the ring.

Ranks stand in a circle. In each step everyone sends what the other half of the circle will own half-way across.

>>> from core.figures.table import table
>>> print(table(circulant(3)))
start           c0  a    b    c
                c1  a    b    c
                c2  a    b    c
reduce-scatter  c0  ab   b    c
                c1  a    bc   c
                c2  a    b    ac
reduce-scatter  c0  abc  b    c
                c1  a    abc  c
                c2  a    b    abc
all-gather      c0  abc  b    abc
                c1  abc  abc  c
                c2  a    abc  abc
all-gather      c0  abc  abc  abc
                c1  abc  abc  abc
                c2  abc  abc  abc
"""

import numpy as np

from core.algorithms.base import Option, algorithm, backwards
from core.algorithms.folds import around, rounds
from core.cost import Cost
from core.schedule import COPY, REDUCE, send

SKIPS = Option(
    "halves", "The distances: n halved again and again, rounded up, or the powers of two below n.", ("halves", "powers")
)


def distances(world_size, skips):
    """Growing distances from 1 to n; none is more than twice the one before."""
    if skips == "powers":
        return [1 << i for i in range(rounds(world_size))] + [world_size]
    found = [world_size]
    while found[0] > 1:
        found.insert(0, (found[0] + 1) // 2)
    return found


def reduce_scatter(world_size, skips="halves"):
    """Send what ranks r+near .. r+far-1 will own to rank r+near: it goes on with it as with its own."""
    rank = np.arange(world_size)
    steps = distances(world_size, skips)
    for near, far in zip(reversed(steps[:-1]), reversed(steps[1:])):
        row, chunk, count = around((rank + near) % world_size, far - near, world_size)
        yield send(row, (row + near) % world_size, chunk=chunk, count=count, op=REDUCE, phase="reduce-scatter")


def all_gather(world_size, skips="halves"):
    """The same steps backwards, with finished chunks."""
    yield from backwards(reduce_scatter(world_size, skips), op=COPY, phase="all-gather")


@algorithm(
    num_chunks=lambda n, skips: n,
    cost=lambda n, skips: Cost(2 * rounds(n), traffic=2 * (n - 1) / n, work=(n - 1) / n),
    options={"skips": SKIPS},
    reference="Traeff, Optimal, non-pipelined reduce-scatter and allreduce algorithms, arXiv 2410.14234, 2024",
    extra="half of S: up to n/2 chunks on their way in",
    users="MPICH has the same circulant graphs for broadcast, reduce and all-gather (circ_graph), not for all-reduce",
    also_called="Bruck reduce-scatter + Bruck all-gather (powers); cyclic permutations (Kolmakov and Zhang)",
)
def circulant(world_size, skips="halves"):
    yield from reduce_scatter(world_size, skips)
    yield from all_gather(world_size, skips)
