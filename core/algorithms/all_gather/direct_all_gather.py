"""Direct all-gather: everyone sends everyone their own chunk, all at once.

>>> from core.figures.table import table
>>> print(table(direct_all_gather(3), ALL_GATHER))
start       c0  a
            c1       b
            c2            c
all-gather  c0  a    a    a
            c1  b    b    b
            c2  c    c    c
"""

from core.algorithms.base import algorithm
from core.algorithms.direct import all_gather
from core.collective import ALL_GATHER
from core.cost import Cost


@algorithm(
    collective=ALL_GATHER,
    num_chunks=lambda n: n,
    cost=lambda n: Cost(int(n > 1), traffic=(n - 1) / n, work=0, messages=n - 1),
    reference="MSCCL calls this all-pairs (microsoft/msccl-tools)",
    users="Open MPI (direct, linear); the second half of direct (two-shot) all-reduce",
    also_called="all-pairs; linear; direct messaging",
)
def direct_all_gather(world_size):
    yield from all_gather(world_size)
