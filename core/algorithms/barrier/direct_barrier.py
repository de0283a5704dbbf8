"""Direct barrier: everyone tells everyone at once that they have arrived.

>>> from core.figures.table import table
>>> print(table(direct_barrier(3), BARRIER))
start   c0  a
        c1       b
        c2            c
notify  c0  a    a    a
        c1  b    b    b
        c2  c    c    c
"""

from core.algorithms.base import algorithm
from core.algorithms.direct import pairs
from core.collective import BARRIER
from core.cost import Cost
from core.schedule import COPY, send


@algorithm(
    collective=BARRIER,
    num_chunks=lambda n: n,
    cost=lambda n: Cost(int(n > 1), traffic=0, work=0, messages=n - 1),
    reference="Mellor-Crummey and Scott, Algorithms for scalable synchronization, 1991",
    users="Gloo's older interface (barrier_all_to_all)",
    also_called="all-to-all barrier",
)
def direct_barrier(world_size):
    rank, other = pairs(world_size)
    if world_size > 1:
        yield send(rank, other, chunk=rank, op=COPY, phase="notify")
