"""NVLS all-reduce: a switch inside the node adds and multicasts, driven by loads and stores of the ranks.

Two-shot: rank r has the switch add up chunk r and stores the sum to everyone. The last column is the switch.

>>> from core.figures.table import table
>>> print(table(nvls(2)))
start            c0  a   b
                 c1  a   b
load-reduce      c0  a   b   ab
                 c1  a   b   ab
load-reduce      c0  ab  b   ab
                 c1  a   ab  ab
multicast store  c0  ab  b   ab
                 c1  a   ab  ab
multicast store  c0  ab  ab  ab
                 c1  ab  ab  ab

One-shot: every rank has the switch add up everything for itself. Each of the last columns is the switch serving one.

>>> print(table(nvls(2, shots=1)))
start        c0  a   b
load-reduce  c0  a   b   ab  ab
load-reduce  c0  ab  ab  ab  ab
"""

import numpy as np

from core.algorithms.base import SEGMENTS, Option, algorithm, pipeline, pipeline_cost
from core.schedule import COPY, REDUCE, send


def reduce_scatter(world_size):
    """The switch, vertex world_size, adds up everything and answers each rank with its chunk."""
    rank, switch = np.arange(world_size), world_size
    yield send(rank, switch, chunk=0, count=world_size, op=REDUCE, phase="load-reduce")
    yield send(switch, rank, chunk=rank, op=COPY, phase="load-reduce")


def all_gather(world_size):
    """Each rank stores its chunk to the switch, which stores all of them to everyone."""
    rank, switch = np.arange(world_size), world_size
    yield send(rank, switch, chunk=rank, op=COPY, phase="multicast store")
    yield send(switch, rank, chunk=0, count=world_size, op=COPY, phase="multicast store")


def one_shot(world_size):
    """One reduction at the switch for every rank that asks: vertices world_size and on are all the same switch."""
    rank = np.arange(world_size)
    yield send(rank[:, None], world_size + rank, chunk=0, op=REDUCE, phase="load-reduce")
    yield send(world_size + rank, rank, chunk=0, op=COPY, phase="load-reduce")


def _cost(n, shots, num_segments):
    if shots == 1:
        return pipeline_cost(n, list(one_shot(n)), num_segments)
    return pipeline_cost(n, [*reduce_scatter(n), *all_gather(n)], num_segments, segment_chunks=n)


@algorithm(
    num_chunks=lambda n, shots, num_segments: num_segments * (n if shots == 2 else 1),
    cost=_cost,
    options={
        "shots": Option(
            2, "2: each rank fetches the sum of its chunk and stores it to all; 1: it fetches everything.", (2, 1)
        ),
        "num_segments": SEGMENTS,
    },
    reference="Klenk et al., An In-Network Architecture for Accelerating Shared-Memory Collectives, ISCA 2020",
    users="NCCL on NVSwitch systems with Hopper or Blackwell GPUs (NVLS; symmetric kernels with multimem); MSCCL++",
    also_called="NVLink SHARP; multimem all-reduce; RSxLDMC_AGxSTMC (two-shot), AGxLLMC_R (one-shot) in NCCL",
)
def nvls(world_size, shots=2, num_segments=1):
    if shots == 1:
        yield from pipeline(list(one_shot(world_size)), num_segments)
    else:
        yield from pipeline([*reduce_scatter(world_size), *all_gather(world_size)], num_segments, world_size)
