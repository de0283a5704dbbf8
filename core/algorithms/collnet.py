"""CollNet: gather in each node what the network's switches then add up across the nodes.

Two nodes of two ranks, each local rank with its own switch (the last two columns).

>>> from core.figures.table import table
>>> print(table(collnet(4, ranks_per_node=2)))
start           c0  a     b     c     d
                c1  a     b     c     d
reduce-scatter  c0  ab    b     cd    d
                c1  a     ab    c     cd
aggregate       c0  ab    b     cd    d     abcd
                c1  a     ab    c     cd          abcd
multicast       c0  abcd  b     abcd  d     abcd
                c1  a     abcd  c     abcd        abcd
all-gather      c0  abcd  abcd  abcd  abcd  abcd
                c1  abcd  abcd  abcd  abcd        abcd
"""

from core.algorithms.base import Option, algorithm
from core.algorithms.hierarchical import INSIDE, three_costs, three_phases
from core.algorithms.leader import leader_cost, through_leaders
from core.algorithms.nodes import RANKS_PER_NODE, node_size, refuse_nodes
from core.algorithms.nvls_tree import PARTS as NVLS
from core.algorithms.sharp import sharp


def _cost(n, ranks_per_node, style):
    size = node_size(n, ranks_per_node)
    if style == "chain":
        return leader_cost(n, size, "chain", sharp)
    scatter, gather = INSIDE["direct"] if style == "direct" else (NVLS[0], NVLS[2])
    return three_costs(n, size, scatter, sharp, gather)


@algorithm(
    num_chunks=lambda n, ranks_per_node, style: 1 if style == "chain" else node_size(n, ranks_per_node),
    cost=_cost,
    requires=lambda n, ranks_per_node, **_: refuse_nodes(n, ranks_per_node),
    options={
        "ranks_per_node": RANKS_PER_NODE,
        "style": Option(
            "direct",
            "direct: every local rank collects its share of the buffer and has a network card; chain: the sum walks to "
            "one local rank; nvls: the node's own switch collects.",
            ("direct", "chain", "nvls"),
        ),
    },
    reference="NVIDIA, NCCL, src/graph/tuning.cc (CollNetDirect, CollNetChain, NVLS with CollNet)",
    extra="(g-1) S/g: the pieces of one share, with g ranks in a node",
    users="NCCL with the SHARP plugin on InfiniBand: direct needs NVSwitch and at most 8 GPUs in a node",
    also_called="CollNetDirect, CollNetChain, NVLS+CollNet (NCCL)",
)
def collnet(world_size, ranks_per_node=0, style="direct"):
    size = node_size(world_size, ranks_per_node)
    if style == "chain":
        yield from through_leaders(world_size, size, "chain", sharp)
    elif style == "direct":
        scatter, gather = INSIDE["direct"]
        yield from three_phases(world_size, size, scatter, sharp, gather)
    else:
        scatter, _, gather = NVLS
        yield from three_phases(world_size, size, scatter, sharp, gather, switches_inside=1)
