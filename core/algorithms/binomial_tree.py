"""Binomial tree all-reduce: sums flow up a tree to one rank, the result flows back down the same way.

>>> from core.figures.table import table
>>> print(table(binomial_tree(4)))
start      c0  a     b     c     d
reduce     c0  ab    b     cd    d
reduce     c0  abcd  b     cd    d
broadcast  c0  abcd  b     abcd  d
broadcast  c0  abcd  abcd  abcd  abcd
"""

from core.algorithms import trees
from core.algorithms.base import Option, algorithm
from core.algorithms.folds import rounds
from core.cost import Cost


@algorithm(
    num_chunks=lambda n, **_: 1,
    cost=lambda n, **_: Cost(2 * rounds(n), traffic=2 * rounds(n), work=rounds(n)),
    requires=lambda n, root: f"root is {root}: choose a rank from 0 to {n - 1}" if root >= n else "",
    options={"root": Option(0, "The rank at the top of the tree, which sees the sum first.", low=0, examples=(1,))},
    reference="Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in MPICH, 2005",
    extra="S: one child's sum on its way in",
    users="Open MPI (reduce, then broadcast) for small messages from 128 ranks on; MPICH as its tree algorithm",
    also_called="nonoverlapping (Open MPI 2); tree, knomial_1 with k=2 (MPICH); reduce + broadcast",
)
def binomial_tree(world_size, root=0):
    levels = [
        ((child + root) % world_size, (parent + root) % world_size) for child, parent in trees.binomial(world_size)
    ]
    yield from trees.up(levels, chunk=0)
    yield from trees.down(levels, chunk=0)
