"""Chain all-reduce: segments walk from the last rank down to rank 0, adding up, and back again.

>>> from core.figures.table import table
>>> print(table(chain(3, num_segments=2)))
start               c0  a    b    c
                    c1  a    b    c
reduce              c0  a    bc   c
                    c1  a    b    c
reduce              c0  abc  bc   c
                    c1  a    bc   c
reduce + broadcast  c0  abc  abc  c
                    c1  abc  bc   c
broadcast           c0  abc  abc  abc
                    c1  abc  abc  c
broadcast           c0  abc  abc  abc
                    c1  abc  abc  abc
"""

from core.algorithms.base import SEGMENTS, algorithm, pipeline
from core.cost import Cost
from core.schedule import COPY, REDUCE, send


def _cost(n, num_segments):
    if n == 1:
        return Cost(0, 0, 0)
    steps = 2 * (n - 1) + num_segments - 1
    both = num_segments - 1 if n > 2 and num_segments > 2 else 0  # steps in which rank 1 has a segment going each way
    return Cost(
        steps,
        traffic=(steps + both) / num_segments,
        work=(n - 2 + num_segments) / num_segments,
        messages=steps + both,
    )


@algorithm(
    num_chunks=lambda n, num_segments: num_segments,
    cost=_cost,
    options={"num_segments": SEGMENTS},
    reference="Bar-Noy and Kipnis, Designing broadcasting algorithms in the postal model, 1992",
    extra="S/k with k segments",
    users="NCCL Tree inside a node (a chain of the local GPUs); Open MPI's pipeline for reduce and broadcast",
    also_called="pipeline (Open MPI); chain, linear pipeline",
)
def chain(world_size, num_segments=1):
    up = [send(r, r - 1, chunk=0, op=REDUCE, phase="reduce") for r in range(world_size - 1, 0, -1)]
    down = [send(r, r + 1, chunk=0, op=COPY, phase="broadcast") for r in range(world_size - 1)]
    yield from pipeline(up + down, num_segments)
