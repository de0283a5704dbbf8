"""Linear scatter: rank 0 sends everyone their chunk.

>>> from core.figures.table import table
>>> print(table(linear_scatter(3), SCATTER))
start    c0  a
         c1  a
         c2  a
scatter  c0  a
         c1  a    a
         c2  a         a
"""

import numpy as np

from core.algorithms.base import algorithm
from core.collective import SCATTER
from core.cost import Cost
from core.schedule import COPY, send


@algorithm(
    collective=SCATTER,
    num_chunks=lambda n: n,
    cost=lambda n: Cost(int(n > 1), traffic=(n - 1) / n, work=0, messages=n - 1),
    reference="Chan et al., Collective communication: theory, practice, and experience, 2007",
    users="Open MPI (basic_linear) for large messages; NCCL (ncclScatter: grouped sends)",
    also_called="basic_linear (Open MPI)",
)
def linear_scatter(world_size):
    others = np.arange(1, world_size)
    if world_size > 1:
        yield send(0, others, chunk=others, op=COPY, phase="scatter")
