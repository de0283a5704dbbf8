"""Real machines by name, each number with its source.

Bandwidths are one direction of one link, from data sheets. Latencies are what NCCL 2.30's tuner assumes for a ring
step with the LL128 protocol (src/graph/tuning.cc: NVLink 1.9 us, PCIe 2.5 us, network 4.0 us) unless said otherwise;
they include the software that starts a message. gamma is 0: these libraries add while they receive.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.topologies.boxes import dgx1, nvswitch_node, pcie_box
from core.topologies.clusters import two_tier
from core.topologies.fat_trees import fat_tree
from core.topologies.grids import squarest, torus
from core.topologies.switches import full_mesh
from core.topologies.wires import refuse_size
from core.topology import BadTopology, Topology

NVLINK_LATENCY, PCIE_LATENCY, NETWORK_LATENCY = 1.9e-6, 2.5e-6, 4.0e-6


@dataclass(frozen=True)
class Preset:
    name: str
    build: Callable[[int], Topology]  # world_size -> Topology
    most: int  # ranks it can have
    source: str

    def __call__(self, world_size: int) -> Topology:
        refuse_size(world_size)
        if world_size > self.most:
            raise BadTopology(f"{self.name} has at most {self.most} ranks here, not {world_size}")
        return self.build(world_size)


def _h100_node(n: int) -> Topology:
    return nvswitch_node(n, NVLINK_LATENCY, 450e9, source=SOURCES["DGX H100"])


def _h100_cluster(n: int) -> Topology:
    inside, between = (NVLINK_LATENCY, 450e9), (NETWORK_LATENCY, 50e9)
    return two_tier(n, 8, 8, inside, between, reduces=True, source=SOURCES["DGX H100 cluster, 400 Gb InfiniBand"])


def _ethernet(n: int) -> Topology:
    return fat_tree(n, 24, 2, 5e-6, 12.5e9, kind="Ethernet", source=SOURCES["100 Gb Ethernet cluster"])


def _infiniband(n: int) -> Topology:
    source = SOURCES["400 Gb InfiniBand cluster"]
    return fat_tree(n, 32, 1, NETWORK_LATENCY, 50e9, kind="InfiniBand", reduces=True, source=source)


def _ici(axes: int, bandwidth: float, name: str) -> Callable[[int], Topology]:
    return lambda n: torus(squarest(n, axes), 1e-6, bandwidth, "ICI", source=SOURCES[name])


def _trainium(n: int) -> Topology:
    return torus(squarest(n, 2), 1e-6, 160e9, "NeuronLink", source=SOURCES["AWS Trainium2 torus"])


SOURCES = {
    "DGX H100": "NVIDIA DGX H100 data sheet: 18 NVLink 4 a GPU, 900 GB/s both ways; NVSwitch can add (NVLink SHARP)",
    "DGX-1 V100": "NVIDIA DGX-1 V100 white paper: six NVLink 2 a GPU, 25 GB/s each way; PCIe 3.0 x16, about 12 GB/s",
    "PCIe box": "PCIe 4.0 x16: 31.5 GB/s raw, about 25 GB/s in use; 20 GB/s between the CPUs is an assumption",
    "MI300X mesh": "AMD MI300X data sheet: 7 Infinity Fabric links, 128 GB/s both ways; latency as for NVLink",
    "TPU v4 torus": "Jouppi et al., TPU v4, ISCA 2023: 3-D torus, six ICI links of 50 GB/s; 1 us a hop is assumed",
    "TPU v5p torus": "Google Cloud, TPU v5p: 3-D torus, 1200 GB/s of ICI a chip both ways, over six links; 1 us a hop"
    " is assumed",
    "AWS Trainium2 torus": "AWS Neuron documentation: 4 x 4 torus of NeuronLink-v3, 1.28 TB/s a chip both ways, over"
    " four links; 1 us a hop is assumed",
    "100 Gb Ethernet cluster": "100 Gb/s is 12.5 GB/s; 5 us as in the SimGrid platform; 16 hosts a leaf, 2:1",
    "400 Gb InfiniBand cluster": "400 Gb/s is 50 GB/s; 16 hosts a leaf, 1:1; Quantum-2 switches can add (SHARP v3)",
    "DGX H100 cluster, 400 Gb InfiniBand": "NVIDIA DGX H100 user guide: eight GPUs, eight 400 Gb/s ConnectX-7 NICs",
}

PRESETS = {
    name: Preset(name, build, most, SOURCES[name])
    for name, build, most in (
        ("DGX H100", _h100_node, 8),
        ("DGX-1 V100", lambda n: dgx1(n, NVLINK_LATENCY, source=SOURCES["DGX-1 V100"]), 8),
        ("PCIe box", lambda n: pcie_box(n, PCIE_LATENCY, source=SOURCES["PCIe box"]), 16),
        ("MI300X mesh", lambda n: full_mesh(n, NVLINK_LATENCY, 64e9, "xGMI", source=SOURCES["MI300X mesh"]), 8),
        ("TPU v4 torus", _ici(3, 50e9, "TPU v4 torus"), 4096),
        ("TPU v5p torus", _ici(3, 100e9, "TPU v5p torus"), 6144),
        ("AWS Trainium2 torus", _trainium, 16),
        ("100 Gb Ethernet cluster", _ethernet, 16384),
        ("400 Gb InfiniBand cluster", _infiniband, 16384),
        ("DGX H100 cluster, 400 Gb InfiniBand", _h100_cluster, 16384),
    )
}
