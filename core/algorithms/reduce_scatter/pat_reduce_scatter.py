"""PAT reduce-scatter: a binomial tree to every rank, all at once, first over short distances.

>>> from core.figures.table import table
>>> print(table(pat_reduce_scatter(3)))
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

from core.algorithms.base import algorithm
from core.algorithms.folds import rounds
from core.algorithms.pat import reduce_scatter
from core.collective import REDUCE_SCATTER
from core.cost import Cost


@algorithm(
    collective=REDUCE_SCATTER,
    num_chunks=lambda n: n,
    cost=lambda n: Cost(rounds(n), traffic=(n - 1) / n, work=(n - 1) / n),
    reference="Jeaugey, PAT: a new algorithm for all-gather and reduce-scatter at scale, arXiv 2506.20252, 2025",
    extra="about log2(n) S/n in NCCL, which splits the steps so that few chunks wait; here up to S/2",
    users="NCCL with one GPU per node",
    also_called="PAT (NCCL)",
)
def pat_reduce_scatter(world_size):
    yield from reduce_scatter(world_size)
