"""Census all-reduce: the fewest steps for any number of ranks, by counting how many neighbours you have heard of.

Every rank keeps two sums: of the k ranks before it with itself (c0) and without itself (x0). Each step doubles k, or
doubles it and adds one, so that k spells the binary digits of n-1.

>>> from core.figures.table import table
>>> print(table(census(4)))
start     c0  a     b     c     d
          x0
exchange  c0  ad    ab    bc    cd
          x0  d     a     b     c
exchange  c0  abcd  abcd  abcd  abcd
          x0  d     a     b     c
"""

import numpy as np

from core.algorithms.base import algorithm
from core.algorithms.folds import rounds
from core.cost import Cost
from core.schedule import COPY, REDUCE, send, together

WITH_ME, WITHOUT_ME = 0, 1


def digits(world_size):
    """[(k before the step, the next binary digit of n-1)], one pair per step: afterwards k is 2k + digit."""
    last = world_size - 1
    places = range(last.bit_length() - 1, -1, -1)
    return [(last >> place + 1, last >> place & 1) for place in places]


@algorithm(
    num_chunks=lambda n: 1,
    num_buffers=2,
    cost=lambda n: Cost(rounds(n), traffic=rounds(n), work=max(2 * rounds(n) - 2, int(n > 1))),
    reference="Bar-Noy, Kipnis and Schieber, An optimal algorithm for computing census functions, 1993",
    extra="S: the second sum",
    users="none that we know of; for max, min and other operations that may count twice, libraries use dissemination",
    also_called="census function; Bruck and Ho's all-reduce",
)
def census(world_size):
    rank = np.arange(world_size)
    for known, digit in digits(world_size):
        to = (rank + known + digit) % world_size  # the sum you send ends just before the first rank `to` has heard of
        mine = WITH_ME if digit else WITHOUT_ME
        first, last = known == 0, 2 * known + digit == world_size - 1
        step = [send(rank, to, chunk=mine, into=WITH_ME, op=REDUCE, phase="exchange")]
        if not last:  # nobody will ask for the sum without you any more
            step.append(send(rank, to, chunk=mine, into=WITHOUT_ME, op=COPY if first else REDUCE, phase="exchange"))
        yield together(step)
