"""Ring all-gather: pass on to the right what you got from the left, starting with your own chunk.

>>> from core.figures.table import table
>>> print(table(ring_all_gather(3), ALL_GATHER))
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
from core.algorithms.ring import RING_DIRECTION, all_gather
from core.collective import ALL_GATHER
from core.cost import Cost


@algorithm(
    collective=ALL_GATHER,
    num_chunks=lambda n, **_: n,
    cost=lambda n, **_: Cost(n - 1, traffic=(n - 1) / n, work=0),
    options={"direction": RING_DIRECTION},
    reference="Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in MPICH, 2005",
    users="NCCL for large buffers; MPICH from 512 KiB in total (80 KiB if not a power of two); Open MPI",
    also_called="Ring (NCCL); ring (MPICH, Open MPI); bucket algorithm",
)
def ring_all_gather(world_size, direction=1):
    yield from all_gather(world_size, direction)
