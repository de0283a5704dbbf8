"""Recursive multiplying: swap whole buffers in groups of k, then in groups k times as far apart.

>>> from core.figures.table import table
>>> print(table(recursive_multiplying(4, radix=3)))
start     c0  a     b     c     d
fold      c0  ad    b     c     d
exchange  c0  abcd  abcd  abcd  d
unfold    c0  abcd  abcd  abcd  abcd
"""

import numpy as np

from core.algorithms.base import Option, algorithm
from core.cost import Cost
from core.schedule import COPY, REDUCE, send


def power_of(radix, world_size):
    """(the largest power of radix that is not above world_size, its exponent)"""
    power, exponent = 1, 0
    while power * radix <= world_size:
        power, exponent = power * radix, exponent + 1
    return power, exponent


def _cost(n, radix):
    power, levels = power_of(radix, n)
    folded, guests = n > power, -(-(n - power) // power)  # guests: how many left-over ranks one rank has to serve
    port = (radix - 1) * levels + 2 * guests
    return Cost(levels + 2 * folded, traffic=port, work=(radix - 1) * levels + guests, messages=port)


@algorithm(
    num_chunks=lambda n, radix: 1,
    cost=_cost,
    options={
        "radix": Option(
            4, "How many ranks swap buffers in one step (k); 2 is recursive doubling.", low=2, examples=(2, 3)
        )
    },
    reference="MPICH, src/mpi/coll/allreduce (allreduce_intra_recursive_multiplying)",
    extra="(k-1) S: the buffers of the group",
    users="MPICH on request (recursive_multiplying, recexch), where a node has k network cards; UCC up to 4 KiB",
    also_called="recursive_multiplying, recexch (MPICH); k-nomial (UCC); radix-k exchange",
)
def recursive_multiplying(world_size, radix=4):
    power, levels = power_of(radix, world_size)
    left_over = np.arange(power, world_size)
    if len(left_over):
        yield send(left_over, left_over % power, chunk=0, op=REDUCE, phase="fold")
    for distance in radix ** np.arange(levels):
        rank, place = np.arange(power)[:, None], np.arange(radix)
        mine = rank // distance % radix
        partner = rank + (place - mine) * distance
        receiver, who = np.nonzero(place != mine)  # in the order of ranks, so that all add up in the same order
        yield send(partner[receiver, who], receiver, chunk=0, op=REDUCE, phase="exchange")
    if len(left_over):
        yield send(left_over % power, left_over, chunk=0, op=COPY, phase="unfold")
