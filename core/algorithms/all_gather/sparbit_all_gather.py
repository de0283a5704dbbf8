"""Sparbit all-gather: every chunk spreads along a binomial tree to the right, the far hops first, with few chunks.

>>> from core.figures.table import table
>>> print(table(sparbit_all_gather(4), ALL_GATHER))
start       c0  a
            c1        b
            c2              c
            c3                    d
all-gather  c0  a           a
            c1        b           b
            c2  c           c
            c3        d           d
all-gather  c0  a     a     a     a
            c1  b     b     b     b
            c2  c     c     c     c
            c3  d     d     d     d
"""

import numpy as np

from core.algorithms.base import algorithm
from core.algorithms.folds import rounds
from core.collective import ALL_GATHER
from core.cost import Cost
from core.schedule import COPY, send


@algorithm(
    collective=ALL_GATHER,
    num_chunks=lambda n: n,
    cost=lambda n: Cost(rounds(n), traffic=(n - 1) / n, work=0),
    reference="Loch and Koslovski, Sparbit: a logarithmic-cost and data locality-aware MPI Allgather, 2021",
    users="Open MPI (sparbit)",
    also_called="sparbit (Open MPI); stripe parallel binomial trees; PAT, mirrored",
)
def sparbit_all_gather(world_size):
    rank = np.arange(world_size)[:, None]
    for distance in reversed([1 << i for i in range(rounds(world_size))]):
        behind = np.arange(0, world_size - distance, 2 * distance)  # whose chunks you have and the receiver lacks
        to, chunk = (rank + distance) % world_size, (rank - behind) % world_size
        yield send(rank, to, chunk=chunk, op=COPY, phase="all-gather")
