"""Full-vector ring: whole buffers travel around the ring, and everyone adds each one that passes by.

The second row, x0, is the outbox: what came from the left and goes on to the right.

>>> from core.figures.table import table
>>> print(table(full_vector_ring(3)))
start  c0  a    b    c
       x0
ring   c0  ac   ab   bc
       x0  c    a    b
ring   c0  abc  abc  abc
       x0  c    a    b
"""

import numpy as np

from core.algorithms.base import algorithm
from core.cost import Cost
from core.schedule import COPY, REDUCE, send, together

SUM, OUTBOX = 0, 1


@algorithm(
    num_chunks=lambda n: 1,
    num_buffers=2,
    cost=lambda n: Cost(n - 1, traffic=n - 1, work=n - 1),
    reference="Gloo, docs/algorithms.md (allreduce_ring)",
    extra="2 S: an inbox and an outbox",
    users="Gloo's older interface, for tiny buffers",
    also_called="allreduce_ring (Gloo)",
)
def full_vector_ring(world_size):
    rank = np.arange(world_size)
    right = (rank + 1) % world_size
    for step in range(world_size - 1):
        parcel = SUM if step == 0 else OUTBOX  # first your own input, then whatever came last
        add = send(rank, right, chunk=parcel, into=SUM, op=REDUCE, phase="ring")
        keep = send(rank, right, chunk=parcel, into=OUTBOX, op=COPY, phase="ring")
        yield together([add, keep]) if step < world_size - 2 else add
