"""Segmented ring: the ring's reduce-scatter in small segments, so that adding one hides behind moving the next.

Two ranks, two segments: every chunk of the ring is cut in two.

>>> from core.figures.table import table
>>> print(table(segmented_ring(2)))
start           c0  a   b
                c1  a   b
                c2  a   b
                c3  a   b
reduce-scatter  c0  ab  b
                c1  a   b
                c2  a   ab
                c3  a   b
reduce-scatter  c0  ab  b
                c1  ab  b
                c2  a   ab
                c3  a   ab
all-gather      c0  ab  ab
                c1  ab  ab
                c2  ab  ab
                c3  ab  ab
"""

from dataclasses import replace

import numpy as np

from core.algorithms.base import SEGMENTS, algorithm, on_groups
from core.algorithms.ring import all_gather, reduce_scatter
from core.cost import Cost


@algorithm(
    num_chunks=lambda n, num_segments: n * num_segments,
    cost=lambda n, num_segments: Cost((num_segments + 1) * (n - 1), traffic=2 * (n - 1) / n, work=(n - 1) / n),
    options={"num_segments": replace(SEGMENTS, default=2, examples=(1, 3))},
    reference="Open MPI, coll_base_allreduce.c (ompi_coll_base_allreduce_intra_ring_segmented)",
    extra="2 S/(nk) with k segments",
    users="Open MPI 64 to 256 KiB with under 4 ranks, and tiny messages with 16 to 63; Gloo in segments up to 1 MiB",
    also_called="segmented_ring (Open MPI 5); ring_chunked (Gloo)",
)
def segmented_ring(world_size, num_segments=2):
    for segment in range(num_segments):
        for step in reduce_scatter(world_size):
            yield replace(step, chunk=step.chunk * num_segments + segment)
    yield from on_groups(all_gather(world_size), np.arange(world_size)[None], chunk_size=num_segments)
