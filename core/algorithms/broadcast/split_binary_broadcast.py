"""Split binary broadcast: half of the buffer goes down each side of a tree, then the two sides swap halves in pairs.

>>> from core.figures.table import table
>>> print(table(split_binary_broadcast(4), BROADCAST))
start      c0  a
           c1  a
broadcast  c0  a     a
           c1  a                 a
broadcast  c0  a     a     a
           c1  a                 a
swap       c0  a     a     a     a
           c1  a     a     a     a
"""

import numpy as np

from core.algorithms import trees
from core.algorithms.base import SEGMENTS, algorithm, pipeline, pipeline_cost
from core.collective import BROADCAST
from core.schedule import COPY, send, together


def stages(world_size, second_chunk=1):
    """Down both sides, each with its own half; at last everyone swaps with their counterpart on the other side."""
    left, right = np.split(np.arange(1, world_size), [world_size // 2])
    sides = [downwards(left, 0), downwards(right, second_chunk)]
    steps = [together(side[i] for side in sides if i < len(side)) for i in range(len(sides[0]))]
    if world_size < 2:
        return []
    twin = right if len(right) == len(left) else np.append(right, 0)  # rank 0 stands in for one that is missing
    swap = [send(twin, left, chunk=second_chunk, op=COPY, phase="swap")]
    if len(right):
        swap.append(send(left[: len(right)], right, chunk=0, op=COPY, phase="swap"))
    return [*steps, together(swap)]


def downwards(side, chunk):
    """From rank 0 to the first of `side`, then down a binary tree over all of them."""
    if not len(side):
        return []
    levels = [(side[child], side[parent]) for child, parent in trees.kary(len(side), 2)]
    return trees.down([*levels, (side[:1], np.zeros(1, int))], chunk=chunk)


@algorithm(
    collective=BROADCAST,
    num_chunks=lambda n, num_segments: 2 * num_segments,
    cost=lambda n, num_segments: pipeline_cost(n, stages(n), num_segments, segment_chunks=2),
    options={"num_segments": SEGMENTS},
    reference="Pjesivac-Grbovic et al., Performance analysis of MPI collective operations, 2007",
    users="Open MPI (split_binary_tree) for medium messages",
    also_called="split binary tree (Open MPI)",
)
def split_binary_broadcast(world_size, num_segments=1):
    yield from pipeline(stages(world_size, second_chunk=num_segments), num_segments)
