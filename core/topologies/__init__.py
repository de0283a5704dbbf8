"""Every network the app knows: builders to play with, and real machines (presets); core.shapes names them all."""

from core.topologies.boxes import dgx1, nvswitch_node, pcie_box
from core.topologies.clusters import datacentres, rail_optimised, two_tier
from core.topologies.dragonfly import dragonfly
from core.topologies.fat_trees import fat_tree, fat_tree3
from core.topologies.grids import ring, torus, torus_of
from core.topologies.placement import PLACEMENTS, place
from core.topologies.presets import PRESETS
from core.topologies.switches import crossbar, from_machine, full_mesh, star
from core.topology import BadTopology, Topology

__all__ = [
    "PLACEMENTS",
    "PRESETS",
    "BadTopology",
    "Topology",
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
