"""Recursive doubling all-gather: swap all you have with partners twice as far away each time.

>>> from core.figures.table import table
>>> print(table(recursive_doubling_all_gather(4), ALL_GATHER))
start       c0  a
            c1        b
            c2              c
            c3                    d
all-gather  c0  a     a
            c1  b     b
            c2              c     c
            c3              d     d
all-gather  c0  a     a     a     a
            c1  b     b     b     b
            c2  c     c     c     c
            c3  d     d     d     d
"""

import numpy as np

from core.algorithms.base import algorithm
from core.collective import ALL_GATHER
from core.cost import Cost
from core.schedule import COPY, send


def power_of_two(n, **_):
    """Why n will not do, or ""."""
    return "" if n & (n - 1) == 0 else f"{n} ranks are not a power of two: choose 2, 4, 8, 16 ... or another algorithm"


@algorithm(
    collective=ALL_GATHER,
    num_chunks=lambda n: n,
    cost=lambda n: Cost(n.bit_length() - 1, traffic=(n - 1) / n, work=0),
    requires=power_of_two,
    reference="Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in MPICH, 2005",
    users="MPICH below 512 KiB in total when the ranks are a power of two; Open MPI",
    also_called="recursive_doubling (MPICH, Open MPI)",
)
def recursive_doubling_all_gather(world_size):
    rank, have = np.arange(world_size), 1
    while have < world_size:
        yield send(rank, rank ^ have, chunk=rank // have * have, count=have, op=COPY, phase="all-gather")
        have *= 2
