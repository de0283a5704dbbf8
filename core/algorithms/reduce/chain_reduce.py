"""Chain reduce: segments walk from the last rank down to rank 0, adding up, each close behind the one before.

>>> from core.figures.table import table
>>> print(table(chain_reduce(3, num_segments=2)))
start   c0  a    b    c
        c1  a    b    c
reduce  c0  a    bc   c
        c1  a    b    c
reduce  c0  abc  bc   c
        c1  a    bc   c
reduce  c0  abc  bc   c
        c1  abc  bc   c
"""

from core.algorithms.base import SEGMENTS, algorithm, pipeline
from core.collective import REDUCE_TO_ONE
from core.cost import Cost
from core.schedule import REDUCE, send


def _cost(n, num_segments):
    steps = n - 2 + num_segments if n > 1 else 0
    return Cost(steps, traffic=steps / num_segments, work=steps / num_segments)


@algorithm(
    collective=REDUCE_TO_ONE,
    num_chunks=lambda n, num_segments: num_segments,
    cost=_cost,
    options={"num_segments": SEGMENTS},
    reference="Chan et al., Collective communication: theory, practice, and experience, 2007",
    extra="S/k with k segments",
    users="NCCL, its only reduce (Ring); Open MPI (pipeline, chain) for large messages",
    also_called="Ring reduce (NCCL); pipeline (Open MPI)",
)
def chain_reduce(world_size, num_segments=1):
    hops = [send(rank, rank - 1, chunk=0, op=REDUCE, phase="reduce") for rank in range(world_size - 1, 0, -1)]
    yield from pipeline(hops, num_segments)
