"""Dragonfly: groups of routers, all wired within a group, and one cable or more between every two groups."""

from __future__ import annotations

import numpy as np

from core.topologies.wires import Wires, every_pair, groups_of, whole
from core.topology import Topology


def dragonfly(
    world_size: int,
    hosts: int = 2,
    routers: int = 4,
    latency=2e-6,
    bandwidth=12.5e9,
    far_latency=4e-6,
    far_bandwidth=12.5e9,
    **about,
) -> Topology:
    """`hosts` ranks a router, `routers` routers a group, as many groups as needed.

    Routes are minimal: to the router with the cable to the right group, across, to the right router.
    `latency` is for rank to rank under one router; a cable between groups takes `far_latency`.
    """
    router_of = groups_of(world_size, hosts, "ranks on a router")
    group_of = router_of // whole("routers in a group", routers)
    groups = int(group_of[-1]) + 1
    cables = -(-(groups - 1) // routers)  # cables between groups at each router
    wires = Wires(world_size)
    names = [f"router {g}.{i}" for g in range(groups) for i in range(routers)]
    router = wires.vertices(names).reshape(groups, routers)
    up, down = wires.cable(np.arange(world_size), router.ravel()[router_of], latency / 2, bandwidth, "link")
    near, (a, b) = np.full((groups, routers, routers), -1), every_pair(routers)
    near[:, a, b] = wires.one_way(router[:, a], router[:, b], latency / 2, bandwidth, "link").reshape(groups, -1)
    here, there = every_pair(groups)
    gateway = np.zeros((groups, groups), int)  # which router of `here` has the cable to `there`
    gateway[here, there] = (there - here - 1) % groups // max(cables, 1)
    across = np.full((groups, groups), -1)
    ends = router[here, gateway[here, there]], router[there, gateway[there, here]]
    across[here, there] = wires.one_way(*ends, far_latency, far_bandwidth, "optical")

    def rule(at, dst):
        group, place = np.divmod(np.clip(at - world_size, 0, groups * routers - 1), routers)
        target = np.where(group == group_of[dst], router_of[dst] % routers, gateway[group, group_of[dst]])
        last = np.where(group == group_of[dst], down[dst], across[group, group_of[dst]])
        step = np.where(place == target, last, near[group, place, target])
        return np.where(at < world_size, up[at % world_size], step)

    return wires.topology(f"dragonfly of {groups} groups", node_of=group_of, rule=rule, **about)
