"""Swing all-reduce: partners alternate between left and right at distances 1, 1, 3, 5, 11, so that messages stay near.

>>> from core.figures.table import table
>>> print(table(swing(4)))
start           c0  a     b     c     d
                c1  a     b     c     d
                c2  a     b     c     d
                c3  a     b     c     d
reduce-scatter  c0  ab    b     c     cd
                c1  a     ab    cd    d
                c2  a     ab    cd    d
                c3  ab    b     c     cd
reduce-scatter  c0  abcd  b     c     cd
                c1  a     abcd  cd    d
                c2  a     ab    abcd  d
                c3  ab    b     c     abcd
all-gather      c0  abcd  b     c     abcd
                c1  a     abcd  abcd  d
                c2  a     abcd  abcd  d
                c3  abcd  b     c     abcd
all-gather      c0  abcd  abcd  abcd  abcd
                c1  abcd  abcd  abcd  abcd
                c2  abcd  abcd  abcd  abcd
                c3  abcd  abcd  abcd  abcd
"""

import numpy as np

from core.algorithms.base import Option, algorithm, backwards
from core.algorithms.folds import fold_in, power_below, rounds, runs, survivors, unfold
from core.cost import Cost
from core.schedule import COPY, REDUCE, send


def swing_to(step):
    """How far to the right an even rank's partner is; an odd rank's is as far to the left: 1, -1, 3, -5, 11, -21 ..."""
    return (1 - (-2) ** (step + 1)) // 3


def peers(world_size, step):
    """Everyone's partner. World size must be even."""
    rank = np.arange(world_size)
    return np.where(rank % 2 == 0, rank + swing_to(step), rank - swing_to(step)) % world_size


def departures(world_size):
    """The step in which chunk t leaves rank 0: the last one whose partner can still pass it on; -1 for t = 0."""
    target = np.arange(world_size)
    reached = target == 0  # whom an even rank can reach with the steps looked at so far; an odd rank, mirrored
    leaves = np.full(world_size, -1)
    for step in reversed(range(rounds(world_size))):
        through = reached[(swing_to(step) - target) % world_size]  # whom its partner of this step can reach
        leaves[through & (leaves < 0) & (target > 0)] = step
        reached = reached | through
    return leaves


def reduce_scatter(world_size):
    """In each step, send your partner the partial sums that leave now."""
    rank = np.arange(world_size)
    ahead = np.where(rank % 2 == 0, 1, -1)[:, None] * (rank - rank[:, None]) % world_size
    leaves = departures(world_size).astype(np.int8)[ahead]  # int8 [rank, chunk]
    for step in range(rounds(world_size)):
        me, chunk, count = runs(leaves == step)
        yield send(me, peers(world_size, step)[me], chunk=chunk, count=count, op=REDUCE, phase="reduce-scatter")


def bandwidth(world_size):
    """Move no byte twice; an odd rank out hands its input to rank 0."""
    even = world_size - world_size % 2 if world_size > 1 else 1
    if world_size > even:
        yield send(even, 0, chunk=0, count=even, op=REDUCE, phase="fold")
    yield from reduce_scatter(even)
    yield from backwards(reduce_scatter(even), op=COPY, phase="all-gather")
    if world_size > even:
        yield send(0, even, chunk=0, count=even, op=COPY, phase="unfold")


def latency(world_size):
    """Swap whole buffers, in half the steps; ranks beyond a power of two fold."""
    real = survivors(world_size)
    yield from fold_in(world_size)
    for step in range(len(real).bit_length() - 1):
        yield send(real, real[peers(len(real), step)], chunk=0, op=REDUCE, phase="exchange")
    yield from unfold(world_size)


def _cost(n, variant):
    even = n - n % 2 if n > 1 else 1
    if variant == "bandwidth":
        left_over, cost = n > even, Cost(2 * rounds(even), traffic=2 * (even - 1) / even, work=(even - 1) / even)
    else:
        left_over, doublings = n > power_below(n), power_below(n).bit_length() - 1
        cost = Cost(doublings, traffic=doublings, work=doublings)
    return cost + Cost(2, traffic=2, work=1) if left_over else cost


@algorithm(
    num_chunks=lambda n, variant: max(1, n - n % 2) if variant == "bandwidth" else 1,
    cost=_cost,
    options={
        "variant": Option(
            "bandwidth",
            "bandwidth: move no byte twice; latency: whole buffers in half the steps.",
            ("bandwidth", "latency"),
        )
    },
    reference="De Sensi et al., Swing: Short-cutting Rings for Higher Bandwidth Allreduce, NSDI 2024",
    extra="S/2 (bandwidth) or S (latency)",
    users="research (libbine, PICO), for tori and other networks where far messages are dear",
    also_called="Swing; Bine butterfly (the same partners)",
)
def swing(world_size, variant="bandwidth"):
    yield from bandwidth(world_size) if variant == "bandwidth" else latency(world_size)
