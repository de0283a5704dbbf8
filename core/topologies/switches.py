"""Networks with one switch, or none that matters: crossbar, star, full mesh."""

from __future__ import annotations

import numpy as np

from core.machines import Machine
from core.topologies.wires import Wires, every_pair
from core.topology import Topology


def crossbar(
    world_size: int, latency=5e-6, bandwidth=12.5e9, *, kind="link", hub="switch", reduces=False, **about
) -> Topology:
    """One switch that never blocks; every rank has a private cable. `latency` is from rank to rank, in seconds."""
    wires = Wires(world_size)
    rank = np.arange(world_size)
    (centre,) = wires.vertices([hub])
    up, down = wires.cable(rank, centre, latency / 2, bandwidth, kind)

    def rule(at, dst):
        return np.where(at < world_size, up[at % world_size], down[dst])

    about = {"node_of": np.zeros(world_size), "reduces": (int(centre),) if reduces else (), **about}
    return wires.topology(f"crossbar of {world_size}", rule=rule, **about)


def from_machine(world_size: int, machine: Machine) -> Topology:
    """The network that the closed forms assume: a crossbar with the machine's alpha, beta, gamma and ports."""
    bandwidth = 1 / machine.beta if machine.beta > 0 else 1e30
    about = {"gamma": machine.gamma, "multiport": machine.multiport, "source": machine.source}
    return crossbar(world_size, machine.alpha, bandwidth, **about)


def star(world_size: int, latency=5e-6, bandwidth=12.5e9, backplane: float | None = None, kind="link") -> Topology:
    """One switch whose inside carries only `backplane` bytes per second; default: half of what its ports could."""
    wires = Wires(world_size)
    rank = np.arange(world_size)
    inlet, outlet = wires.vertices(["switch, inlets", "switch, outlets"])
    up = wires.one_way(rank, inlet, latency / 2, bandwidth, kind)
    down = wires.one_way(outlet, rank, latency / 2, bandwidth, kind)
    (inside,) = wires.one_way(inlet, outlet, 0.0, backplane or max(1, world_size // 2) * bandwidth, "backplane")

    def rule(at, dst):
        return np.where(at < world_size, up[at % world_size], np.where(at == inlet, inside, down[dst]))

    return wires.topology(f"star of {world_size}", node_of=np.zeros(world_size), rule=rule)


def full_mesh(world_size: int, latency=2e-6, bandwidth=64e9, kind="link", **about) -> Topology:
    """A cable between every two ranks: as many ports a rank as it has neighbours."""
    wires = Wires(world_size)
    src, dst = every_pair(world_size)
    wires.one_way(src, dst, latency, bandwidth, kind)

    def rule(at, dst):
        return at * (world_size - 1) + dst - (dst > at)

    about = {"node_of": np.zeros(world_size), **about}
    return wires.topology(f"full mesh of {world_size}", rule=rule, **about)
