"""How ranks are arranged: nodes of several ranks, or the axes of a grid."""

from __future__ import annotations

from core.algorithms.base import Option

RANKS_PER_NODE = Option(
    0,
    "How many ranks share a node; 0 takes the largest number up to 8 that leaves equal nodes, at least two of them.",
    low=0,
    examples=(1, 2, 3, 4, 8),
)


def node_size(world_size: int, ranks_per_node: int) -> int:
    """The number of ranks in a node: as asked, or chosen when asked for 0."""
    if ranks_per_node:
        return ranks_per_node
    return max(size for size in range(1, 9) if world_size % size == 0 and (size == 1 or size < world_size))


def refuse_nodes(world_size: int, ranks_per_node: int) -> str:
    """Why the ranks cannot be arranged in equal nodes, or ""."""
    size = node_size(world_size, ranks_per_node)
    if world_size % size == 0:
        return ""
    fitting = [d for d in range(1, world_size + 1) if world_size % d == 0]
    return f"{world_size} ranks do not fill nodes of {size}: choose {' or '.join(map(str, fitting))} ranks per node"
