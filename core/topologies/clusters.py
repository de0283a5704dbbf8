"""Machines full of GPUs, and many of them: two tiers, rails, datacentres."""

from __future__ import annotations

import numpy as np

from core.topologies.wires import Wires, every_pair, groups_of, refuse_size, whole
from core.topology import BadTopology, Topology

NVLINK = (1e-6, 400e9)  # seconds and bytes per second between two GPUs of one node
NETWORK = (10e-6, 50e9)  # between two GPUs of different nodes


def two_tier(
    world_size: int,
    gpus: int = 8,
    nics: int | None = None,
    inside=NVLINK,
    between=NETWORK,
    *,
    kinds=("NVLink", "PCIe", "InfiniBand"),
    reduces=False,
    **about,
) -> Topology:
    """Nodes of `gpus` GPUs behind a switch, and `nics` NICs a node (default: one a GPU) on a network that never blocks.

    `inside` and `between` are (latency, bandwidth) from GPU to GPU within a node, and between nodes when every GPU
    has its own NIC; with fewer NICs, GPUs share them.
    """
    node_of = groups_of(world_size, gpus, "GPUs in a node")
    nics, nodes = whole("NICs in a node", gpus if nics is None else nics), int(node_of[-1]) + 1
    if nics > gpus:
        raise BadTopology(f"{nics} NICs for {gpus} GPUs: a GPU uses one NIC, so there are at most {gpus}")
    wires = Wires(world_size)
    rank = np.arange(world_size)
    nic_of = node_of * nics + rank % gpus * nics // gpus
    switch = wires.vertices([f"NVSwitch {i}" for i in range(nodes)])
    nic = wires.vertices([f"NIC {i}.{j}" for i in range(nodes) for j in range(nics)])
    (core,) = wires.vertices(["network"])
    up, down = wires.cable(rank, switch[node_of], inside[0] / 2, inside[1], kinds[0])
    out, back = wires.cable(rank, nic[nic_of], 0.0, between[1], kinds[1])
    leave, arrive = wires.cable(nic, core, between[0] / 2, between[1], kinds[2])

    def rule(at, dst):
        here, on_nic = at % world_size, np.clip(at - nic[0], 0, len(nic) - 1)
        step = np.where(node_of[here] == node_of[dst], up[here], out[here])
        step = np.where(at >= switch[0], down[dst], step)
        step = np.where(at >= nic[0], np.where(on_nic == nic_of[dst], back[dst], leave[on_nic]), step)
        return np.where(at == core, arrive[nic_of[dst]], step)

    about = {"reduces": (*map(int, switch), int(core)) if reduces else (), **about}
    name = f"{_several(nodes, 'node')} of {_several(gpus, 'GPU')} and {_several(nics, 'NIC')}"
    return wires.topology(name, node_of=node_of, rule=rule, **about)


def rail_optimised(
    world_size: int, gpus: int = 8, nodes_per_rail: int = 32, spines: int = 8, inside=NVLINK, between=NETWORK, **about
) -> Topology:
    """GPU i of every node hangs on rail switch i; rails of different groups of nodes meet at the spines.

    To reach another rail, a message first moves inside its node to the GPU on that rail (NCCL calls it PXN).
    """
    node_of = groups_of(world_size, gpus, "GPUs in a node")
    if world_size % gpus:
        raise BadTopology(f"{world_size} ranks do not fill nodes of {gpus} GPUs")
    rank, nodes = np.arange(world_size), int(node_of[-1]) + 1
    whole("spines", spines)
    rail_of = node_of // whole("nodes on a rail switch", nodes_per_rail) * gpus + rank % gpus
    wires = Wires(world_size)
    switch = wires.vertices([f"NVSwitch {i}" for i in range(nodes)])
    rail = wires.vertices([f"rail {i % gpus}.{i // gpus}" for i in range(rail_of[-1] + 1)])
    spine = wires.vertices([f"spine {i}" for i in range(spines)]) if len(rail) > gpus else np.zeros(0, int)
    hop = between[0] / 4, between[1], "InfiniBand"
    up, down = wires.cable(rank, switch[node_of], inside[0] / 2, inside[1], "NVLink")
    out, back = wires.cable(rank, rail[rail_of], *hop)
    rise, fall = (
        s.reshape(len(rail), -1) for s in wires.cable(np.repeat(rail, len(spine)), np.tile(spine, len(rail)), *hop)
    )

    def rule(at, dst):
        here = at % world_size
        by_rail = (here % gpus == dst % gpus) & (node_of[here] != node_of[dst])
        step = np.where(by_rail, out[here], up[here])
        node = np.clip(at - switch[0], 0, nodes - 1)
        inner = np.where(node == node_of[dst], down[dst], down[node * gpus + dst % gpus])
        step = np.where(at >= switch[0], inner, step)
        on_rail = np.clip(at - rail[0], 0, len(rail) - 1)
        onward = rise[on_rail, dst % spines] if len(spine) else back[dst]
        step = np.where(at >= rail[0], np.where(on_rail == rail_of[dst], back[dst], onward), step)
        at_spine = at >= (spine[0] if len(spine) else len(wires.names))
        return np.where(at_spine, fall[rail_of[dst], (at - rail[-1] - 1) % spines] if len(spine) else step, step)

    about = {"forwards": np.ones(len(wires.names), bool), **about}
    name = f"{_several(nodes, 'node')} of {_several(gpus, 'GPU')} on rails"
    return wires.topology(name, node_of=node_of, rule=rule, **about)


def datacentres(
    world_size: int, sites: int = 2, inside=(5e-6, 50e9), between=(10e-3, 12.5e9), kind="WAN", **about
) -> Topology:
    """Ranks spread evenly over `sites`, one WAN link between every two of them, shared by all that cross."""
    refuse_size(world_size)
    if whole("sites", sites) > world_size:
        raise BadTopology(f"{sites} sites for {world_size} ranks: there must be a rank in each")
    site_of = np.arange(world_size) * sites // world_size
    wires = Wires(world_size)
    gate = wires.vertices([f"site {i}" for i in range(sites)])
    up, down = wires.cable(np.arange(world_size), gate[site_of], inside[0] / 2, inside[1], "Ethernet")
    here, there = every_pair(sites)
    across = np.full((sites, sites), -1)
    across[here, there] = wires.one_way(gate[here], gate[there], between[0], between[1], kind)

    def rule(at, dst):
        site = np.clip(at - world_size, 0, sites - 1)
        onward = np.where(site == site_of[dst], down[dst], across[site, site_of[dst]])
        return np.where(at < world_size, up[at % world_size], onward)

    name = f"{_several(sites, 'site')} of {_several(-(-world_size // sites), 'rank')}"
    return wires.topology(name, node_of=site_of, rule=rule, **about)


def _several(count: int, thing: str) -> str:
    return f"{count} {thing}" + "s" * (count != 1)
