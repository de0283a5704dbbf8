"""K-ary broadcast: segments stream down a complete tree in which every rank has k children.

>>> from core.figures.table import table
>>> print(table(kary_broadcast(4), BROADCAST))
start      c0  a
broadcast  c0  a     a     a
broadcast  c0  a     a     a     a
"""

from core.algorithms import trees
from core.algorithms.base import SEGMENTS, algorithm, pipeline, pipeline_cost
from core.algorithms.kary_tree import ARITY
from core.collective import BROADCAST


def stages(world_size, arity):
    """What one segment goes through: one level after the other."""
    return trees.down(trees.kary(world_size, arity), chunk=0)


@algorithm(
    collective=BROADCAST,
    num_chunks=lambda n, arity, num_segments: num_segments,
    cost=lambda n, arity, num_segments: pipeline_cost(n, stages(n, arity), num_segments),
    options={"arity": ARITY, "num_segments": SEGMENTS},
    reference="Open MPI, coll_base_bcast.c (binary tree)",
    users="Open MPI (binary_tree) for medium messages; MPICH (tree, kary)",
    also_called="binary tree (k=2)",
)
def kary_broadcast(world_size, arity=2, num_segments=1):
    yield from pipeline(stages(world_size, arity), num_segments)
