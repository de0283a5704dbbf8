"""Single machines: a node with an NVLink switch, the DGX-1 cube mesh, a PCIe box with two halves."""

from __future__ import annotations

import numpy as np

from core.topologies.switches import crossbar
from core.topologies.wires import Wires, refuse_size
from core.topology import BadTopology, Topology

DOUBLE = ((0, 3), (0, 4), (1, 2), (1, 5), (2, 3), (4, 7), (5, 6), (6, 7))  # pairs with two NVLinks
SINGLE = ((0, 1), (0, 2), (1, 3), (2, 6), (3, 7), (4, 5), (4, 6), (5, 7))  # pairs with one


def nvswitch_node(world_size: int = 8, latency=1e-6, bandwidth=450e9, reduces=True, **about) -> Topology:
    """GPUs on one NVLink switch, which can add (NVLink SHARP) when `reduces`."""
    return crossbar(world_size, latency, bandwidth, kind="NVLink", hub="NVSwitch", reduces=reduces, **about)


def dgx1(world_size: int = 8, latency=1e-6, nvlink=25e9, pcie=12e9, **about) -> Topology:
    """Eight V100s, six NVLinks each, as a cube with diagonals; pairs without an NVLink talk over PCIe and the CPUs.

    GPUs do not pass on messages of others, so 4 of the 7 partners of a GPU are one NVLink hop away, 3 are not.
    """
    refuse_size(world_size)
    if world_size > 8:
        raise BadTopology(f"a DGX-1 has 8 GPUs: ask for at most 8 ranks, not {world_size}")
    wires = Wires(8)
    plx = wires.vertices([f"PCIe switch {i}" for i in range(4)])
    cpu = wires.vertices(["CPU 0", "CPU 1"])
    for pairs, links in ((DOUBLE, 2), (SINGLE, 1)):
        wires.cable(*np.array(pairs).T, latency, links * nvlink, "NVLink")
    wires.cable(np.arange(8), plx[np.arange(8) // 2], latency, pcie, "PCIe")
    wires.cable(plx, cpu[np.arange(4) // 2], latency, pcie, "PCIe")
    wires.cable(*cpu, latency, pcie, "QPI")
    return wires.topology("DGX-1 cube mesh", node_of=np.zeros(8), **about)


def pcie_box(world_size: int = 8, latency=2.5e-6, pcie=25e9, between_cpus=20e9, **about) -> Topology:
    """Half of the GPUs on each CPU; whatever crosses the middle shares one cable. `latency` is within a half."""
    refuse_size(world_size)
    half = np.arange(world_size) * 2 // max(world_size, 2)
    wires = Wires(world_size)
    cpu = wires.vertices(["CPU 0", "CPU 1"])
    up, down = wires.cable(np.arange(world_size), cpu[half], latency / 2, pcie, "PCIe")
    there, back = wires.cable(*cpu, latency / 2, between_cpus, "UPI")

    def rule(at, dst):
        across = np.where(at == cpu[0], there, back)
        return np.where(at < world_size, up[at % world_size], np.where(at == cpu[half[dst]], down[dst], across))

    return wires.topology(f"PCIe box of {world_size}", node_of=half, rule=rule, **about)
