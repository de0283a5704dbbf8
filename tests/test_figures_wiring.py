"""What the player is told about a network: classes of links, nodes and pods, which links each pair uses."""

import itertools

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.container import unpack
from core.explain import link_loads
from core.figures.player import pack_trace
from core.figures.wiring import MOST_CLASSES, MOST_PAIRS, classes, wiring
from core.network import meet, simulate
from core.shapes import SHAPES, make
from core.topologies import PRESETS, dragonfly, fat_tree3, rail_optimised, ring, two_tier
from core.topologies.nests import around, nests
from core.topology import BadTopology

NETWORKS = [*SHAPES, *PRESETS]


def network_of(name, world_size):
    try:
        return make(name, world_size)
    except BadTopology:
        return make(name, 8)


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("world_size", [8, 16, 64])
def test_boxes_are_nested_and_the_ways_are_those_of_the_engine(name, world_size):
    topology = network_of(name, world_size)
    partitions = nests(topology)
    for fine, coarse in itertools.pairwise(partitions):
        inside = np.unique(np.stack([fine, coarse]), axis=1).shape[1]
        assert 1 < len(np.unique(coarse)) < len(np.unique(fine)) == inside, "each fine group is in one coarse group"
    schedule = ALGORITHMS["halving_doubling"](topology.world_size)
    network = meet(topology, schedule, placement="shuffled")
    found = wiring(schedule, network)
    assert found.class_of.max() < len(found.classes) <= MOST_CLASSES + 1
    paths = network.paths(*np.divmod(found.pair, schedule.num_vertices))
    used = np.unique(paths[paths >= 0])
    assert (np.where(found.ways > 0, used[found.ways - 1], -1) == paths).all()
    assert (found.capacity == network.bandwidth[used]).all()


@pytest.mark.parametrize("name", NETWORKS)
def test_the_bytes_that_pairs_put_on_links_are_those_that_the_engine_counts(name):
    topology = network_of(name, 16)
    schedule = ALGORITHMS["ring"](topology.world_size)
    found = wiring(schedule, meet(topology, schedule))
    pair = schedule.src.astype(np.int64) * schedule.num_vertices + schedule.dst
    ways = found.ways[np.searchsorted(found.pair, pair)]
    chunk = (1 << 20) / schedule.num_chunks
    carried = np.bincount(ways.ravel(), np.repeat(schedule.count * chunk, ways.shape[1]), len(found.capacity) + 1)[1:]
    engine = link_loads(schedule, 1 << 20, topology).nbytes
    assert carried == pytest.approx(engine[engine > 0])


def test_pods_are_found_below_the_cores_and_groups_before_the_long_cables():
    tree = fat_tree3(16, radix=4)
    assert around(tree.node_of, nests(tree)).tolist() == [0] * 4 + [1] * 4 + [2] * 4 + [3] * 4
    rails = rail_optimised(32, gpus=4, nodes_per_rail=2, spines=2)
    assert around(rails.node_of, nests(rails)).tolist() == [r // 8 for r in range(32)]
    assert nests(dragonfly(16, hosts=2, routers=4))[-1].tolist() == [0] * 8 + [1] * 8
    assert around(two_tier(16).node_of, nests(two_tier(16))) is None
    assert nests(ring(8)) == []


def test_classes_are_told_apart_by_kind_speed_and_height():
    _, words = classes(make("DGX H100 cluster, 400 Gb InfiniBand", 16))
    assert words[0] == "NVLink, rank to NVSwitch, 450 GB/s, 950 ns"
    assert "InfiniBand, NIC to network, 50 GB/s, 2 us" in words
    of, words = classes(make("400 Gb InfiniBand cluster", 64))
    assert [text.split(",")[1].strip() for text in words] == ["rank to leaf", "leaf to spine"]
    assert len(np.unique(of)) == 2
    _, words = classes(make("DGX-1 V100", 8))
    assert words[-1].startswith("other links"), "more than an eye can tell apart"


def test_a_pair_is_as_slow_as_the_slowest_link_on_its_way():
    schedule = ALGORITHMS["ring"](16)
    found = wiring(schedule, meet(make("DGX H100 cluster, 400 Gb InfiniBand", 16), schedule))
    src, dst = np.divmod(found.pair, 16)
    far = src // 8 != dst // 8
    assert {found.classes[i].split(",")[0] for i in found.class_of[far]} == {"InfiniBand"}
    assert {found.classes[i].split(",")[0] for i in found.class_of[~far]} == {"NVLink"}
    assert found.words == ("node", "pod")
    assert found.group.tolist() == [0] * 8 + [1] * 8
    assert found.pod is None


def test_two_schedules_on_one_network_share_the_classes():
    topology = make("Fat tree, three levels", 8)
    one, two = (wiring(s, meet(topology, s)) for s in (ALGORITHMS["ring"](8), ALGORITHMS["recursive_doubling"](8)))
    assert one.classes == two.classes, "so the same stroke means the same in both pictures"


def test_links_that_are_slowed_or_cut_have_what_is_left_of_them():
    schedule, topology = ALGORITHMS["ring"](4), make("Ring", 4)
    found = wiring(schedule, meet(topology, schedule, degraded={0: 0.25, 2: 0.0}))
    assert sorted(found.capacity / topology.bandwidth[0]) == [0.0, 0.25, 1.0, 1.0]


def test_a_switch_that_the_network_lacks_is_told():
    schedule = ALGORITHMS["sharp"](8)
    found = wiring(schedule, meet(make("Ring", 8), schedule))
    told = {found.classes[i] for i in found.class_of}
    assert told == {"to a switch that this network does not have, as fast as the rank's port"}


def test_more_pairs_than_anybody_draws_are_left_out():
    schedule = ALGORITHMS["direct"](64)
    found = wiring(schedule, meet(make("Fat tree, three levels", 64), schedule))
    assert len(np.unique(schedule.src * 64 + schedule.dst)) > MOST_PAIRS
    assert len(found.pair) == len(found.class_of) == len(found.capacity) == 0
    assert found.pod is not None, "the boxes stay"


def test_the_player_gets_it_only_with_a_network():
    schedule, topology = ALGORITHMS["ring"](16), make("Fat tree, three levels", 16)
    trace = simulate(schedule, 1 << 20, topology, model="links")
    header, arrays = unpack(pack_trace(trace))
    assert "links" not in header
    assert not {"pair", "ways", "capacity", "pod"} & set(arrays)
    found = wiring(schedule, meet(topology, schedule))
    header, arrays = unpack(pack_trace(trace, wiring=found))
    assert header["links"]["classes"] == list(found.classes)
    assert (header["group_name"], header["pod_name"]) == ("rack", "pod")
    assert arrays["ways"].reshape(-1, header["links"]["longest"]).tolist() == found.ways.tolist()
    assert arrays["pod"].tolist() == found.pod.tolist()
