"""Reduce-scatter and gather: everyone finishes one chunk of the sum, then rank 0 collects the chunks.

>>> from core.figures.table import table
>>> print(table(reduce_scatter_gather_reduce(4)))
start           c0  a     b     c     d
                c1  a     b     c     d
                c2  a     b     c     d
                c3  a     b     c     d
reduce-scatter  c0  ac    bd    c     d
                c1  ac    bd    c     d
                c2  a     b     ac    bd
                c3  a     b     ac    bd
reduce-scatter  c0  abcd  bd    c     d
                c1  ac    abcd  c     d
                c2  a     b     abcd  bd
                c3  a     b     ac    abcd
gather          c0  abcd  bd    c     d
                c1  abcd  abcd  c     d
                c2  a     b     abcd  bd
                c3  a     b     abcd  abcd
gather          c0  abcd  bd    c     d
                c1  abcd  abcd  c     d
                c2  abcd  b     abcd  bd
                c3  abcd  b     abcd  abcd
"""

from core.algorithms.base import Option, algorithm
from core.algorithms.gather.binomial_gather import binomial_gather
from core.algorithms.reduce_scatter.recursive_halving_reduce_scatter import recursive_halving_reduce_scatter
from core.algorithms.reduce_scatter.ring_reduce_scatter import ring_reduce_scatter
from core.collective import REDUCE_TO_ONE

SCATTERS = {"recursive_halving": recursive_halving_reduce_scatter, "ring": ring_reduce_scatter}


@algorithm(
    collective=REDUCE_TO_ONE,
    num_chunks=lambda n, reduce_scatter: n,
    cost=lambda n, reduce_scatter: SCATTERS[reduce_scatter].cost(n) + binomial_gather.cost(n),
    options={"reduce_scatter": Option("recursive_halving", "How the sum is formed, chunk by chunk.", tuple(SCATTERS))},
    reference="Rabenseifner, Optimization of collective reduction operations, 2004",
    extra="S/2: half of the partner's buffer",
    users="MPICH above 2048 bytes; Open MPI (rabenseifner)",
    also_called="Rabenseifner's reduce; reduce_scatter_gather (MPICH)",
)
def reduce_scatter_gather_reduce(world_size, reduce_scatter="recursive_halving"):
    yield from SCATTERS[reduce_scatter].steps(world_size)
    yield from binomial_gather.steps(world_size)
