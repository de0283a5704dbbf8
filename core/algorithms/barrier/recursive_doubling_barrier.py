"""Recursive doubling barrier: swap news with partners 1, 2, 4 ... away.

With three ranks, rank 0 first reports to rank 1, which releases it at the end.

>>> from core.figures.table import table
>>> print(table(recursive_doubling_barrier(3), BARRIER))
start   c0  a
        c1       b
        c2            c
report  c0  a    a
        c1       b
        c2            c
notify  c0  a    a    a
        c1       b    b
        c2       c    c
unfold  c0  a    a    a
        c1  b    b    b
        c2  c    c    c
"""

import numpy as np

from core.algorithms.base import algorithm
from core.algorithms.folds import power_below, survivors, unfold
from core.algorithms.reduce_scatter.recursive_halving_reduce_scatter import starts
from core.collective import BARRIER
from core.cost import Cost
from core.schedule import COPY, send


@algorithm(
    collective=BARRIER,
    num_chunks=lambda n: n,
    cost=lambda n: Cost(power_below(n).bit_length() - 1 + 2 * (n > power_below(n)), traffic=0, work=0),
    reference="Mellor-Crummey and Scott, Algorithms for scalable synchronization, 1991",
    users="Open MPI (recursive_doubling, double_ring for few ranks)",
    also_called="recursive_doubling (Open MPI); butterfly barrier",
)
def recursive_doubling_barrier(world_size):
    real, first = survivors(world_size), starts(world_size)  # a survivor also speaks for the rank folded into it
    folded = 2 * np.arange(world_size - len(real))
    if len(folded):
        yield send(folded, folded + 1, chunk=folded, op=COPY, phase="report")
    member, heard = np.arange(len(real)), 1
    while heard < len(real):
        block = member // heard * heard
        count = first[block + heard] - first[block]
        yield send(real, real[member ^ heard], chunk=first[block], count=count, op=COPY, phase="notify")
        heard *= 2
    yield from unfold(world_size, world_size)
