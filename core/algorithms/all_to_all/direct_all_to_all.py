"""Direct all-to-all: everyone sends everyone what they have for them, all at once.

>>> from core.figures.table import table
>>> print(table(direct_all_to_all(2), ALL_TO_ALL))
start     c0  a
          c1  a
          c2      b
          c3      b
exchange  c0  a
          c1  a   a
          c2  b   b
          c3      b
"""

from core.algorithms.base import algorithm
from core.algorithms.direct import pairs
from core.collective import ALL_TO_ALL, cell
from core.cost import Cost
from core.schedule import COPY, send


@algorithm(
    collective=ALL_TO_ALL,
    num_chunks=lambda n: n * n,
    cost=lambda n: Cost(int(n > 1), traffic=(n - 1) / n, work=0, messages=n - 1),
    reference="Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in MPICH, 2005",
    users="NCCL (grouped sends and receives); MPICH from 256 bytes to 32 KiB per pair, 32 at a time; Open MPI (linear)",
    also_called="scattered (MPICH); linear, linear_sync (Open MPI)",
)
def direct_all_to_all(world_size):
    rank, other = pairs(world_size)
    if world_size > 1:
        yield send(rank, other, chunk=cell(rank, other), op=COPY, phase="exchange")
