"""Binomial reduce: in every step half of those who still hold a sum hand it over: binomial broadcast backwards.

>>> from core.figures.table import table
>>> print(table(binomial_reduce(4)))
start   c0  a     b     c     d
reduce  c0  ab    b     cd    d
reduce  c0  abcd  b     cd    d
"""

from core.algorithms import spreading, trees
from core.algorithms.base import algorithm
from core.algorithms.folds import rounds
from core.collective import REDUCE_TO_ONE
from core.cost import Cost


@algorithm(
    collective=REDUCE_TO_ONE,
    num_chunks=lambda n, **_: 1,
    cost=lambda n, **_: Cost(rounds(n), traffic=rounds(n), work=rounds(n)),
    requires=spreading.refuse,
    options={"tree": spreading.TREE, "order": spreading.ORDER},
    reference="Chan et al., Collective communication, 2007; Bine trees: arXiv 2508.17311, 2025",
    extra="S: one child's sum on its way in",
    users="MPICH up to 2048 bytes; Open MPI for small messages; bine: libbine",
    also_called="binomial tree; minimum spanning tree reduce",
)
def binomial_reduce(world_size, tree="binomial", order="far"):
    yield from trees.up(spreading.levels(world_size, tree, order), chunk=0)
