"""Dual-root trees: each half of the ranks reduces to its root, the two roots swap sums, and each spreads the result.

>>> from core.figures.table import table
>>> print(table(dual_root(4)))
start      c0  a     b     c     d
reduce     c0  a     ab    cd    d
swap       c0  a     abcd  abcd  d
broadcast  c0  abcd  abcd  abcd  abcd
"""

import numpy as np

from core.algorithms import trees
from core.algorithms.base import SEGMENTS, algorithm, pipeline, pipeline_cost
from core.schedule import REDUCE, send


def post_order(n):
    """The parent of every vertex in a balanced binary tree whose children come before their parent; root n-1."""
    parent = np.full(n, -1)
    root, size = np.array([n - 1]), np.array([n])
    while (size > 1).any():
        right = (size - 1) // 2
        left = size - 1 - right
        child = np.concatenate([(root - 1)[right > 0], (root - 1 - right)[left > 0]])
        parent[child] = np.concatenate([root[right > 0], root[left > 0]])
        root, size = child, np.concatenate([right[right > 0], left[left > 0]])
    return parent


def stages(world_size):
    """What one segment goes through: up in both halves, across between the roots, down again."""
    half = (world_size + 1) // 2
    low, high = post_order(half), post_order(world_size - half)[::-1]  # the high half is a mirror image
    high = np.where(high < 0, -1, world_size - 1 - high)
    levels = trees.by_depth(np.append(low, high))
    roots, other = np.array([half - 1, half]), np.array([half, half - 1])
    across = [send(roots, other, chunk=0, op=REDUCE, phase="swap")] if world_size > 1 else []
    return trees.up(levels, chunk=0) + across + trees.down(levels, chunk=0)


@algorithm(
    num_chunks=lambda n, num_segments: num_segments,
    cost=lambda n, num_segments: pipeline_cost(n, stages(n), num_segments),
    options={"num_segments": SEGMENTS},
    reference="Traeff, A doubly-pipelined, dual-root reduction-to-all algorithm, arXiv 2109.12626, 2021",
    extra="2 S/k: one segment from each child, with k segments",
    users="research; the operands stay in the order of ranks, so it also serves non-commutative operations",
    also_called="doubly-pipelined dual-root reduction-to-all",
)
def dual_root(world_size, num_segments=1):
    yield from pipeline(stages(world_size), num_segments)
