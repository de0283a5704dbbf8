"""PAT all-gather: a binomial tree from every rank, all at once, first one chunk far and at last n/2 to a neighbour.

>>> from core.figures.table import table
>>> print(table(pat_all_gather(3), ALL_GATHER))
start       c0  a
            c1       b
            c2            c
all-gather  c0  a    a
            c1       b    b
            c2  c         c
all-gather  c0  a    a    a
            c1  b    b    b
            c2  c    c    c
"""

from core.algorithms.base import algorithm
from core.algorithms.folds import rounds
from core.algorithms.pat import all_gather
from core.collective import ALL_GATHER
from core.cost import Cost


@algorithm(
    collective=ALL_GATHER,
    num_chunks=lambda n: n,
    cost=lambda n: Cost(rounds(n), traffic=(n - 1) / n, work=0),
    reference="Jeaugey, PAT: a new algorithm for all-gather and reduce-scatter at scale, arXiv 2506.20252, 2025",
    extra="about log2(n) S/n in NCCL, which splits the steps so that few chunks wait",
    users="NCCL with one GPU per node",
    also_called="PAT (NCCL)",
)
def pat_all_gather(world_size):
    yield from all_gather(world_size)
