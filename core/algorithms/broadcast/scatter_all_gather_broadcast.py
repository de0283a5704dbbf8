"""Scatter and all-gather: rank 0 deals out its chunks, then everyone gathers them; each byte leaves rank 0 once.

>>> from core.figures.table import table
>>> print(table(scatter_all_gather_broadcast(3), BROADCAST))
start       c0  a
            c1  a
            c2  a
scatter     c0  a
            c1  a
            c2  a         a
scatter     c0  a
            c1  a    a
            c2  a         a
all-gather  c0  a    a
            c1  a    a    a
            c2  a         a
all-gather  c0  a    a    a
            c1  a    a    a
            c2  a    a    a
"""

from core.algorithms.all_gather.recursive_doubling_all_gather import recursive_doubling_all_gather
from core.algorithms.all_gather.ring_all_gather import ring_all_gather
from core.algorithms.base import Option, algorithm
from core.algorithms.scatter.binomial_scatter import binomial_scatter
from core.collective import BROADCAST

GATHERS = {"ring": ring_all_gather, "recursive_doubling": recursive_doubling_all_gather}


@algorithm(
    collective=BROADCAST,
    num_chunks=lambda n, all_gather: n,
    cost=lambda n, all_gather: binomial_scatter.cost(n) + GATHERS[all_gather].cost(n),
    requires=lambda n, all_gather: GATHERS[all_gather].refuse(n),
    options={"all_gather": Option("ring", "How the chunks are gathered after the scatter.", tuple(GATHERS))},
    reference="Barnett, van de Geijn et al., Interprocessor collective communication library (InterCom), 1994",
    users="MPICH from 12 KiB on: recursive doubling up to 512 KiB on a power of two, ring above",
    also_called="van de Geijn's broadcast; scatter_ring_allgather, scatter_recursive_doubling_allgather (MPICH)",
)
def scatter_all_gather_broadcast(world_size, all_gather="ring"):
    yield from binomial_scatter.steps(world_size)
    yield from GATHERS[all_gather].steps(world_size)
