"""Trees of switches with several roots: fat trees of two and three levels.

`radix` is the number of ports of a switch, `oversubscription` how many times more bandwidth its lower ports have
than its upper ones. The up-port is the destination modulo the number of up-ports: deterministic, so that two
messages may well meet on one cable while another is idle.
"""

from __future__ import annotations

import numpy as np

from core.topologies.wires import Wires, groups_of, whole
from core.topology import BadTopology, Topology


def fat_tree(
    world_size: int,
    radix: int = 24,
    oversubscription: int = 2,
    latency=5e-6,
    bandwidth=12.5e9,
    *,
    kind="link",
    reduces=False,
    **about,
) -> Topology:
    """Two levels: ranks under leaves, every leaf wired to every spine. `latency` is across the spine, four cables."""
    hosts, spines = _ports(radix, oversubscription)
    leaf_of = groups_of(world_size, hosts, "ports")
    wires = Wires(world_size)
    leaf = wires.vertices([f"leaf {i}" for i in range(leaf_of[-1] + 1)])
    spine = wires.vertices([f"spine {i}" for i in range(spines)]) if len(leaf) > 1 else np.zeros(0, int)
    rank = np.arange(world_size)
    up, down = wires.cable(rank, leaf[leaf_of], latency / 4, bandwidth, kind)
    rise, fall = (
        side.reshape(len(leaf), -1)
        for side in wires.cable(np.repeat(leaf, len(spine)), np.tile(spine, len(leaf)), latency / 4, bandwidth, kind)
    )  # [leaf, spine]

    def rule(at, dst):
        step, target = up[at % world_size], leaf_of[dst]
        in_leaf = (at >= leaf[0]) & (at <= leaf[-1])
        here = np.where(in_leaf, at - leaf[0], 0)
        if len(spine):
            step = np.where(in_leaf, rise[here, dst % spines], step)
            step = np.where(at >= spine[0], fall[target, (at - spine[0]) % spines], step)
        return np.where(in_leaf & (here == target), down[dst], step)

    about = {"node_of": leaf_of, "reduces": tuple(map(int, [*leaf, *spine])) if reduces else (), **about}
    return wires.topology(f"fat tree of {world_size}, {oversubscription}:1", rule=rule, **about)


def fat_tree3(
    world_size: int, radix: int = 8, oversubscription: int = 1, latency=6e-6, bandwidth=12.5e9, *, kind="link", **about
) -> Topology:
    """Three levels: pods of leaves and middle switches, and cores above. `latency` is across a core, six cables."""
    hosts, ups = _ports(radix, oversubscription)
    leaf_of = groups_of(world_size, hosts, "ports")
    pod_of = leaf_of // hosts  # a middle switch has as many lower ports as a leaf has hosts
    leaves, pods = leaf_of[-1] + 1, pod_of[-1] + 1
    if pods > radix:
        raise BadTopology(f"{world_size} ranks need {pods} pods, but a core has only {radix} ports: raise the radix")
    wires = Wires(world_size)
    leaf = wires.vertices([f"leaf {i}" for i in range(leaves)])
    middle = wires.vertices([f"middle {pod}.{i}" for pod in range(pods) for i in range(ups)]).reshape(pods, ups)
    core = wires.vertices([f"core {i}" for i in range(ups * ups)]).reshape(ups, ups)  # [middle switch, its up-port]
    number = latency / 6, bandwidth, kind
    up, down = wires.cable(np.arange(world_size), leaf[leaf_of], *number)
    pod_of_leaf = np.arange(leaves) // hosts
    rise, fall = (
        s.reshape(leaves, ups) for s in wires.cable(np.repeat(leaf, ups), middle[pod_of_leaf].ravel(), *number)
    )
    climb, drop = (
        s.reshape(pods, ups, ups)
        for s in wires.cable(np.repeat(middle.ravel(), ups), np.tile(core.ravel(), pods), *number)
    )

    def rule(at, dst):
        lower, upper = dst % ups, dst // ups % ups  # the two digits of the destination choose both up-ports
        here = np.clip(at - leaf[0], 0, leaves - 1)
        step = np.where(at < world_size, up[at % world_size], rise[here, lower])
        step = np.where((at >= leaf[0]) & (at <= leaf[-1]) & (here == leaf_of[dst]), down[dst], step)
        pod, which = np.divmod(np.clip(at - middle[0, 0], 0, pods * ups - 1), ups)
        fork = np.where(pod == pod_of[dst], fall[leaf_of[dst], which], climb[pod, which, upper])
        step = np.where((at >= middle[0, 0]) & (at < core[0, 0]), fork, step)
        which, port = np.divmod(np.clip(at - core[0, 0], 0, ups * ups - 1), ups)
        return np.where(at >= core[0, 0], drop[pod_of[dst], which, port], step)

    return wires.topology(f"fat tree of {world_size}, three levels", node_of=leaf_of, rule=rule, **about)


def _ports(radix: int, oversubscription: int) -> tuple[int, int]:
    """How many ports of a switch go down and how many up."""
    whole("oversubscription", oversubscription)
    up, rest = divmod(whole("radix", radix, 2), oversubscription + 1)
    if rest or not up:
        fits = (up + bool(rest or not up)) * (oversubscription + 1)
        raise BadTopology(f"{radix} ports cannot be split {oversubscription}:1: choose a radix such as {fits}")
    return radix - up, up
