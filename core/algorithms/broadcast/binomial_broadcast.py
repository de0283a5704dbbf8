"""Binomial broadcast: everyone who has the buffer sends it on, so that twice as many have it after every step.

>>> from core.figures.table import table
>>> print(table(binomial_broadcast(4), BROADCAST))
start      c0  a
broadcast  c0  a           a
broadcast  c0  a     a     a     a
"""

from core.algorithms import spreading, trees
from core.algorithms.base import algorithm
from core.algorithms.folds import rounds
from core.collective import BROADCAST
from core.cost import Cost


@algorithm(
    collective=BROADCAST,
    num_chunks=lambda n, **_: 1,
    cost=lambda n, **_: Cost(rounds(n), traffic=rounds(n), work=0),
    requires=spreading.refuse,
    options={"tree": spreading.TREE, "order": spreading.ORDER},
    reference="Chan et al., Collective communication, 2007; Bine trees: arXiv 2508.17311, 2025",
    users="MPICH below 12 KiB or 8 ranks (far first); Gloo (near first); Open MPI; bine: libbine",
    also_called="binomial tree; minimum spanning tree broadcast",
)
def binomial_broadcast(world_size, tree="binomial", order="far"):
    yield from trees.down(spreading.levels(world_size, tree, order), chunk=0)
