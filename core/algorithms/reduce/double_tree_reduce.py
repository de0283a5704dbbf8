"""Double tree reduce: two trees over all ranks but rank 0 each bring it the sum of half of the buffer.

>>> from core.figures.table import table
>>> print(table(double_tree_reduce(4)))
start   c0  a     b     c     d
        c1  a     b     c     d
reduce  c0  a     b     c     cd
        c1  a     bd    c     d
reduce  c0  a     bcd   c     cd
        c1  a     bd    bcd   d
reduce  c0  abcd  bcd   c     cd
        c1  abcd  bd    bcd   d
"""

from core.algorithms.base import SEGMENTS, algorithm, backwards, pipeline, pipeline_cost
from core.algorithms.broadcast.double_tree_broadcast import stages as broadcast_stages
from core.collective import REDUCE_TO_ONE
from core.schedule import REDUCE


def stages(world_size, second_chunk=1):
    """What one segment of each half goes through: a broadcast backwards."""
    return list(backwards(broadcast_stages(world_size, second_chunk), op=REDUCE, phase="reduce"))


@algorithm(
    collective=REDUCE_TO_ONE,
    num_chunks=lambda n, num_segments: 2 * num_segments,
    cost=lambda n, num_segments: pipeline_cost(n, stages(n), num_segments, segment_chunks=2),
    options={"num_segments": SEGMENTS},
    reference="Sanders, Speck and Traeff, Two-tree algorithms for full bandwidth broadcast, reduction and scan, 2009",
    extra="S/k: one segment from each child, with k segments",
    users="UCC (dbt); oneCCL (double_tree)",
    also_called="two-tree; dbt (UCC)",
)
def double_tree_reduce(world_size, num_segments=1):
    yield from pipeline(stages(world_size, second_chunk=num_segments), num_segments)
