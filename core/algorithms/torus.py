"""Torus all-reduce: rings along one axis after the other, and each share of the buffer starts with another axis.

So that all links are busy at once: two shares on a grid of 2 x 2 ranks, ranks 0 and 1 in the first row.

>>> from core.figures.table import table
>>> print(table(torus(4)))
start           c0  a     b     c     d
                c1  a     b     c     d
                c2  a     b     c     d
                c3  a     b     c     d
                c4  a     b     c     d
                c5  a     b     c     d
                c6  a     b     c     d
                c7  a     b     c     d
reduce-scatter  c0  ab    b     cd    d
                c1  ab    b     cd    d
                c2  a     ab    c     cd
                c3  a     ab    c     cd
                c4  ac    bd    c     d
                c5  ac    bd    c     d
                c6  a     b     ac    bd
                c7  a     b     ac    bd
reduce-scatter  c0  abcd  b     cd    d
                c1  ab    b     abcd  d
                c2  a     abcd  c     cd
                c3  a     ab    c     abcd
                c4  abcd  bd    c     d
                c5  ac    abcd  c     d
                c6  a     b     abcd  bd
                c7  a     b     ac    abcd
all-gather      c0  abcd  b     abcd  d
                c1  abcd  b     abcd  d
                c2  a     abcd  c     abcd
                c3  a     abcd  c     abcd
                c4  abcd  abcd  c     d
                c5  abcd  abcd  c     d
                c6  a     b     abcd  abcd
                c7  a     b     abcd  abcd
all-gather      c0  abcd  abcd  abcd  abcd
                c1  abcd  abcd  abcd  abcd
                c2  abcd  abcd  abcd  abcd
                c3  abcd  abcd  abcd  abcd
                c4  abcd  abcd  abcd  abcd
                c5  abcd  abcd  abcd  abcd
                c6  abcd  abcd  abcd  abcd
                c7  abcd  abcd  abcd  abcd
"""

from math import isqrt

import numpy as np

from core.algorithms.base import Option, algorithm, on_groups, side_by_side
from core.algorithms.blueconnect import all_gather, reduce_scatter
from core.cost import Cost


def sides(world_size, width, height):
    """[width, height, depth] of the grid; 0 chooses the squarest grid, or what the other side leaves."""
    squarest = max(d for d in range(1, isqrt(world_size) + 1) if world_size % d == 0)
    width = width or (world_size // height if height else squarest)
    height = height or world_size // width
    return [width, height, world_size // width // height]


def shares(dims, colours):
    """[(order of the axes, direction), ...], one for each share of the buffer. Axes of length 1 do not count."""
    axes = [axis for axis in range(3) if dims[axis] > 1]
    turns = [axes[turn:] + axes[:turn] for turn in range(len(axes))] or [[]]
    if colours == "one":
        return [(turns[0], 1)]
    return [(turn, direction) for direction in (1, -1)[: 2 if colours == "both" else 1] for turn in turns]


def _cost(n, width, height, colours):
    dims = sides(n, width, height)
    ways = [  # the neighbour that each share sends to, step by step; with two ranks on an axis both ways are the same
        [(axis, way if dims[axis] > 2 else 1) for axis in order for _ in range(dims[axis] - 1)]
        for order, way in shares(dims, colours)
    ]
    messages = 2 * sum(len(set(step)) for step in zip(*ways))
    return Cost(2 * len(ways[0]), traffic=2 * (n - 1) / n, work=(n - 1) / n, messages=messages)


def _refuse(n, width, height, **_):
    if n % (max(width, 1) * max(height, 1)):
        return (
            f"{n} ranks do not fill a grid {width or 'some'} wide and {height or 'some'} high: choose divisors of {n}"
        )
    return ""


@algorithm(
    num_chunks=lambda n, width, height, colours: n * len(shares(sides(n, width, height), colours)),
    cost=_cost,
    requires=_refuse,
    options={
        "width": Option(0, "Ranks along the first axis; 0 chooses the squarest grid.", low=0, examples=(2, 4)),
        "height": Option(
            0,
            "Ranks along the second axis; 0 takes all there are; what is left is the third axis.",
            low=0,
            examples=(2,),
        ),
        "colours": Option(
            "all",
            "one: one axis after another; all: as many shares of the buffer as axes, each starting with another; "
            "both: twice as many, half of them turning the other way.",
            ("one", "all", "both"),
        ),
    },
    reference="Jain and Sabharwal, Optimal bucket algorithms for large MPI collectives on torus networks, ICS 2010",
    extra="S/n for each share: one chunk on its way in",
    users="TPU pods (XLA, on 2-D and 3-D tori); IBM Blue Gene; one colour is Horovod's NCCLTorus",
    also_called="multi-axis or multi-colour ring; bucket algorithm on a torus; 2D-torus all-reduce (one)",
)
def torus(world_size, width=0, height=0, colours="all"):
    dims, ranks = sides(world_size, width, height), np.arange(world_size)[None]
    parts = []
    for i, (order, direction) in enumerate(shares(dims, colours)):
        steps = [*reduce_scatter(dims, order, direction), *all_gather(dims, order, direction)]
        parts.append(on_groups(steps, ranks, first_chunk=i * world_size))
    yield from side_by_side(*parts)
