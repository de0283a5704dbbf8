"""Circulant all-gather: ceil(log2 n) steps for any number of ranks, each to a rank about twice as far as before.

>>> from core.figures.table import table
>>> print(table(circulant_all_gather(3), ALL_GATHER))
start       c0  a
            c1       b
            c2            c
all-gather  c0  a         a
            c1  b    b
            c2       c    c
all-gather  c0  a    a    a
            c1  b    b    b
            c2  c    c    c
"""

from core.algorithms.base import algorithm
from core.algorithms.circulant import SKIPS, all_gather
from core.algorithms.folds import rounds
from core.collective import ALL_GATHER
from core.cost import Cost


@algorithm(
    collective=ALL_GATHER,
    num_chunks=lambda n, skips: n,
    cost=lambda n, skips: Cost(rounds(n), traffic=(n - 1) / n, work=0),
    options={"skips": SKIPS},
    reference="Traeff, Optimal, non-pipelined reduce-scatter and allreduce algorithms, arXiv 2410.14234, 2024",
    users="MPICH (circ_graph)",
    also_called="with powers: Bruck's all-gather",
)
def circulant_all_gather(world_size, skips="halves"):
    yield from all_gather(world_size, skips)
