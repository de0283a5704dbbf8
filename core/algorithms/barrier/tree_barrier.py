"""Tree barrier: reports climb a binomial tree to rank 0, and the release comes down it.

>>> from core.figures.table import table
>>> print(table(tree_barrier(3), BARRIER))
start      c0  a
           c1       b
           c2            c
gather     c0  a
           c1  b    b
           c2            c
gather     c0  a
           c1  b    b
           c2  c         c
broadcast  c0  a         a
           c1  b    b    b
           c2  c         c
broadcast  c0  a    a    a
           c1  b    b    b
           c2  c    c    c
"""

from core.algorithms import trees
from core.algorithms.base import algorithm
from core.algorithms.folds import rounds
from core.algorithms.gather.binomial_gather import binomial_gather
from core.collective import BARRIER
from core.cost import Cost


@algorithm(
    collective=BARRIER,
    num_chunks=lambda n: n,
    cost=lambda n: Cost(2 * rounds(n), traffic=0, work=0),
    reference="Mellor-Crummey and Scott, Algorithms for scalable synchronization, 1991",
    users="Open MPI (tree)",
    also_called="combining tree; tree (Open MPI)",
)
def tree_barrier(world_size):
    yield from binomial_gather.steps(world_size)
    yield from trees.down(trees.binomial(world_size), chunk=0, count=world_size)
