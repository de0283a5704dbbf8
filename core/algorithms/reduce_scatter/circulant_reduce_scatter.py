"""Circulant reduce-scatter: ceil(log2 n) steps for any number of ranks, each to a rank about half as far as before.

>>> from core.figures.table import table
>>> print(table(circulant_reduce_scatter(3)))
start           c0  a    b    c
                c1  a    b    c
                c2  a    b    c
reduce-scatter  c0  ab   b    c
                c1  a    bc   c
                c2  a    b    ac
reduce-scatter  c0  abc  b    c
                c1  a    abc  c
                c2  a    b    abc
"""

from core.algorithms.base import algorithm
from core.algorithms.circulant import SKIPS, reduce_scatter
from core.algorithms.folds import rounds
from core.collective import REDUCE_SCATTER
from core.cost import Cost


@algorithm(
    collective=REDUCE_SCATTER,
    num_chunks=lambda n, skips: n,
    cost=lambda n, skips: Cost(rounds(n), traffic=(n - 1) / n, work=(n - 1) / n),
    options={"skips": SKIPS},
    reference="Traeff, Optimal, non-pipelined reduce-scatter and allreduce algorithms, arXiv 2410.14234, 2024",
    extra="half of S: up to n/2 chunks on their way in",
    users="research; the first half of circulant all-reduce",
    also_called="with powers: Bruck's all-gather backwards",
)
def circulant_reduce_scatter(world_size, skips="halves"):
    yield from reduce_scatter(world_size, skips)
