"""NVLS all-gather: each rank stores its chunk to the switch, which multicasts it to everyone.

>>> from core.figures.table import table
>>> print(table(nvls_all_gather(2), ALL_GATHER))
start            c0  a
                 c1      b
multicast store  c0  a       a
                 c1      b   b
multicast store  c0  a   a   a
                 c1  b   b   b
"""

from core.algorithms.base import algorithm
from core.algorithms.nvls import all_gather
from core.collective import ALL_GATHER
from core.cost import Cost


@algorithm(
    collective=ALL_GATHER,
    num_chunks=lambda n: n,
    cost=lambda n: Cost(2, traffic=1 + 1 / n, work=0),
    reference="NVIDIA, NCCL 2.17 release notes (NVLink SHARP)",
    users="NCCL on NVSwitch systems with Hopper or Blackwell GPUs",
    also_called="NVLS (NCCL); multimem.st",
)
def nvls_all_gather(world_size):
    yield from all_gather(world_size)
