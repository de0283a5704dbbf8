"""Switches that add: where a schedule's switches sit, when they forward, how segments stream."""

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.network import MODELS, SENDS, meet, simulate
from core.schedule import REDUCE
from core.shapes import make
from core.topologies import crossbar, fat_tree, nvswitch_node

SHARP = ALGORITHMS["sharp"]
US = 1e-6


def test_a_tree_of_switches_sits_on_the_leaves_and_a_spine():
    topology = fat_tree(64, 32, 1, reduces=True)  # 16 hosts a leaf
    network = meet(topology, SHARP(64, radix=16))
    names = [network.name(v) for v in range(64, 69)]
    assert names[:4] == ["leaf 0", "leaf 1", "leaf 2", "leaf 3"]
    assert names[4].startswith("spine")
    assert "sit on leaf 0" in network.about["switches"]
    paths = network.paths(np.array([0, 20, 64, 65]), np.array([64, 65, 68, 68]))
    assert ((paths >= 0).sum(axis=1) == 1).all()  # every hop of the schedule is one cable


def test_without_a_switch_that_adds_ideal_ones_take_over_and_are_named():
    network = meet(crossbar(8), SHARP(8, radix=4))
    assert "no switch of this network can add" in network.about["switches"]
    assert network.name(8) == "ideal switch 8"
    trace = simulate(SHARP(8, radix=4), 1e6, crossbar(8, 4 * US, 10e9))
    assert trace.about["switches"] == network.about["switches"]
    assert trace.seconds == pytest.approx(4 * (2 * US + 100 * US))  # 2 us: half of the way across the crossbar


def test_switches_on_one_switch_talk_for_free():
    """Three switches of the schedule on the one NVSwitch: two hops of the four cost nothing."""
    topology = nvswitch_node(8, 4 * US, 10e9)
    for model in MODELS:
        for send in SENDS:
            trace = simulate(SHARP(8, radix=4), 1e6, topology, model=model, send=send)
            assert trace.seconds == pytest.approx(2 * (2 * US + 100 * US)), (model, send)


@pytest.mark.parametrize("send", SENDS)
@pytest.mark.parametrize("model", ["ports", "links", "flow"])
def test_a_switch_forwards_a_segment_when_all_children_have_delivered_it(model, send):
    schedule = SHARP(16, radix=4, num_segments=8)
    trace = simulate(schedule, 1e6, fat_tree(16, 8, 1, reduces=True), model=model, send=send, late={6: 300 * US})
    up = schedule.op == REDUCE
    for switch in range(16, 20):
        for segment in range(8):
            into = up & (schedule.dst == switch) & (schedule.chunk == segment)
            out = up & (schedule.src == switch) & (schedule.chunk == segment)
            assert trace.start[out].min() >= trace.end[into].max() - 1e-12
    assert trace.seconds > 300 * US


def test_segments_stream():
    """T = (2h - 1)(alpha + segment) + S beta + alpha: the more segments, the nearer to one buffer's time."""
    network, alpha, nbytes, beta = crossbar(16, 4 * US, 10e9), 2 * US, 8e6, 1 / 10e9
    for segments in (1, 4, 16, 64):
        schedule = SHARP(16, radix=4, num_segments=segments)
        expected = 4 * alpha + (3 / segments + 1) * nbytes * beta
        assert simulate(schedule, nbytes, network).seconds == pytest.approx(expected, rel=1e-9)


def test_switches_add_for_free():
    one = crossbar(8, 4 * US, 10e9, reduces=True)
    slow = crossbar(8, 4 * US, 10e9, reduces=True, gamma=1e-9)
    for send in SENDS:
        assert (
            simulate(SHARP(8, radix=8), 1e6, one, send=send).seconds
            == simulate(SHARP(8, radix=8), 1e6, slow, send=send).seconds
        )


def test_nvlink_sharp_moves_a_little_more_than_one_buffer_each_way():
    """NVLS: n(1 + 1/p) each way a GPU, against 2(p-1)/p n of a ring: 1.125 to 1.75 with eight, and some start-up."""
    network = make("DGX H100", 8)
    nvls = simulate(ALGORITHMS["nvls"](8, num_segments=128), 1e9, network, model="ports").seconds
    ring = simulate(ALGORITHMS["ring"](8), 1e9, network).seconds
    assert nvls / ring == pytest.approx(1.125 / 1.75, rel=0.07)
