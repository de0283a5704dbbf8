"""NVLS reduce-scatter: the switch adds up everyone's buffers and answers each rank with its chunk.

>>> from core.figures.table import table
>>> print(table(nvls_reduce_scatter(2)))
start        c0  a   b
             c1  a   b
load-reduce  c0  a   b   ab
             c1  a   b   ab
load-reduce  c0  ab  b   ab
             c1  a   ab  ab
"""

from core.algorithms.base import algorithm
from core.algorithms.nvls import reduce_scatter
from core.collective import REDUCE_SCATTER
from core.cost import Cost


@algorithm(
    collective=REDUCE_SCATTER,
    num_chunks=lambda n: n,
    cost=lambda n: Cost(2, traffic=1 + 1 / n, work=0),
    reference="NVIDIA, NCCL 2.17 release notes (NVLink SHARP)",
    users="NCCL on NVSwitch systems with Hopper or Blackwell GPUs",
    also_called="NVLS (NCCL); multimem.ld_reduce",
)
def nvls_reduce_scatter(world_size):
    yield from reduce_scatter(world_size)
