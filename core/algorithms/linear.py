"""Linear all-reduce: everyone sends everything to one rank, which adds it all up and sends everyone the result.

>>> from core.figures.table import table
>>> print(table(linear(4)))
start      c0  a     b     c     d
reduce     c0  abcd  b     c     d
broadcast  c0  abcd  abcd  abcd  abcd
"""

import numpy as np

from core.algorithms.base import algorithm
from core.cost import Cost
from core.schedule import COPY, REDUCE, send


@algorithm(
    num_chunks=lambda n: 1,
    cost=lambda n: Cost(2 * (n > 1), traffic=2 * (n - 1), work=n - 1, messages=2 * (n - 1)),
    reference="MPI: A Message-Passing Interface Standard 1.1, section 4.9.3 (all-reduce as reduce + broadcast)",
    extra="S at the root: one input on its way in",
    users="Open MPI for non-commutative operations with under 4 ranks and from 128 KiB on",
    also_called="basic_linear (Open MPI 1); reduce + broadcast; parameter server with one server",
)
def linear(world_size):
    root, others = 0, np.arange(1, world_size)
    if world_size > 1:
        yield send(others, root, chunk=0, op=REDUCE, phase="reduce")
        yield send(root, others, chunk=0, op=COPY, phase="broadcast")
