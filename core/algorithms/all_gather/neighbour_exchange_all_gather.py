"""Neighbour exchange all-gather: swap with a neighbour, then pass each pair on, to one side and the other in turn.

>>> from core.figures.table import table
>>> print(table(neighbour_exchange_all_gather(4), ALL_GATHER))
start       c0  a
            c1        b
            c2              c
            c3                    d
all-gather  c0  a     a
            c1  b     b
            c2              c     c
            c3              d     d
all-gather  c0  a     a     a     a
            c1  b     b     b     b
            c2  c     c     c     c
            c3  d     d     d     d
"""

import numpy as np

from core.algorithms.base import algorithm
from core.collective import ALL_GATHER
from core.cost import Cost
from core.schedule import COPY, send


@algorithm(
    collective=ALL_GATHER,
    num_chunks=lambda n: n,
    cost=lambda n: Cost(n // 2, traffic=(n - 1) / n, work=0),
    requires=lambda n: "" if n % 2 == 0 or n == 1 else f"{n} ranks are not an even number: choose {n - 1} or {n + 1}",
    reference="Chen et al., Performance evaluation of allgather algorithms on terascale Linux cluster, 2005",
    users="Open MPI (neighbor exchange) for large messages on an even number of ranks",
    also_called="neighbor exchange (Open MPI)",
)
def neighbour_exchange_all_gather(world_size):
    rank = np.arange(world_size)
    even = rank % 2 == 0
    partners = np.where(even, rank + 1, rank - 1) % world_size, np.where(even, rank - 1, rank + 1) % world_size
    if world_size > 1:
        yield send(rank, partners[0], chunk=rank, op=COPY, phase="all-gather")
    pair = rank // 2 * 2  # the two chunks that came last
    for step in range(1, world_size // 2):
        partner = partners[step % 2]
        yield send(rank, partner, chunk=pair, count=2, op=COPY, phase="all-gather")
        pair = pair[partner]
