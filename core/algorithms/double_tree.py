"""Double binary tree: two trees, each for half of the buffer; who is a leaf in one has children in the other.

>>> from core.figures.table import table
>>> print(table(double_tree(4)))
start      c0  a     b     c     d
           c1  a     b     c     d
reduce     c0  a     b     bcd   d
           c1  a     abc   c     d
reduce     c0  abcd  b     bcd   d
           c1  a     abc   c     abcd
broadcast  c0  abcd  b     abcd  d
           c1  a     abcd  c     abcd
broadcast  c0  abcd  abcd  abcd  abcd
           c1  abcd  abcd  abcd  abcd
"""

import numpy as np

from core.algorithms import trees
from core.algorithms.base import SEGMENTS, algorithm, pipeline, pipeline_cost
from core.schedule import together


def first_tree(world_size):
    """The parent of every rank, -1 at the root, rank 0: odd ranks are leaves, and ranks lie in order left to right."""
    rank = np.arange(world_size)
    low = rank & -rank  # the lowest set bit: how high the rank stands
    above = rank - low | 2 * low
    parent = np.where(above < world_size, above, rank - low)
    parent[0] = -1
    return parent


def second_tree(world_size):
    """The same tree for ranks read backwards, or, when their number is odd, moved on by one."""
    parent = first_tree(world_size)
    if world_size % 2 == 0:
        return np.where(parent < 0, -1, world_size - 1 - parent)[::-1]
    return np.roll(np.where(parent < 0, -1, (parent + 1) % world_size), 1)


def stages(world_size, second_chunk=1):
    """What one segment of each half goes through: up level by level, and down again, in both trees at once."""
    one, two = trees.by_depth(first_tree(world_size)), trees.by_depth(second_tree(world_size))
    one = trees.up(one, chunk=0) + trees.down(one, chunk=0)
    two = trees.up(two, chunk=second_chunk) + trees.down(two, chunk=second_chunk)
    return [together(pair) for pair in zip(one, two, strict=True)]


@algorithm(
    num_chunks=lambda n, num_segments: 2 * num_segments,
    cost=lambda n, num_segments: pipeline_cost(n, stages(n), num_segments, segment_chunks=2),
    options={"num_segments": SEGMENTS},
    reference="Sanders, Speck and Traeff, Two-tree algorithms for full bandwidth broadcast, reduction and scan, 2009",
    extra="S/k: one segment from each child, with k segments",
    users="NCCL from 2.4 on and RCCL, between nodes, when their cost model finds it fastest (small and medium buffers, "
    "or many nodes); oneCCL double_tree; UCC dbt",
    also_called="Tree (NCCL); double binary tree; two-tree; dbt (UCC)",
)
def double_tree(world_size, num_segments=1):
    yield from pipeline(stages(world_size, second_chunk=num_segments), num_segments)
