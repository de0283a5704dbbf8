"""Recursive doubling: swap your whole buffer with partners twice as far away each time, and add.

>>> from core.figures.table import table
>>> print(table(recursive_doubling(4)))
start     c0  a     b     c     d
exchange  c0  ab    ab    cd    cd
exchange  c0  abcd  abcd  abcd  abcd

With three ranks, rank 0 first hands its input to rank 1, and gets the result back at the end.

>>> print(table(recursive_doubling(3)))
start     c0  a    b    c
fold      c0  a    ab   c
exchange  c0  a    abc  abc
unfold    c0  abc  abc  abc
"""

import numpy as np

from core.algorithms.base import algorithm
from core.algorithms.folds import fold_in, power_below, survivors, unfold
from core.cost import Cost
from core.schedule import REDUCE, send


def _cost(n):
    doublings, folded = power_below(n).bit_length() - 1, n > power_below(n)
    return Cost(doublings + 2 * folded, traffic=doublings + 2 * folded, work=doublings + folded)


@algorithm(
    num_chunks=lambda n: 1,
    cost=_cost,
    reference="Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in MPICH, 2005",
    extra="S: the partner's buffer",
    users="MPICH up to 8 bytes and for any user-defined operation; Open MPI for small messages (below 8 KiB with 8 to "
    "15 ranks); oneCCL up to 8 KiB; UCC up to 4 KiB (k-nomial)",
    also_called="butterfly; recursive_doubling (Open MPI 3, MPICH); exchange; distance doubling on whole vectors",
)
def recursive_doubling(world_size):
    real = survivors(world_size)  # the ranks that take part, numbered 0, 1, ... up to a power of two
    rank = np.arange(len(real))
    yield from fold_in(world_size)
    for bit in range(len(real).bit_length() - 1):
        partner = rank ^ 1 << bit
        yield send(real, real[partner], chunk=0, op=REDUCE, phase="exchange")
    yield from unfold(world_size)
