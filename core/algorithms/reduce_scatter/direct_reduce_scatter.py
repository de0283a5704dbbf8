"""Direct reduce-scatter: everyone sends everyone the chunk that they will own, all at once.

>>> from core.figures.table import table
>>> print(table(direct_reduce_scatter(3)))
start           c0  a    b    c
                c1  a    b    c
                c2  a    b    c
reduce-scatter  c0  abc  b    c
                c1  a    abc  c
                c2  a    b    abc
"""

from core.algorithms.base import algorithm
from core.algorithms.direct import reduce_scatter
from core.collective import REDUCE_SCATTER
from core.cost import Cost


@algorithm(
    collective=REDUCE_SCATTER,
    num_chunks=lambda n: n,
    cost=lambda n: Cost(int(n > 1), traffic=(n - 1) / n, work=(n - 1) / n, messages=n - 1),
    reference="MSCCL calls this all-pairs (microsoft/msccl-tools)",
    extra="(n-1) S/n: all the pieces of one chunk",
    users="the first half of direct (two-shot) all-reduce; NCCL's symmetric kernel ReduceScatter_LD",
    also_called="all-pairs; linear",
)
def direct_reduce_scatter(world_size):
    yield from reduce_scatter(world_size)
