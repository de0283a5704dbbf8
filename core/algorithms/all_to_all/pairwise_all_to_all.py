"""Pairwise all-to-all: in step i, everyone sends the rank i places on what they have for it.

>>> from core.figures.table import table
>>> print(table(pairwise_all_to_all(3), ALL_TO_ALL))
start     c0  a
          c1  a
          c2       b
          c3       b
          c4  a
          c5       b
          c6            c
          c7            c
          c8            c
exchange  c0  a
          c1  a    a
          c2       b
          c3       b
          c4  a
          c5       b    b
          c6  c         c
          c7            c
          c8            c
exchange  c0  a
          c1  a    a
          c2  b    b
          c3       b
          c4  a         a
          c5       b    b
          c6  c         c
          c7       c    c
          c8            c
"""

import numpy as np

from core.algorithms.all_gather.recursive_doubling_all_gather import power_of_two
from core.algorithms.base import Option, algorithm
from core.collective import ALL_TO_ALL, cell
from core.cost import Cost
from core.schedule import COPY, send


@algorithm(
    collective=ALL_TO_ALL,
    num_chunks=lambda n, partners: n * n,
    cost=lambda n, partners: Cost(n - 1, traffic=(n - 1) / n, work=0),
    requires=lambda n, partners: power_of_two(n) if partners == "swap" else "",
    options={
        "partners": Option(
            "shift",
            "shift: send to r+i and receive from r-i; swap: do both with r xor i (a power of two).",
            ("shift", "swap"),
        )
    },
    reference="Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in MPICH, 2005",
    users="MPICH above 32 KiB per pair; Open MPI (pairwise)",
    also_called="pairwise exchange (MPICH, Open MPI)",
)
def pairwise_all_to_all(world_size, partners="shift"):
    rank = np.arange(world_size)
    for i in range(1, world_size):
        other = (rank + i) % world_size if partners == "shift" else rank ^ i
        yield send(rank, other, chunk=cell(rank, other), op=COPY, phase="exchange")
