"""Butterfly reduce-scatter: swap halves with the nearest partner first, which keeps the operands in the order of ranks.

The chunks end on ranks with mirrored binary digits; a last step takes them home.

>>> from core.figures.table import table
>>> print(table(butterfly_reduce_scatter(4)))
start           c0  a     b     c     d
                c1  a     b     c     d
                c2  a     b     c     d
                c3  a     b     c     d
reduce-scatter  c0  ab    b     cd    d
                c1  ab    b     cd    d
                c2  a     ab    c     cd
                c3  a     ab    c     cd
reduce-scatter  c0  abcd  b     cd    d
                c1  ab    b     abcd  d
                c2  a     abcd  c     cd
                c3  a     ab    c     abcd
home            c0  abcd  b     cd    d
                c1  ab    abcd  abcd  d
                c2  a     abcd  abcd  cd
                c3  a     ab    c     abcd
"""

import numpy as np

from core.algorithms.base import algorithm
from core.algorithms.folds import fold_in, power_below, reverse_bits, survivors
from core.algorithms.reduce_scatter.recursive_halving_reduce_scatter import halving_cost, starts
from core.collective import REDUCE_SCATTER
from core.cost import Cost
from core.schedule import COPY, REDUCE, send


def halve(world_size):
    """Windows are halved as in recursive halving, but partners come nearest first."""
    real, first = survivors(world_size), starts(world_size)
    member, size, low = np.arange(len(real)), len(real), np.zeros(len(real), int)
    for mask in (1 << bit for bit in range(len(real).bit_length() - 1)):
        size //= 2
        give = low + size * (member & mask == 0)  # the half of your window of members that your partner goes on with
        count = first[give + size] - first[give]
        yield send(real, real[member ^ mask], chunk=first[give], count=count, op=REDUCE, phase="reduce-scatter")
        low = low + size * (member & mask > 0)


def home(world_size):
    """Every survivor sends the chunks that it has finished to their owners."""
    real, first = survivors(world_size), starts(world_size)
    owner = reverse_bits(np.arange(len(real)), len(real).bit_length() - 1)  # whose window a survivor has finished
    holder = np.repeat(real, np.diff(first)[owner])
    chunk = np.concatenate([np.arange(first[o], first[o + 1]) for o in owner])
    away = holder != chunk
    return send(holder[away], chunk[away], chunk=chunk[away], op=COPY, phase="home")


def _cost(n):
    member, nothing = np.arange(power_below(n)), Cost(0, 0, 0)
    stays = reverse_bits(member, len(member).bit_length() - 1) == member
    away = int((np.diff(starts(n)) - stays).max())  # how many chunks the busiest survivor takes home
    fold = Cost(1, traffic=1, work=1) if n > len(member) else nothing
    return fold + halving_cost(n) + (Cost(1, traffic=away / n, work=0, messages=away) if away else nothing)


@algorithm(
    collective=REDUCE_SCATTER,
    num_chunks=lambda n: n,
    cost=_cost,
    reference="Traeff, An improved algorithm for (non-commutative) reduce-scatter, EuroPVM/MPI 2005",
    extra="S/2: half of the partner's buffer",
    users="Open MPI (butterfly), also for non-commutative operations",
    also_called="butterfly (Open MPI 4); recursive halving, near first",
)
def butterfly_reduce_scatter(world_size):
    yield from fold_in(world_size, world_size)
    yield from halve(world_size)
    if len(last := home(world_size)):
        yield last
