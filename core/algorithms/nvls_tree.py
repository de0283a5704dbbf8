"""NVLS tree: the switch of each node adds up and shares out, and double trees join the nodes, one for each local rank.

Two nodes of two ranks; the last two columns are the switches of the nodes.

>>> from core.figures.table import table
>>> print(table(nvls_tree(4, ranks_per_node=2)))
start            c0  a     b     c     d
                 c1  a     b     c     d
                 c2  a     b     c     d
                 c3  a     b     c     d
load-reduce      c0  a     b     c     d     ab    cd
                 c1  a     b     c     d     ab    cd
                 c2  a     b     c     d     ab    cd
                 c3  a     b     c     d     ab    cd
load-reduce      c0  ab    b     cd    d     ab    cd
                 c1  ab    b     cd    d     ab    cd
                 c2  a     ab    c     cd    ab    cd
                 c3  a     ab    c     cd    ab    cd
reduce           c0  abcd  b     cd    d     ab    cd
                 c1  ab    b     abcd  d     ab    cd
                 c2  a     abcd  c     cd    ab    cd
                 c3  a     ab    c     abcd  ab    cd
broadcast        c0  abcd  b     abcd  d     ab    cd
                 c1  abcd  b     abcd  d     ab    cd
                 c2  a     abcd  c     abcd  ab    cd
                 c3  a     abcd  c     abcd  ab    cd
multicast store  c0  abcd  b     abcd  d     abcd  abcd
                 c1  abcd  b     abcd  d     abcd  abcd
                 c2  a     abcd  c     abcd  abcd  abcd
                 c3  a     abcd  c     abcd  abcd  abcd
multicast store  c0  abcd  abcd  abcd  abcd  abcd  abcd
                 c1  abcd  abcd  abcd  abcd  abcd  abcd
                 c2  abcd  abcd  abcd  abcd  abcd  abcd
                 c3  abcd  abcd  abcd  abcd  abcd  abcd
"""

from core.algorithms.all_gather.nvls_all_gather import nvls_all_gather
from core.algorithms.base import algorithm
from core.algorithms.double_tree import double_tree
from core.algorithms.hierarchical import three_costs, three_phases
from core.algorithms.nodes import RANKS_PER_NODE, node_size, refuse_nodes
from core.algorithms.reduce_scatter.nvls_reduce_scatter import nvls_reduce_scatter

PARTS = nvls_reduce_scatter, double_tree, nvls_all_gather


@algorithm(
    num_chunks=lambda n, ranks_per_node: 2 * node_size(n, ranks_per_node),
    cost=lambda n, ranks_per_node: three_costs(n, node_size(n, ranks_per_node), *PARTS),
    requires=lambda n, ranks_per_node: refuse_nodes(n, ranks_per_node),
    options={"ranks_per_node": RANKS_PER_NODE},
    reference="NVIDIA, NCCL, src/device/all_reduce.h and src/graph/tuning.cc (NVLSTree)",
    extra="S/g: one child's sum on its way in, with g ranks in a node",
    users="NCCL on several nodes with NVSwitch and Hopper or Blackwell GPUs",
    also_called="NVLSTree (NCCL)",
)
def nvls_tree(world_size, ranks_per_node=0):
    size = node_size(world_size, ranks_per_node)
    yield from three_phases(world_size, size, *PARTS, switches_inside=1)
