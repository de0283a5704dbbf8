"""Linear gather: everyone sends their chunk to rank 0.

>>> from core.figures.table import table
>>> print(table(linear_gather(3), GATHER))
start   c0  a
        c1       b
        c2            c
gather  c0  a
        c1  b    b
        c2  c         c
"""

import numpy as np

from core.algorithms.base import algorithm
from core.collective import GATHER
from core.cost import Cost
from core.schedule import COPY, send


@algorithm(
    collective=GATHER,
    num_chunks=lambda n: n,
    cost=lambda n: Cost(int(n > 1), traffic=(n - 1) / n, work=0, messages=n - 1),
    reference="Chan et al., Collective communication: theory, practice, and experience, 2007",
    users="Open MPI (basic_linear) for large messages; NCCL (ncclGather: grouped receives)",
    also_called="basic_linear (Open MPI)",
)
def linear_gather(world_size):
    others = np.arange(1, world_size)
    if world_size > 1:
        yield send(others, 0, chunk=others, op=COPY, phase="gather")
