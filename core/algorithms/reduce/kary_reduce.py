"""K-ary reduce: segments stream up a complete tree in which every rank has k children.

>>> from core.figures.table import table
>>> print(table(kary_reduce(4)))
start   c0  a     b     c     d
reduce  c0  a     bd    c     d
reduce  c0  abcd  bd    c     d
"""

from core.algorithms import trees
from core.algorithms.base import SEGMENTS, algorithm, pipeline, pipeline_cost
from core.algorithms.kary_tree import ARITY
from core.collective import REDUCE_TO_ONE


def stages(world_size, arity):
    """What one segment goes through: one level after the other."""
    return trees.up(trees.kary(world_size, arity), chunk=0)


@algorithm(
    collective=REDUCE_TO_ONE,
    num_chunks=lambda n, arity, num_segments: num_segments,
    cost=lambda n, arity, num_segments: pipeline_cost(n, stages(n, arity), num_segments),
    options={"arity": ARITY, "num_segments": SEGMENTS},
    reference="Open MPI, coll_base_reduce.c (binary tree)",
    extra="k S/segments: the children's sums on their way in",
    users="Open MPI (binary, in_order_binary) for medium messages; MPICH (tree, kary)",
    also_called="binary tree (k=2)",
)
def kary_reduce(world_size, arity=2, num_segments=1):
    yield from pipeline(stages(world_size, arity), num_segments)
