"""BlueConnect: rings inside nodes, then between nodes, then between racks, each on what the level before left over.

Two levels of two ranks each.

>>> from core.figures.table import table
>>> print(table(blueconnect(4, ranks_per_node=2)))
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
all-gather      c0  abcd  b     abcd  d
                c1  abcd  b     abcd  d
                c2  a     abcd  c     abcd
                c3  a     abcd  c     abcd
all-gather      c0  abcd  abcd  abcd  abcd
                c1  abcd  abcd  abcd  abcd
                c2  abcd  abcd  abcd  abcd
                c3  abcd  abcd  abcd  abcd
"""

from math import prod

import numpy as np

from core.algorithms.base import Option, algorithm, backwards
from core.algorithms.nodes import RANKS_PER_NODE, node_size, refuse_nodes
from core.cost import Cost
from core.schedule import COPY, REDUCE, send


def reduce_scatter(dims, order, direction=1):
    """Along one axis after the other, a ring of reduce-scatter on the window that the axes before left to a rank.

    Rank r stands at the point of the grid that its digits name, the first of `dims` turning fastest.
    """
    rank, start, size = np.arange(prod(dims)), 0, prod(dims)
    for axis in order:
        stride, side = prod(dims[:axis]), dims[axis]
        mine, size = rank // stride % side, size // side
        right = rank + ((mine + direction) % side - mine) * stride
        for step in range(side - 1):
            chunk = start + (mine - direction * (1 + step)) % side * size
            yield send(rank, right, chunk=chunk, count=size, op=REDUCE, phase="reduce-scatter")
        start = start + mine * size


def all_gather(dims, order, direction=1):
    """The same windows in reverse order, with finished chunks: along each axis a ring of all-gather."""
    yield from backwards(reduce_scatter(dims, order, -direction), op=COPY, phase="all-gather")


def levels(world_size, ranks_per_node, nodes_per_rack):
    """[ranks in a node, nodes in a rack, racks]: their product is world_size."""
    size = node_size(world_size, ranks_per_node)
    rack = node_size(world_size // size, nodes_per_rack)
    return [size, rack, world_size // size // rack]


def _refuse(n, ranks_per_node, nodes_per_rack):
    if problem := refuse_nodes(n, ranks_per_node):
        return problem
    nodes = n // node_size(n, ranks_per_node)
    if nodes % node_size(nodes, nodes_per_rack):
        return f"{nodes} nodes do not fill racks of {nodes_per_rack}: choose a number that divides {nodes}"
    return ""


@algorithm(
    num_chunks=lambda n, **_: n,
    cost=lambda n, **sizes: Cost(2 * sum(levels(n, **sizes)) - 6, traffic=2 * (n - 1) / n, work=(n - 1) / n),
    requires=_refuse,
    options={
        "ranks_per_node": RANKS_PER_NODE,
        "nodes_per_rack": Option(
            0,
            "How many nodes share a rack; 0 takes the largest number up to 8 that leaves equal racks.",
            low=0,
            examples=(1, 2),
        ),
    },
    reference="Cho et al., BlueConnect: Decomposing All-Reduce for Deep Learning, MLSys 2019",
    extra="S/g with g ranks in a node",
    users="IBM PowerAI DDL; the same decomposition serves any hierarchy of networks, the fastest first",
    also_called="multi-level hierarchical all-reduce; with levels of two: halving and doubling, near first",
)
def blueconnect(world_size, ranks_per_node=0, nodes_per_rack=0):
    dims = levels(world_size, ranks_per_node, nodes_per_rack)
    yield from reduce_scatter(dims, order=(0, 1, 2))
    yield from all_gather(dims, order=(0, 1, 2))
