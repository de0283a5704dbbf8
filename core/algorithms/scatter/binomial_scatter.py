"""Binomial scatter: hand half of what you hold to a rank far away, then half of the rest to a nearer one, and so on.

>>> from core.figures.table import table
>>> print(table(binomial_scatter(4), SCATTER))
start    c0  a
         c1  a
         c2  a
         c3  a
scatter  c0  a
         c1  a
         c2  a           a
         c3  a           a
scatter  c0  a
         c1  a     a
         c2  a           a
         c3  a           a     a
"""

from core.algorithms import spreading
from core.algorithms.base import algorithm
from core.algorithms.folds import runs
from core.collective import SCATTER
from core.cost import Cost
from core.schedule import COPY, send


def scatter_cost(n, tree, order):
    """In each step the largest family on its way decides: its chunks go to the child together."""
    levels = spreading.levels(n, tree, order)
    family = spreading.family_sizes(n, levels)
    return Cost(len(levels), traffic=sum(int(family[child].max()) for child, _ in levels) / n, work=0)


@algorithm(
    collective=SCATTER,
    num_chunks=lambda n, **_: n,
    cost=scatter_cost,
    requires=spreading.refuse,
    options={"tree": spreading.TREE, "order": spreading.ORDER},
    reference="Chan et al., Collective communication, 2007; Bine trees: arXiv 2508.17311, 2025",
    extra="up to S/2 at the inner ranks: the chunks of those below",
    users="MPICH always; Open MPI for small messages (far first); bine: libbine",
    also_called="binomial tree; minimum spanning tree scatter",
)
def binomial_scatter(world_size, tree="binomial", order="far"):
    levels = spreading.levels(world_size, tree, order)
    family = spreading.below(world_size, levels)
    for child, parent in reversed(levels):
        row, first, count = runs(family[child])  # everything that the child and those below it will need
        yield send(parent[row], child[row], chunk=first, count=count, op=COPY, phase="scatter")
