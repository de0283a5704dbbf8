"""Pairwise reduce-scatter: in step i, send the rank i places on its piece of your input.

>>> from core.figures.table import table
>>> print(table(pairwise_reduce_scatter(3)))
start           c0  a    b    c
                c1  a    b    c
                c2  a    b    c
reduce-scatter  c0  ac   b    c
                c1  a    ab   c
                c2  a    b    bc
reduce-scatter  c0  abc  b    c
                c1  a    abc  c
                c2  a    b    abc
"""

import numpy as np

from core.algorithms.base import algorithm
from core.collective import REDUCE_SCATTER
from core.cost import Cost
from core.schedule import REDUCE, send


@algorithm(
    collective=REDUCE_SCATTER,
    num_chunks=lambda n: n,
    cost=lambda n: Cost(n - 1, traffic=(n - 1) / n, work=(n - 1) / n),
    reference="Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in MPICH, 2005",
    extra="S/n: one piece on its way in",
    users="MPICH from 512 KiB on for commutative operations",
    also_called="pairwise (MPICH)",
)
def pairwise_reduce_scatter(world_size):
    rank = np.arange(world_size)
    for ahead in range(1, world_size):
        other = (rank + ahead) % world_size
        yield send(rank, other, chunk=other, op=REDUCE, phase="reduce-scatter")
