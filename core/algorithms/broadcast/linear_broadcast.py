"""Linear broadcast: rank 0 sends its buffer to everyone.

>>> from core.figures.table import table
>>> print(table(linear_broadcast(3), BROADCAST))
start      c0  a
broadcast  c0  a    a    a
"""

import numpy as np

from core.algorithms.base import algorithm
from core.collective import BROADCAST
from core.cost import Cost
from core.schedule import COPY, send


@algorithm(
    collective=BROADCAST,
    num_chunks=lambda n: 1,
    cost=lambda n: Cost(int(n > 1), traffic=n - 1, work=0, messages=n - 1),
    reference="Chan et al., Collective communication: theory, practice, and experience, 2007",
    users="Open MPI (basic_linear) for very few ranks",
    also_called="basic_linear, flat tree (Open MPI); star",
)
def linear_broadcast(world_size):
    if world_size > 1:
        yield send(0, np.arange(1, world_size), chunk=0, op=COPY, phase="broadcast")
