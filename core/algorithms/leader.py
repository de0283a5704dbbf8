"""Leader all-reduce: each node sums up to one leader, the leaders all-reduce, and each leader tells its node.

Ranks 0 and 1 are one node, 2 and 3 another; 0 and 2 lead.

>>> from core.figures.table import table
>>> print(table(leader(4, ranks_per_node=2)))
start           c0  a     b     c     d
                c1  a     b     c     d
reduce          c0  ab    b     cd    d
                c1  ab    b     cd    d
reduce-scatter  c0  abcd  b     cd    d
                c1  ab    b     abcd  d
all-gather      c0  abcd  b     abcd  d
                c1  abcd  b     abcd  d
broadcast       c0  abcd  abcd  abcd  abcd
                c1  abcd  abcd  abcd  abcd
"""

import numpy as np

from core.algorithms import trees
from core.algorithms.base import Option, algorithm, on_groups
from core.algorithms.direct import direct
from core.algorithms.double_tree import double_tree
from core.algorithms.halving_doubling import halving_doubling
from core.algorithms.nodes import RANKS_PER_NODE, node_size, refuse_nodes
from core.algorithms.recursive_doubling import recursive_doubling
from core.algorithms.ring import ring
from core.cost import Cost

ACROSS = {a.name: a for a in (ring, recursive_doubling, halving_doubling, direct, double_tree)}


def inside_levels(size, inside):
    """The tree in a node: binomial, or a chain from the last rank to the leader."""
    return trees.binomial(size) if inside == "binomial" else trees.by_depth(np.arange(size) - 1)


def through_leaders(world_size, size, inside, across, **options):
    """Reduce to the first rank of every node of `size` ranks, all-reduce between those, broadcast in the nodes."""
    nodes, levels = np.arange(world_size).reshape(-1, size), inside_levels(size, inside)
    everything = across.num_chunks(len(nodes), **options)
    yield from on_groups(trees.up(levels, chunk=0), nodes, chunk_size=everything)
    yield from on_groups(across.steps(len(nodes), **options), nodes[:, 0][None], first_switch=world_size)
    yield from on_groups(trees.down(levels, chunk=0), nodes, chunk_size=everything)


def leader_cost(world_size, size, inside, across):
    """The cost of through_leaders: the whole buffer moves once per level and direction."""
    depth = len(inside_levels(size, inside))
    return Cost(2 * depth, traffic=2 * depth, work=depth) + across.cost(world_size // size)


def _ring_only(across, offset):
    return {"offset": offset} if across == "ring" else {}


@algorithm(
    num_chunks=lambda n, ranks_per_node, across, **_: ACROSS[across].num_chunks(n // node_size(n, ranks_per_node)),
    cost=lambda n, ranks_per_node, inside, across, offset: leader_cost(
        n, node_size(n, ranks_per_node), inside, ACROSS[across]
    ),
    requires=lambda n, ranks_per_node, **_: refuse_nodes(n, ranks_per_node),
    options={
        "ranks_per_node": RANKS_PER_NODE,
        "inside": Option("binomial", "The tree that sums up and spreads inside a node.", ("binomial", "chain")),
        "across": Option("ring", "Which all-reduce the leaders use.", tuple(ACROSS)),
        "offset": ring.options["offset"],
    },
    reference="MPICH, src/mpid/ch4/src/ch4_coll_impl.h (all-reduce composition alpha)",
    extra="S at the leaders: another rank's sum on its way in",
    users="MPICH by default between nodes for commutative operations; Open MPI HAN, in segments of 512 KiB; NCCL Tree "
    "(chain inside, double tree across)",
    also_called="SMP all-reduce (MPICH smp, alpha); HAN (Open MPI); two-level, master-based",
)
def leader(world_size, ranks_per_node=0, inside="binomial", across="ring", offset=-1):
    size = node_size(world_size, ranks_per_node)
    yield from through_leaders(world_size, size, inside, ACROSS[across], **_ring_only(across, offset))
