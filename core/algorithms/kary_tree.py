"""K-ary tree all-reduce: a complete tree in which every rank has k children, with segments streaming up and down.

>>> from core.figures.table import table
>>> print(table(kary_tree(4)))
start      c0  a     b     c     d
reduce     c0  a     bd    c     d
reduce     c0  abcd  bd    c     d
broadcast  c0  abcd  abcd  abcd  d
broadcast  c0  abcd  abcd  abcd  abcd
"""

from core.algorithms import trees
from core.algorithms.base import SEGMENTS, Option, algorithm, pipeline, pipeline_cost

ARITY = Option(2, "How many children a rank has.", high=1024, examples=(1, 3))


def stages(world_size, arity):
    """What one segment goes through: up level by level, then down again."""
    levels = trees.kary(world_size, arity)
    return trees.up(levels, chunk=0) + trees.down(levels, chunk=0)


@algorithm(
    num_chunks=lambda n, arity, num_segments: num_segments,
    cost=lambda n, arity, num_segments: pipeline_cost(n, stages(n, arity), num_segments),
    options={"arity": ARITY, "num_segments": SEGMENTS},
    reference="Chan et al., Collective communication: theory, practice, and experience, 2007",
    extra="k S/segments: the children's sums on their way in",
    users="MPICH on request (tree, kary); Open MPI's binary trees for reduce and broadcast",
    also_called="kary (MPICH); binary tree, in-order binary (Open MPI)",
)
def kary_tree(world_size, arity=2, num_segments=1):
    yield from pipeline(stages(world_size, arity), num_segments)
