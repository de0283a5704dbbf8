"""The networks that a page offers, and the numbers of each that a reader may change.

A knob holds its number in the unit that is shown, and `scale` turns it into seconds or bytes per second.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

from core.topologies import (
    PRESETS,
    crossbar,
    datacentres,
    dgx1,
    dragonfly,
    fat_tree,
    fat_tree3,
    full_mesh,
    nvswitch_node,
    pcie_box,
    rail_optimised,
    ring,
    star,
    torus_of,
    two_tier,
)
from core.topologies.wires import refuse_size
from core.topology import BadTopology, Topology


@dataclass(frozen=True)
class Knob:
    """One number (or yes and no) of a network."""

    name: str
    label: str
    default: float | bool
    low: float = 0.0
    high: float = 1e9
    scale: float | None = None  # None: a whole number, or yes and no
    help: str = ""

    def value(self, shown: float):
        return shown if self.scale is None else float(shown) * self.scale


@dataclass(frozen=True)
class Shape:
    """How to make a network of some kind; `build` takes world_size and each knob by its name, in SI units."""

    build: Callable[..., Topology]
    knobs: tuple[Knob, ...]


def _us(name: str, default: float, of: str, help: str = "") -> Knob:
    return Knob(name, f"{of} (us)", default, 0.0, 1e7, 1e-6, help)


def _rate(name: str, default: float, of: str, help: str = "") -> Knob:
    return Knob(name, f"{of} (GB/s)", default, 1e-3, 1e5, 1e9, help or "One direction, 10^9 bytes a second.")


def _whole(name: str, default: int, label: str, low: int = 1, high: int = 1024, help: str = "") -> Knob:
    return Knob(name, label, default, low, high, None, help)


LATENCY, BANDWIDTH = "Latency", "Bandwidth"
SHARP = Knob("reduces", "Switches can add", False, help="As SHARP and NVLink SHARP do: for algorithms that use it.")
HOP = _us("latency", 1.0, "Latency of a hop"), _rate("bandwidth", 50.0, "Bandwidth of a link")
UP_AND_DOWN = "From rank to rank, all the way up and down."
NEEDED = "0: as many as are needed."


def _over(default: int) -> Knob:
    text = "Bandwidth down to the ranks over bandwidth up."
    return _whole("oversubscription", default, "Oversubscription", 1, 16, text)


INSIDE = _us("near_latency", 1.0, "Latency inside"), _rate("near", 400.0, "Bandwidth inside")
BETWEEN = _us("far_latency", 10.0, "Latency between nodes"), _rate("far", 50.0, "Bandwidth of a NIC")


def _nodes(world_size: int, gpus: int, nics: int, reduces: bool, **links) -> Topology:
    return two_tier(world_size, gpus, nics, *_near_and_far(**links), reduces=reduces)


def _rails(world_size: int, gpus: int, nodes_per_rail: int, spines: int, **links) -> Topology:
    whole_nodes = -(-world_size // max(gpus, 1)) * gpus
    return rail_optimised(whole_nodes, gpus, nodes_per_rail, spines, *_near_and_far(**links))


def _sites(world_size: int, sites: int, **links) -> Topology:
    return datacentres(world_size, min(sites, world_size), *_near_and_far(**links))


def _near_and_far(near_latency: float, near: float, far_latency: float, far: float) -> tuple[tuple, tuple]:
    return (near_latency, near), (far_latency, far)


def _three_levels(world_size: int, radix: int, oversubscription: int, **rest) -> Topology:
    return fat_tree3(world_size, radix or _radix_for(world_size, oversubscription), oversubscription, **rest)


def _radix_for(world_size: int, over: int) -> int:
    """The smallest number of ports with which three levels hold world_size ranks: `over` down for each one up."""
    return next((over + 1) * up for up in count(2) if (over * up) ** 2 * (over + 1) * up >= world_size)


def _star(world_size: int, backplane: float, **rest) -> Topology:
    return star(world_size, backplane=backplane or None, **rest)


SHAPES: dict[str, Shape] = {
    "Crossbar": Shape(crossbar, (_us("latency", 5.0, LATENCY), _rate("bandwidth", 12.5, BANDWIDTH), SHARP)),
    "Star with a weak switch": Shape(
        _star,
        (
            _us("latency", 5.0, LATENCY),
            _rate("bandwidth", 12.5, BANDWIDTH),
            Knob("backplane", "Inside the switch (GB/s)", 0.0, 0.0, 1e6, 1e9, "0: half of what its ports could carry."),
        ),
    ),
    "Ring": Shape(ring, HOP),
    "2D torus": Shape(lambda world_size, **links: torus_of(world_size, 2, **links), HOP),
    "3D torus": Shape(lambda world_size, **links: torus_of(world_size, 3, **links), HOP),
    "Full mesh": Shape(full_mesh, (_us("latency", 2.0, LATENCY), _rate("bandwidth", 64.0, "Bandwidth of a link"))),
    "Fat tree, two levels": Shape(
        fat_tree,
        (
            _whole("radix", 24, "Ports of a switch", 2),
            _over(2),
            _us("latency", 5.0, LATENCY, UP_AND_DOWN),
            _rate("bandwidth", 12.5, BANDWIDTH),
            SHARP,
        ),
    ),
    "Fat tree, three levels": Shape(
        _three_levels,
        (
            _whole("radix", 0, "Ports of a switch", 0, help=NEEDED),
            _over(1),
            _us("latency", 6.0, LATENCY, UP_AND_DOWN),
            _rate("bandwidth", 12.5, BANDWIDTH),
        ),
    ),
    "Fat tree on rails": Shape(
        _rails,
        (
            _whole("gpus", 8, "GPUs in a node"),
            _whole("nodes_per_rail", 32, "Nodes on a rail switch"),
            _whole("spines", 8, "Spines"),
            *INSIDE,
            *BETWEEN,
        ),
    ),
    "Dragonfly": Shape(
        dragonfly,
        (
            _whole("hosts", 2, "Ranks on a router"),
            _whole("routers", 4, "Routers in a group"),
            _us("latency", 2.0, "Latency in a group"),
            _rate("bandwidth", 12.5, "Bandwidth in a group"),
            _us("far_latency", 4.0, "Latency between groups"),
            _rate("far_bandwidth", 12.5, "Bandwidth between groups"),
        ),
    ),
    "Nodes of GPUs with NICs": Shape(
        _nodes, (_whole("gpus", 8, "GPUs in a node"), _whole("nics", 8, "NICs in a node"), *INSIDE, *BETWEEN, SHARP)
    ),
    "NVSwitch node": Shape(
        nvswitch_node,
        (_us("latency", 1.0, LATENCY), _rate("bandwidth", 450.0, BANDWIDTH), Knob("reduces", SHARP.label, True)),
    ),
    "DGX-1 cube mesh": Shape(
        dgx1, (_us("latency", 1.0, LATENCY), _rate("nvlink", 25.0, "One NVLink"), _rate("pcie", 12.0, "PCIe"))
    ),
    "PCIe box, two halves": Shape(
        pcie_box,
        (_us("latency", 2.5, LATENCY), _rate("pcie", 25.0, "PCIe"), _rate("between_cpus", 20.0, "Between the CPUs")),
    ),
    "Several datacentres": Shape(
        _sites,
        (
            _whole("sites", 2, "Sites"),
            _us("near_latency", 5.0, "Latency inside"),
            _rate("near", 50.0, "Bandwidth inside"),
            _us("far_latency", 10_000.0, "Latency between sites"),
            _rate("far", 12.5, "Bandwidth between sites"),
        ),
    ),
}


def knobs(name: str) -> tuple[Knob, ...]:
    """What can be changed on the network of this name; nothing on a real machine."""
    return SHAPES[name].knobs if name in SHAPES else ()


@lru_cache(maxsize=64)
def make(name: str, world_size: int, shown: tuple[tuple[str, float], ...] = ()) -> Topology:
    """The network with room for at least world_size ranks; `shown` are (knob, value as shown) that differ from the
    defaults. Raises BadTopology with a sentence."""
    refuse_size(world_size)
    if name in PRESETS:
        return PRESETS[name](world_size)
    if name not in SHAPES:
        raise BadTopology(f"there is no network {name!r}: choose one of {', '.join([*SHAPES, *PRESETS])}")
    asked, shape = dict(shown), SHAPES[name]
    values = {knob.name: knob.value(asked.get(knob.name, knob.default)) for knob in shape.knobs}
    return shape.build(world_size, **values)
