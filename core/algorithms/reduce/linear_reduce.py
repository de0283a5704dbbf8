"""Linear reduce: everyone sends their buffer to rank 0, which adds them all up.

>>> from core.figures.table import table
>>> print(table(linear_reduce(3)))
start   c0  a    b    c
reduce  c0  abc  b    c
"""

import numpy as np

from core.algorithms.base import algorithm
from core.collective import REDUCE_TO_ONE
from core.cost import Cost
from core.schedule import REDUCE, send


@algorithm(
    collective=REDUCE_TO_ONE,
    num_chunks=lambda n: 1,
    cost=lambda n: Cost(int(n > 1), traffic=n - 1, work=n - 1, messages=n - 1),
    reference="Chan et al., Collective communication: theory, practice, and experience, 2007",
    extra="S at rank 0: one input on its way in",
    users="Open MPI (basic_linear) for very few ranks and non-commutative operations",
    also_called="basic_linear, flat tree (Open MPI)",
)
def linear_reduce(world_size):
    if world_size > 1:
        yield send(np.arange(1, world_size), 0, chunk=0, op=REDUCE, phase="reduce")
