"""Chain broadcast: segments walk from rank to rank, each close behind the one before.

>>> from core.figures.table import table
>>> print(table(chain_broadcast(3, num_segments=2), BROADCAST))
start      c0  a
           c1  a
broadcast  c0  a    a
           c1  a
broadcast  c0  a    a    a
           c1  a    a
broadcast  c0  a    a    a
           c1  a    a    a
"""

from core.algorithms.base import SEGMENTS, algorithm, pipeline
from core.collective import BROADCAST
from core.cost import Cost
from core.schedule import COPY, send


def _cost(n, num_segments):
    steps = n - 2 + num_segments if n > 1 else 0
    return Cost(steps, traffic=steps / num_segments, work=0)


@algorithm(
    collective=BROADCAST,
    num_chunks=lambda n, num_segments: num_segments,
    cost=_cost,
    options={"num_segments": SEGMENTS},
    reference="Chan et al., Collective communication: theory, practice, and experience, 2007",
    users="NCCL, its only broadcast (Ring); Open MPI (pipeline, chain) for large messages",
    also_called="Ring broadcast (NCCL); pipeline (Open MPI)",
)
def chain_broadcast(world_size, num_segments=1):
    hops = [send(rank, rank + 1, chunk=0, op=COPY, phase="broadcast") for rank in range(world_size - 1)]
    yield from pipeline(hops, num_segments)
