"""K-nomial reduce: in every step, k-1 of k ranks that still hold a sum hand it over.

>>> from core.figures.table import table
>>> print(table(knomial_reduce(4, radix=3)))
start   c0  a     b     c     d
reduce  c0  abc   b     c     d
reduce  c0  abcd  b     c     d
"""

from core.algorithms import trees
from core.algorithms.base import algorithm
from core.algorithms.knomial_tree import RADIX
from core.collective import REDUCE_TO_ONE
from core.cost import Cost


def _cost(n, radix):
    fans = trees.knomial_fans(n, radix)
    return Cost(len(fans), traffic=sum(fans), work=sum(fans), messages=sum(fans))


@algorithm(
    collective=REDUCE_TO_ONE,
    num_chunks=lambda n, radix: 1,
    cost=_cost,
    options={"radix": RADIX},
    reference="Open MPI, coll_base_reduce.c (k-nomial)",
    extra="(k-1) S: the children's sums on their way in",
    users="Open MPI (knomial); UCC for small messages",
    also_called="k-nomial tree",
)
def knomial_reduce(world_size, radix=4):
    yield from trees.up(trees.knomial(world_size, radix), chunk=0)
