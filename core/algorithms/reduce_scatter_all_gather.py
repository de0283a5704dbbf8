"""Any reduce-scatter followed by any all-gather is an all-reduce: choose the two halves.

>>> from core.figures.table import table
>>> print(table(reduce_scatter_all_gather(3)))
start           c0  a    b    c
                c1  a    b    c
                c2  a    b    c
reduce-scatter  c0  ac   b    c
                c1  a    ab   c
                c2  a    b    bc
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

from core.algorithms.all_gather.bruck_all_gather import bruck_all_gather
from core.algorithms.all_gather.neighbour_exchange_all_gather import neighbour_exchange_all_gather
from core.algorithms.all_gather.recursive_doubling_all_gather import recursive_doubling_all_gather
from core.algorithms.all_gather.ring_all_gather import ring_all_gather
from core.algorithms.all_gather.sparbit_all_gather import sparbit_all_gather
from core.algorithms.base import Option, algorithm
from core.algorithms.reduce_scatter.butterfly_reduce_scatter import butterfly_reduce_scatter
from core.algorithms.reduce_scatter.pairwise_reduce_scatter import pairwise_reduce_scatter
from core.algorithms.reduce_scatter.recursive_halving_reduce_scatter import recursive_halving_reduce_scatter
from core.algorithms.reduce_scatter.ring_reduce_scatter import ring_reduce_scatter

SCATTERS = {
    "pairwise": pairwise_reduce_scatter,
    "ring": ring_reduce_scatter,
    "recursive_halving": recursive_halving_reduce_scatter,
    "butterfly": butterfly_reduce_scatter,
}
GATHERS = {
    "bruck": bruck_all_gather,
    "ring": ring_all_gather,
    "recursive_doubling": recursive_doubling_all_gather,
    "neighbour_exchange": neighbour_exchange_all_gather,
    "sparbit": sparbit_all_gather,
}


@algorithm(
    num_chunks=lambda n, **_: n,
    cost=lambda n, reduce_scatter, all_gather: SCATTERS[reduce_scatter].cost(n) + GATHERS[all_gather].cost(n),
    requires=lambda n, reduce_scatter, all_gather: GATHERS[all_gather].refuse(n),
    options={
        "reduce_scatter": Option("pairwise", "How rank r gets the sum of chunk r.", tuple(SCATTERS)),
        "all_gather": Option("bruck", "How everyone gets all the sums.", tuple(GATHERS)),
    },
    reference="Rajbhandari et al., ZeRO: Memory Optimizations Toward Trillion Parameter Models, 2020",
    extra="that of its reduce-scatter",
    users="ZeRO and FSDP, which do other work between the halves; MPICH and Open MPI as fall-backs",
    also_called="RS + AG; nonblocking reduce_scatter_allgather (MPICH)",
)
def reduce_scatter_all_gather(world_size, reduce_scatter="pairwise", all_gather="bruck"):
    yield from SCATTERS[reduce_scatter].steps(world_size)
    yield from GATHERS[all_gather].steps(world_size)
