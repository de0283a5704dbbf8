"""Circulant reduce: the round-optimal broadcast backwards, k segments in k - 1 + ceil(log2 n) steps.

>>> from core.figures.table import table
>>> print(table(circulant_reduce(3, num_segments=2)))
start   c0  a    b    c
        c1  a    b    c
reduce  c0  a    b    bc
        c1  ac   b    c
reduce  c0  a    b    bc
        c1  abc  b    c
reduce  c0  abc  b    bc
        c1  abc  b    c
"""

from core.algorithms.base import SEGMENTS, algorithm, backwards
from core.algorithms.broadcast.circulant_broadcast import circulant_broadcast
from core.algorithms.folds import rounds
from core.collective import REDUCE_TO_ONE
from core.cost import Cost
from core.schedule import REDUCE


def _cost(n, num_segments):
    steps = num_segments - 1 + rounds(n) if n > 1 else 0
    return Cost(steps, traffic=steps / num_segments, work=steps / num_segments)


@algorithm(
    collective=REDUCE_TO_ONE,
    num_chunks=lambda n, num_segments: num_segments,
    cost=_cost,
    requires=circulant_broadcast.refuse,
    options={"num_segments": SEGMENTS},
    reference="Traeff, Optimal broadcast schedules in logarithmic time, arXiv 2407.18004 (there without a search)",
    extra="S/k with k segments",
    users="MPICH (circ_graph)",
    also_called="circ_graph (MPICH)",
)
def circulant_reduce(world_size, num_segments=1):
    yield from backwards(circulant_broadcast.steps(world_size, num_segments), op=REDUCE, phase="reduce")
