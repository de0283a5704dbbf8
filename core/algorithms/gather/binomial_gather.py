"""Binomial gather: binomial scatter backwards, so that every rank sends once, all that it has collected.

>>> from core.figures.table import table
>>> print(table(binomial_gather(4), GATHER))
start   c0  a
        c1        b
        c2              c
        c3                    d
gather  c0  a
        c1  b     b
        c2              c
        c3              d     d
gather  c0  a
        c1  b     b
        c2  c           c
        c3  d           d     d
"""

from core.algorithms import spreading
from core.algorithms.base import algorithm, backwards
from core.algorithms.scatter.binomial_scatter import binomial_scatter, scatter_cost
from core.collective import GATHER
from core.schedule import COPY


@algorithm(
    collective=GATHER,
    num_chunks=lambda n, **_: n,
    cost=scatter_cost,
    requires=spreading.refuse,
    options={"tree": spreading.TREE, "order": spreading.ORDER},
    reference="Chan et al., Collective communication, 2007; Bine trees: arXiv 2508.17311, 2025",
    extra="up to S/2 at the inner ranks: the chunks of those below",
    users="MPICH always; Open MPI for small messages (far first); bine: libbine",
    also_called="binomial tree; minimum spanning tree gather",
)
def binomial_gather(world_size, tree="binomial", order="far"):
    yield from backwards(binomial_scatter.steps(world_size, tree, order), op=COPY, phase="gather")
