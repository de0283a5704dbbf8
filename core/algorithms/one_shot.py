"""One-shot all-reduce: everyone sends everything to everyone, and everyone adds it up alone.

>>> from core.figures.table import table
>>> print(table(one_shot(4)))
start     c0  a     b     c     d
exchange  c0  abcd  abcd  abcd  abcd
"""

import numpy as np

from core.algorithms.base import algorithm
from core.cost import Cost
from core.schedule import REDUCE, send


@algorithm(
    num_chunks=lambda n: 1,
    cost=lambda n: Cost(int(n > 1), traffic=n - 1, work=n - 1, messages=n - 1),
    reference="vLLM, csrc/custom_all_reduce.cuh (one-stage all-reduce)",
    extra="(n-1) S where inputs are pushed, none where peers' buffers are read",
    users="vLLM (2 GPUs; up to 512 KiB on 4, 256 KiB on 8), TensorRT-LLM (below 0.5 to 1 MB), PyTorch on NVLink up to "
    "256 KiB, MSCCL++ up to 16 KiB, NCCL's symmetric kernel AGxLL_R, tinygrad up to 256,000 elements",
    also_called="one-stage; all-gather and reduce; allgather_reduce (Open MPI 7); all-pairs packet (MSCCL++); naive",
)
def one_shot(world_size):
    rank, other = np.nonzero(~np.eye(world_size, dtype=bool))  # every pair; each rank adds up in the order of ranks
    if world_size > 1:
        yield send(other, rank, chunk=0, op=REDUCE, phase="exchange")
