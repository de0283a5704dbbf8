"""The networks a page offers: the same as the builders', refused in sentences, drawn without two things on one spot."""

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.figures.layout import grid_shape, places
from core.network import Stuck, simulate
from core.partial import arrived
from core.shapes import SHAPES, knobs, make
from core.topologies import (
    PRESETS,
    BadTopology,
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
    torus,
    torus_of,
    two_tier,
)
from core.verify import verify

BUILDERS = {  # what each name stands for, with the builder's own defaults
    "Crossbar": crossbar,
    "Star with a weak switch": star,
    "Ring": ring,
    "2D torus": lambda size: torus_of(size, 2),
    "3D torus": lambda size: torus_of(size, 3),
    "Full mesh": full_mesh,
    "Fat tree, two levels": fat_tree,
    "Fat tree, three levels": lambda size: fat_tree3(size, radix=4 if size <= 16 else 6),
    "Fat tree on rails": lambda size: rail_optimised(-(-size // 8) * 8),
    "Dragonfly": dragonfly,
    "Nodes of GPUs with NICs": two_tier,
    "NVSwitch node": nvswitch_node,
    "DGX-1 cube mesh": dgx1,
    "PCIe box, two halves": pcie_box,
    "Several datacentres": lambda size: datacentres(size, sites=min(size, 2)),
}


@pytest.mark.parametrize("world_size", [1, 8, 24])
@pytest.mark.parametrize("name", BUILDERS)
def test_without_a_change_a_shape_is_what_its_builder_makes(name, world_size):
    if name == "DGX-1 cube mesh" and world_size > 8:
        with pytest.raises(BadTopology, match="at most 8"):
            make(name, world_size)
        return
    ours, theirs = make(name, world_size), BUILDERS[name](world_size)
    assert (ours.name, ours.names, ours.kind) == (theirs.name, theirs.names, theirs.kind)
    assert ours.latency == pytest.approx(theirs.latency)
    assert ours.bandwidth == pytest.approx(theirs.bandwidth)
    assert ours.reduces == theirs.reduces


def test_every_shape_is_compared_and_every_preset_is_offered():
    assert set(BUILDERS) == set(SHAPES)
    assert all(make(name, 4).name == PRESETS[name](4).name for name in PRESETS)
    assert all(knobs(name) == () for name in PRESETS)


def test_knobs_are_in_the_units_they_say():
    ours = make("Crossbar", 4, (("latency", 3.0), ("bandwidth", 25.0), ("reduces", True)))
    theirs = crossbar(4, 3e-6, 25e9, reduces=True)
    assert ours.latency == pytest.approx(theirs.latency)
    assert ours.bandwidth == pytest.approx(theirs.bandwidth)
    assert ours.reduces == theirs.reduces
    ours = make("Nodes of GPUs with NICs", 16, (("gpus", 4), ("nics", 2), ("far_latency", 7.0), ("near", 300.0)))
    theirs = two_tier(16, 4, 2, (1e-6, 300e9), (7e-6, 50e9))
    assert ours.latency == pytest.approx(theirs.latency)
    assert ours.bandwidth == pytest.approx(theirs.bandwidth)


def test_three_levels_take_as_many_ports_as_they_need():
    for world_size, over in ((17, 1), (100, 2), (129, 3)):
        assert make("Fat tree, three levels", world_size, (("oversubscription", over),)).world_size == world_size
    assert make("Fat tree, three levels", 16, (("radix", 8),)).names == fat_tree3(16, 8).names


@pytest.mark.parametrize(
    ("name", "shown", "says"),
    [
        ("Nonsense", (), "there is no network"),
        ("Fat tree, two levels", (("radix", 5),), "choose a radix such as"),
        ("Nodes of GPUs with NICs", (("nics", 9),), "at most 8"),
        ("TPU v4 torus", (), "at most 4096"),
    ],
)
def test_what_cannot_be_is_refused(name, shown, says):
    with pytest.raises(BadTopology, match=says):
        make(name, 5000 if name.startswith("TPU") else 16, shown)


@pytest.mark.parametrize("world_size", [1, 2, 8, 48])
@pytest.mark.parametrize("name", SHAPES)
def test_no_two_things_are_drawn_on_one_spot(name, world_size):
    if name == "DGX-1 cube mesh" and world_size > 8:
        pytest.skip("a DGX-1 has 8 GPUs")
    spots = places(make(name, world_size))
    assert np.isfinite(spots).all()
    assert len(np.unique(spots.round(6), axis=0)) == len(spots)


@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (4, 4), (3, 3, 3), (2, 3, 4), (8, 4, 2)])
def test_tori_are_recognised(shape):
    found = grid_shape(torus(shape))
    assert found is not None
    assert np.prod(found) == np.prod(shape)
    assert set(torus(found).dst[torus(found).src == 0]) == set(torus(shape).dst[torus(shape).src == 0])


def test_what_is_no_torus_is_none():
    for name in ("Ring", "Full mesh"):
        assert grid_shape(make(name, 12)) is None


def test_until_it_got_stuck_only_what_arrived_is_left():
    ring, network = ALGORITHMS["ring"](6), crossbar(6)
    with pytest.raises(Stuck) as caught:
        simulate(ring, 6e6, network, late={2: float("inf")})
    trace = arrived(ring, 6_000_000, caught.value.start, caught.value.end, "simulation")
    assert 0 < trace.schedule.num_transfers == np.isfinite(caught.value.end).sum() < ring.num_transfers
    assert trace.schedule.num_steps < ring.num_steps
    assert np.diff(trace.schedule.step_ptr)[-1] > 0
    assert 2 not in trace.schedule.src
    assert not verify(trace.schedule, ALGORITHMS["ring"].collective).right
    nothing = np.full(ring.num_transfers, np.inf)
    assert arrived(ring, 1, nothing, nothing, "simulation").schedule.num_steps == 0
