"""Every network the app knows: shapes to play with, and real machines (presets)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import count

from core.topologies.boxes import dgx1, nvswitch_node, pcie_box
from core.topologies.clusters import datacentres, rail_optimised, two_tier
from core.topologies.dragonfly import dragonfly
from core.topologies.fat_trees import fat_tree, fat_tree3
from core.topologies.grids import ring, torus, torus_of
from core.topologies.placement import PLACEMENTS, place
from core.topologies.presets import PRESETS
from core.topologies.switches import crossbar, from_machine, full_mesh, star
from core.topologies.wires import refuse_size
from core.topology import BadTopology, Topology

SHAPES: dict[str, Callable[[int], Topology]] = {  # name in menus -> builder; its other arguments have defaults
    "Crossbar": crossbar,
    "Star with a weak switch": star,
    "Ring": ring,
    "2D torus": lambda world_size: torus_of(world_size, 2),
    "3D torus": lambda world_size: torus_of(world_size, 3),
    "Full mesh": full_mesh,
    "Fat tree, two levels, 2:1": fat_tree,
    "Fat tree, three levels": lambda world_size: fat_tree3(world_size, radix=_radix_for(world_size)),
    "Fat tree on rails": lambda world_size: rail_optimised(-(-world_size // 8) * 8),
    "Dragonfly": dragonfly,
    "Nodes of 8 GPUs, 8 NICs": two_tier,
    "Nodes of 8 GPUs, 1 NIC": lambda world_size: two_tier(world_size, nics=1),
    "NVSwitch node": nvswitch_node,
    "DGX-1 cube mesh": dgx1,
    "PCIe box, two halves": pcie_box,
    "Two datacentres": lambda world_size: datacentres(world_size, sites=min(world_size, 2)),
}

__all__ = [
    "PLACEMENTS",
    "PRESETS",
    "SHAPES",
    "BadTopology",
    "Topology",
    "build",
    "crossbar",
    "datacentres",
    "dgx1",
    "dragonfly",
    "fat_tree",
    "fat_tree3",
    "from_machine",
    "full_mesh",
    "nvswitch_node",
    "pcie_box",
    "place",
    "rail_optimised",
    "ring",
    "star",
    "torus",
    "torus_of",
    "two_tier",
]


def _radix_for(world_size: int) -> int:
    """The smallest even radix, 4 or more, whose full three-level tree holds world_size ranks: radix cubed / 4."""
    return next(radix for radix in count(4, 2) if radix**3 // 4 >= world_size)


@lru_cache(maxsize=32)
def build(name: str, world_size: int) -> Topology:
    """The network of this name with room for at least world_size ranks. Raises BadTopology with a sentence."""
    refuse_size(world_size)
    if name in PRESETS:
        return PRESETS[name](world_size)
    if name not in SHAPES:
        raise BadTopology(f"there is no network {name!r}: choose one of {', '.join([*SHAPES, *PRESETS])}")
    return SHAPES[name](world_size)
