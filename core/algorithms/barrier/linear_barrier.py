"""Linear barrier: everyone reports to rank 0, which then tells everyone.

>>> from core.figures.table import table
>>> print(table(linear_barrier(3), BARRIER))
start    c0  a
         c1       b
         c2            c
report   c0  a
         c1  b    b
         c2  c         c
release  c0  a    a    a
         c1  b    b    b
         c2  c    c    c
"""

import numpy as np

from core.algorithms.base import algorithm
from core.collective import BARRIER
from core.cost import Cost
from core.schedule import COPY, send


@algorithm(
    collective=BARRIER,
    num_chunks=lambda n: n,
    cost=lambda n: Cost(2 * (n > 1), traffic=0, work=0, messages=2 * (n - 1)),
    reference="Mellor-Crummey and Scott, Algorithms for scalable synchronization, 1991",
    users="Open MPI (basic_linear)",
    also_called="central counter; basic_linear (Open MPI)",
)
def linear_barrier(world_size):
    others = np.arange(1, world_size)
    if world_size > 1:
        yield send(others, 0, chunk=others, op=COPY, phase="report")
        yield send(0, others, chunk=0, count=world_size, op=COPY, phase="release")
