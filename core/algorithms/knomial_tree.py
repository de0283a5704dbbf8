"""K-nomial tree all-reduce: a binomial tree whose parents have k-1 children on each level, so that it is less deep.

>>> from core.figures.table import table
>>> print(table(knomial_tree(4, radix=3)))
start      c0  a     b     c     d
reduce     c0  abc   b     c     d
reduce     c0  abcd  b     c     d
broadcast  c0  abcd  b     c     abcd
broadcast  c0  abcd  abcd  abcd  abcd
"""

from core.algorithms import trees
from core.algorithms.base import Option, algorithm
from core.cost import Cost

RADIX = Option(4, "A parent has radix-1 children on each level; 2 is the binomial tree.", low=2, examples=(2, 3))


def _cost(n, radix):
    fans = trees.knomial_fans(n, radix)  # the busiest rank receives from so many children, level by level
    return Cost(2 * len(fans), traffic=2 * sum(fans), work=sum(fans), messages=2 * sum(fans))


@algorithm(
    num_chunks=lambda n, radix: 1,
    cost=_cost,
    options={"radix": RADIX},
    reference="MPICH, src/mpi/coll/allreduce (allreduce_intra_tree)",
    extra="(k-1) S: the children's sums on their way in",
    users="MPICH on request (tree, knomial_1); UCC's k-nomial reduce and broadcast",
    also_called="knomial_1 (MPICH); k-nomial tree (Open MPI, UCC)",
)
def knomial_tree(world_size, radix=4):
    levels = trees.knomial(world_size, radix)
    yield from trees.up(levels, chunk=0)
    yield from trees.down(levels, chunk=0)
