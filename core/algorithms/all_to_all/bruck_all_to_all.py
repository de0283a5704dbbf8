"""Bruck all-to-all: what must go j places on hops 1, 2, 4 ... places, as the digits of j say: few messages, more bytes.

>>> from core.figures.table import table
>>> print(table(bruck_all_to_all(3), ALL_TO_ALL))
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

from core.algorithms.base import algorithm
from core.algorithms.folds import rounds
from core.collective import ALL_TO_ALL, cell
from core.cost import Cost
from core.schedule import COPY, send


@algorithm(
    collective=ALL_TO_ALL,
    num_chunks=lambda n: n * n,
    cost=lambda n: Cost(rounds(n), traffic=sum(ahead.bit_count() for ahead in range(n)) / n, work=0),
    reference="Bruck et al., Efficient algorithms for all-to-all communications in multiport systems, 1997",
    extra="S: everything is turned into place at the start and at the end",
    users="MPICH up to 256 bytes per pair from 8 ranks on; Open MPI (modified_bruck)",
    also_called="brucks (MPICH); modified_bruck (Open MPI); index algorithm",
)
def bruck_all_to_all(world_size):
    origin = np.arange(world_size)[:, None]
    for hop in (1 << i for i in range(rounds(world_size))):
        ahead = np.arange(world_size)
        ahead = ahead[ahead & hop > 0]  # how far on the parcels of this step must go in all
        holder = (origin + ahead % hop) % world_size  # they have made the smaller hops already
        parcel = cell(origin, (origin + ahead) % world_size)
        yield send(holder, (holder + hop) % world_size, chunk=parcel, op=COPY, phase="exchange")
