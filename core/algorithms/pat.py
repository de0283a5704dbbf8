"""PAT: one binomial tree for every chunk, all at once, arranged so that many chunks travel near and few travel far.

>>> from core.figures.table import table
>>> print(table(pat(4)))
start           c0  a     b     c     d
                c1  a     b     c     d
                c2  a     b     c     d
                c3  a     b     c     d
reduce-scatter  c0  ad    b     bc    d
                c1  a     ab    c     cd
                c2  ad    b     bc    d
                c3  a     ab    c     cd
reduce-scatter  c0  abcd  b     bc    d
                c1  a     abcd  c     cd
                c2  ad    b     abcd  d
                c3  a     ab    c     abcd
all-gather      c0  abcd  b     abcd  d
                c1  a     abcd  c     abcd
                c2  abcd  b     abcd  d
                c3  a     abcd  c     abcd
all-gather      c0  abcd  abcd  abcd  abcd
                c1  abcd  abcd  abcd  abcd
                c2  abcd  abcd  abcd  abcd
                c3  abcd  abcd  abcd  abcd
"""

import numpy as np

from core.algorithms.base import algorithm, backwards
from core.algorithms.folds import rounds
from core.cost import Cost
from core.schedule import COPY, REDUCE, send


def reduce_scatter(world_size):
    """Send 1, then 2, then 4 ranks on what belongs to the ranks at an odd multiple of that distance."""
    rank = np.arange(world_size)[:, None]
    for distance in (1 << i for i in range(rounds(world_size))):
        ahead = np.arange(distance, world_size, 2 * distance)
        to, chunk = (rank + distance) % world_size, (rank + ahead) % world_size
        yield send(rank, to, chunk=chunk, op=REDUCE, phase="reduce-scatter")


def all_gather(world_size):
    """The same steps backwards, with finished chunks: first one chunk goes far, at last n/2 go to a neighbour."""
    yield from backwards(reduce_scatter(world_size), op=COPY, phase="all-gather")


@algorithm(
    num_chunks=lambda n: n,
    cost=lambda n: Cost(2 * rounds(n), traffic=2 * (n - 1) / n, work=(n - 1) / n),
    reference="Jeaugey, PAT: a new algorithm for all-gather and reduce-scatter at scale, arXiv 2506.20252, 2025",
    extra="about log2(n) S/n in NCCL, which splits the steps so that few chunks wait; here up to S/2",
    users="NCCL for all-gather and reduce-scatter with one GPU per node; it has no PAT all-reduce",
    also_called="PAT, Parallel Aggregated Trees (NCCL)",
)
def pat(world_size):
    yield from reduce_scatter(world_size)
    yield from all_gather(world_size)
