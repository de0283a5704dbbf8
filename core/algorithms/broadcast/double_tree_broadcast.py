"""Double tree broadcast: rank 0 feeds half of the buffer into each of two trees over the others.

>>> from core.figures.table import table
>>> print(table(double_tree_broadcast(4), BROADCAST))
start      c0  a
           c1  a
broadcast  c0  a     a
           c1  a           a
broadcast  c0  a     a           a
           c1  a     a     a
broadcast  c0  a     a     a     a
           c1  a     a     a     a
"""

import numpy as np

from core.algorithms import trees
from core.algorithms.base import SEGMENTS, algorithm, pipeline, pipeline_cost
from core.algorithms.double_tree import first_tree, second_tree
from core.collective import BROADCAST
from core.schedule import together


def under_rank_0(parent):
    """The levels of a tree over ranks 1 .. n-1, its root below rank 0."""
    return trees.by_depth(np.append(-1, np.where(parent < 0, 0, parent + 1)))


def stages(world_size, second_chunk=1):
    """What one segment of each half goes through."""
    if world_size == 1:
        return []
    one, two = under_rank_0(first_tree(world_size - 1)), under_rank_0(second_tree(world_size - 1))
    return [together(pair) for pair in zip(trees.down(one, chunk=0), trees.down(two, chunk=second_chunk), strict=True)]


@algorithm(
    collective=BROADCAST,
    num_chunks=lambda n, num_segments: 2 * num_segments,
    cost=lambda n, num_segments: pipeline_cost(n, stages(n), num_segments, segment_chunks=2),
    options={"num_segments": SEGMENTS},
    reference="Sanders, Speck and Traeff, Two-tree algorithms for full bandwidth broadcast, reduction and scan, 2009",
    users="UCC (dbt); oneCCL (double_tree)",
    also_called="two-tree; dbt (UCC)",
)
def double_tree_broadcast(world_size, num_segments=1):
    yield from pipeline(stages(world_size, second_chunk=num_segments), num_segments)
