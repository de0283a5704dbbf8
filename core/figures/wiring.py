"""The network under a schedule, as the player and the map draw it: classes of links, nodes in pods, who uses what.

A class is a kind of link at one height with one bandwidth ("InfiniBand, leaf to spine, 50 GB/s"); the fastest is class
0 and drawn widest. The class of a pair of ranks is that of the slowest link on the way between them, or of the highest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from core.container import narrow
from core.network import Network
from core.schedule import Schedule
from core.topologies.nests import around, levels, nests
from core.topology import Topology
from core.units import show_rate, show_seconds

MOST_CLASSES = 4  # as many widths and dashes as an eye can tell apart
MOST_PAIRS = 2500  # more lines than this are only a grey mass, and nobody draws them
WORDS = {"leaf": "rack", "site": "site", "CPU": "CPU", "router": "group"}  # what hangs on such a switch is called so
NODE, POD = "node", "pod"
IDEAL = "to a switch that this network does not have, as fast as the rank's port"


@dataclass(frozen=True, eq=False)
class Wiring:
    """What the player is told about a network. A pair is (sender, receiver) of a schedule; links are numbered anew."""

    network: str
    classes: tuple[str, ...]  # in words, the fastest first; whether this schedule uses them or not
    pair: np.ndarray  # int64 [num_pairs], src * num_vertices + dst, rising
    class_of: np.ndarray  # int64 [num_pairs]
    ways: np.ndarray  # int64 [num_pairs, longest], the links of each way, from 1; 0 fills up
    capacity: np.ndarray  # float64 [num_links], bytes per second that are left of it; 0: cut
    group: np.ndarray | None  # int64 [world_size], the node of each rank
    pod: np.ndarray | None  # int64 [world_size], what several nodes stand in together
    words: tuple[str, str]  # what such a group is called, and such a pod

    def header(self) -> dict:
        """What the player's header says of it."""
        links = {"network": self.network, "classes": self.classes, "longest": self.ways.shape[1]}
        words = {} if self.group is None else {"group_name": self.words[0], "pod_name": self.words[1]}
        return {"links": links, **words}

    def arrays(self) -> dict[str, np.ndarray]:
        """What the player's arrays say of it, as narrow as they can be."""
        ways = {"pair": self.pair, "pair_class": self.class_of, "ways": self.ways.ravel()}
        boxes = {"group": self.group, "pod": self.pod}
        found = {name: narrow(array) for name, array in (ways | boxes).items() if array is not None}
        return {**found, "capacity": self.capacity.astype(np.float32)}


def wiring(schedule: Schedule, network: Network) -> Wiring:
    """The part of the network that the schedule uses; without pairs when there are more than anybody draws."""
    vertices = schedule.num_vertices
    pair = np.unique(schedule.src.astype(np.int64) * vertices + schedule.dst)
    paths = np.zeros((0, 1), np.int64)
    if len(pair) > MOST_PAIRS:
        pair = pair[:0]
    elif len(pair):
        paths = network.paths(*np.divmod(pair, vertices))
    used = np.unique(paths[paths >= 0])
    class_of, words = classes(network.topology)
    way = np.append(class_of, np.full(network.num_links - len(class_of), len(words)))
    slowest = np.where(paths >= 0, way[paths], -1).max(axis=1, initial=0)
    numbers = np.searchsorted(used, paths) + 1
    return Wiring(
        network.topology.name,
        (*words, IDEAL),
        pair,
        slowest,
        np.where(paths >= 0, numbers, 0),
        network.bandwidth[used],
        *_boxes(network),
    )


def classes(topology: Topology) -> tuple[np.ndarray, tuple[str, ...]]:
    """(the class of each link, int64 [num_links]; what each class is), the fastest first, and the lowest of equals.

    Links of one kind and bandwidth between the same kinds of vertices are a class; where that makes too many, the
    last ones share a class.
    """
    near, far, height = _ends(topology)
    kind = _numbered(topology.kind)
    key = np.stack([-topology.bandwidth, height, kind, near, far], axis=1)
    found, first, of = np.unique(key, axis=0, return_index=True, return_inverse=True)
    of = np.minimum(of.ravel(), MOST_CLASSES - 1)
    words = []
    for nth, link in enumerate(first[:MOST_CLASSES].tolist()):
        mine = of == nth
        ends = " to ".join(called(topology, v) for v in sorted((topology.src[link], topology.dst[link])))
        text = f"{topology.kind[link]}, {ends}, {show_rate(float(topology.bandwidth[link]))}"
        if len(found) > MOST_CLASSES and nth == MOST_CLASSES - 1:
            text = f"other links, {show_rate(float(topology.bandwidth[mine].max()))} or less"
        words.append(f"{text}, {_span(topology.latency[mine])}")
    return of, tuple(words)


def called(topology: Topology, vertex: int) -> str:
    """What kind of thing a vertex is: rank, leaf, NVSwitch ... (its name without numbers)."""
    return "rank" if vertex < topology.world_size else re.sub(r"[\d.]+", "", topology.names[vertex]).strip()


def _ends(topology: Topology) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What kinds of vertices each link joins, as two numbers whatever its direction, and how high it climbs."""
    thing = _numbered([called(topology, v) for v in range(topology.num_vertices)])
    level, ends = levels(topology), np.stack([topology.src, topology.dst])
    low, high = np.sort(thing[ends], axis=0) if topology.num_links else thing[ends]
    return low, high, level[ends].max(axis=0, initial=0)


def _numbered(names) -> np.ndarray:
    """Equal names, equal numbers, in the order in which they come; int64 [len(names)]."""
    number = {name: nth for nth, name in enumerate(dict.fromkeys(names))}
    return np.array([number[name] for name in names], np.int64)


def _span(latency: np.ndarray) -> str:
    """The latency of the links of a class: one number, or from where to where."""
    low, high = float(latency.min()), float(latency.max())
    return show_seconds(high) if high - low <= 1e-3 * high else f"{show_seconds(low)} to {show_seconds(high)}"


def _boxes(network: Network) -> tuple[np.ndarray | None, np.ndarray | None, tuple[str, str]]:
    """The node and the pod of every rank, where there are several of each, and what they are called."""
    topology, seats = network.topology, network.seats.at[: network.world_size]
    node, outer = topology.node_of, around(topology.node_of, nests(topology))
    words = called_node(topology), POD
    inner = node[seats] if 1 < len(np.unique(node[seats])) < len(seats) else None
    if inner is None or outer is None or len(np.unique(outer[seats])) < 2:
        return inner, None, words
    return inner, outer[seats], words


def called_node(topology: Topology) -> str:
    """What the node of rank 0 is called, by the lowest switch it hangs on."""
    near = topology.dst[(topology.src == 0) & (topology.dst >= topology.world_size)]
    return next((WORDS.get(called(topology, v), NODE) for v in near[:1]), NODE)
