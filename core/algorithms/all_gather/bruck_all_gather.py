"""Bruck all-gather: send all you have to ranks 1, 2, 4 ... to your left; any number of ranks in the fewest steps.

>>> from core.figures.table import table
>>> print(table(bruck_all_gather(3), ALL_GATHER))
start       c0  a
            c1       b
            c2            c
all-gather  c0  a         a
            c1  b    b
            c2       c    c
all-gather  c0  a    a    a
            c1  b    b    b
            c2  c    c    c
"""

import numpy as np

from core.algorithms.base import Option, algorithm
from core.algorithms.folds import around
from core.collective import ALL_GATHER
from core.cost import Cost
from core.schedule import COPY, send, together


def parcels(world_size, radix):
    """For every step, [(distance, how many chunks), ...]: whom to send how much of the run from your own on."""
    steps, have = [], 1
    while have < world_size:
        ways = range(have, min(have * radix, world_size), have)
        steps.append([(way, min(have, world_size - way)) for way in ways])
        have *= radix
    return steps


def _cost(n, radix):
    steps = parcels(n, radix)
    return Cost(len(steps), traffic=(n - 1) / n, work=0, messages=sum(map(len, steps)))


@algorithm(
    collective=ALL_GATHER,
    num_chunks=lambda n, radix: n,
    cost=_cost,
    options={"radix": Option(2, "How many times as much everyone has after each step (k).", low=2, examples=(3, 4))},
    reference="Bruck et al., Efficient algorithms for all-to-all communications in multiport systems, 1997",
    extra="S: the list is turned into place at the end",
    users="MPICH below 80 KiB in total when the ranks are no power of two; Open MPI (bruck, k_bruck)",
    also_called="bruck, k_bruck (MPICH, Open MPI); concatenation",
)
def bruck_all_gather(world_size, radix=2):
    rank = np.arange(world_size)
    for parcel in parcels(world_size, radix):
        sends = []
        for distance, chunks in parcel:
            me, first, count = around(rank, chunks, world_size)
            sends.append(send(me, (me - distance) % world_size, first, count, op=COPY, phase="all-gather"))
        yield together(sends)
