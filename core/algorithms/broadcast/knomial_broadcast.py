"""K-nomial broadcast: everyone who has the buffer sends it to k-1 others in every step.

>>> from core.figures.table import table
>>> print(table(knomial_broadcast(4, radix=3), BROADCAST))
start      c0  a
broadcast  c0  a                 a
broadcast  c0  a     a     a     a
"""

from core.algorithms import trees
from core.algorithms.base import algorithm
from core.algorithms.knomial_tree import RADIX
from core.collective import BROADCAST
from core.cost import Cost


def _cost(n, radix):
    fans = trees.knomial_fans(n, radix)
    return Cost(len(fans), traffic=sum(fans), work=0, messages=sum(fans))


@algorithm(
    collective=BROADCAST,
    num_chunks=lambda n, radix: 1,
    cost=_cost,
    options={"radix": RADIX},
    reference="Open MPI, coll_base_bcast.c (k-nomial)",
    users="Open MPI (knomial); UCC for small messages",
    also_called="k-nomial tree",
)
def knomial_broadcast(world_size, radix=4):
    yield from trees.down(trees.knomial(world_size, radix), chunk=0)
