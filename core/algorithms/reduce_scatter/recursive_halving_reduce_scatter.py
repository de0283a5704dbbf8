"""Recursive halving reduce-scatter: swap half of your window with a far partner, then a quarter with a nearer one.

With three ranks, rank 0 first hands its input to rank 1, and gets its own chunk back at the end.

>>> from core.figures.table import table
>>> print(table(recursive_halving_reduce_scatter(3)))
start           c0  a    b    c
                c1  a    b    c
                c2  a    b    c
fold            c0  a    ab   c
                c1  a    ab   c
                c2  a    ab   c
reduce-scatter  c0  a    abc  c
                c1  a    abc  c
                c2  a    ab   abc
unfold          c0  abc  abc  c
                c1  a    abc  c
                c2  a    ab   abc
"""

import numpy as np

from core.algorithms.base import algorithm
from core.algorithms.folds import fold_in, power_below, survivors
from core.collective import REDUCE_SCATTER
from core.cost import Cost
from core.schedule import COPY, REDUCE, send


def starts(world_size):
    """The first chunk of each survivor, int [power + 1]: a survivor also looks after the rank that folded into it."""
    member = np.arange(power_below(world_size) + 1)
    return member + np.minimum(member, world_size - power_below(world_size))


def halve(world_size, first):
    """Every survivor is left with its own chunk and that of the rank folded into it. `first` is as in starts()."""
    real = survivors(world_size)
    member, distance = np.arange(len(real)), len(real) // 2
    while distance:
        partner = member ^ distance
        half = partner // distance * distance  # the members whose chunks your partner goes on with: half .. + distance
        count = first[half + distance] - first[half]
        yield send(real, real[partner], chunk=first[half], count=count, op=REDUCE, phase="reduce-scatter")
        distance //= 2


def halving_cost(n):
    """The cost of the halvings alone. The largest window, and its halves, are those of member 0."""
    first, power = starts(n), power_below(n)
    halves = [int(first[power >> i]) for i in range(1, power.bit_length())]
    return Cost(len(halves), traffic=sum(halves) / n, work=sum(halves) / n)


def _cost(n):
    folds = Cost(2, traffic=1 + 1 / n, work=1) if n > power_below(n) else Cost(0, 0, 0)
    return halving_cost(n) + folds


@algorithm(
    collective=REDUCE_SCATTER,
    num_chunks=lambda n: n,
    cost=_cost,
    reference="Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in MPICH, 2005",
    extra="S/2: half of the partner's buffer",
    users="MPICH below 512 KiB for commutative operations; Open MPI for small messages",
    also_called="recursive_halving (MPICH, Open MPI)",
)
def recursive_halving_reduce_scatter(world_size):
    yield from fold_in(world_size, world_size)
    yield from halve(world_size, starts(world_size))
    folded = 2 * np.arange(world_size - power_below(world_size))
    if len(folded):
        yield send(folded + 1, folded, chunk=folded, op=COPY, phase="unfold")
