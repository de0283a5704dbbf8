"""Dissemination barrier: tell the ranks 1, 2, 4 ... places on all the arrivals that you have heard of.

Chunk r is the news that rank r has arrived. It weighs nothing: only the messages cost time.

>>> from core.figures.table import table
>>> print(table(dissemination_barrier(3), BARRIER))
start   c0  a
        c1       b
        c2            c
notify  c0  a    a
        c1       b    b
        c2  c         c
notify  c0  a    a    a
        c1  b    b    b
        c2  c    c    c
"""

import numpy as np

from core.algorithms.base import algorithm
from core.algorithms.folds import around, rounds
from core.collective import BARRIER
from core.cost import Cost
from core.schedule import COPY, send


@algorithm(
    collective=BARRIER,
    num_chunks=lambda n: n,
    cost=lambda n: Cost(rounds(n), traffic=0, work=0),
    reference="Hensgen, Finkel and Manber, Two algorithms for barrier synchronization, 1988",
    users="MPICH; Gloo; Open MPI (bruck) for many ranks",
    also_called="bruck (Open MPI); dissemination (MPICH, k=2)",
)
def dissemination_barrier(world_size):
    rank = np.arange(world_size)
    for heard in (1 << i for i in range(rounds(world_size))):  # of yourself and the ranks before you
        me, first, count = around((rank - heard + 1) % world_size, heard, world_size)
        yield send(me, (me + heard) % world_size, chunk=first, count=count, op=COPY, phase="notify")
