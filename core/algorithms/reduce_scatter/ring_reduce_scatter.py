"""Ring reduce-scatter: partial sums travel around the ring, each to the rank that will own it.

>>> from core.figures.table import table
>>> print(table(ring_reduce_scatter(3)))
start           c0  a    b    c
                c1  a    b    c
                c2  a    b    c
reduce-scatter  c0  a    b    bc
                c1  ac   b    c
                c2  a    ab   c
reduce-scatter  c0  abc  b    bc
                c1  ac   abc  c
                c2  a    ab   abc
"""

from core.algorithms.base import algorithm
from core.algorithms.ring import RING_DIRECTION, reduce_scatter
from core.collective import REDUCE_SCATTER
from core.cost import Cost


@algorithm(
    collective=REDUCE_SCATTER,
    num_chunks=lambda n, **_: n,
    cost=lambda n, **_: Cost(n - 1, traffic=(n - 1) / n, work=(n - 1) / n),
    options={"direction": RING_DIRECTION},
    reference="Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations, 2009",
    extra="S/n: one chunk on its way in",
    users="NCCL for large buffers; Open MPI for large messages; the first half of ring all-reduce",
    also_called="Ring (NCCL); ring (Open MPI)",
)
def ring_reduce_scatter(world_size, direction=1):
    yield from reduce_scatter(world_size, direction)
