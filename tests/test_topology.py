"""Networks: every route leads where it should, real machines are as their data sheets say, bad ones are refused."""

import networkx
import numpy as np
import pytest

from core.machines import Machine
from core.shapes import SHAPES, make
from core.topologies import PRESETS, BadTopology, crossbar, dgx1, fat_tree, place, ring, torus, two_tier
from core.topologies.fat_trees import fat_tree3
from core.topologies.grids import squarest
from core.topologies.switches import from_machine
from core.topology import Topology, shortest, switch_tree

SIZES = (2, 3, 5, 8, 16, 40, 64)


def all_pairs(topology):
    src, dst = np.divmod(np.arange(topology.world_size**2), topology.world_size)
    return src, dst, topology.paths(src, dst)


@pytest.mark.parametrize("name", [*SHAPES, *PRESETS])
def test_every_path_is_an_unbroken_chain_to_its_destination(name):
    for size in SIZES:
        try:
            topology = make(name, size)
        except BadTopology:
            continue
        src, dst, paths = all_pairs(topology)
        at = src.copy()
        for links in paths.T:
            moving = links >= 0
            assert (topology.src[links[moving]] == at[moving]).all()
            at[moving] = topology.dst[links[moving]]
        assert (at == dst).all()
        assert topology.world_size >= size
        assert topology.source if name in PRESETS else True


def graph(topology):
    g = networkx.MultiDiGraph()
    g.add_nodes_from(range(topology.num_vertices))
    g.add_edges_from(zip(topology.src.tolist(), topology.dst.tolist()))
    return g


@pytest.mark.parametrize("name", ["Ring", "2D torus", "3D torus", "Full mesh", "Fat tree, two levels", "Crossbar"])
@pytest.mark.parametrize("size", [5, 8, 12, 27])
def test_rules_take_no_detour(name, size):
    topology = make(name, size)
    src, dst, paths = all_pairs(topology)
    hops = dict(networkx.all_pairs_shortest_path_length(graph(topology)))
    assert (paths >= 0).sum(axis=1).tolist() == [hops[a][b] for a, b in zip(src.tolist(), dst.tolist())]


def test_three_levels_take_no_detour_either():
    topology = fat_tree3(64, radix=8)
    src, dst, paths = all_pairs(topology)
    hops = dict(networkx.all_pairs_shortest_path_length(graph(topology)))
    assert (paths >= 0).sum(axis=1).tolist() == [hops[a][b] for a, b in zip(src.tolist(), dst.tolist())]


def test_a_table_of_shortest_paths_spreads_destinations_over_equal_paths():
    topology = fat_tree(64, 24, 2)
    table = shortest(topology, np.arange(64))
    leaf = topology.world_size  # the first leaf: it has 8 ways up to hosts of other leaves
    up = table[16:, leaf]
    assert len(np.unique(up)) == 8
    assert (up[:8] == up[8:16]).all()  # the same for destinations that are the same modulo 8


def test_dimension_order_corrects_one_axis_after_the_other():
    topology = torus((4, 4))
    (path,) = topology.paths(np.array([0]), np.array([5]))
    assert [int(topology.dst[link]) for link in path] == [4, 5]  # first the first axis, then the second


def test_halfway_round_a_ring_is_a_tie_that_parity_breaks():
    topology = ring(8)
    paths = topology.paths(np.array([0, 1]), np.array([4, 5]))
    assert [int(topology.dst[path[0]]) for path in paths] == [1, 0]


def test_the_up_port_of_a_fat_tree_is_the_destination_modulo_its_spines():
    topology = fat_tree(64, 24, 2)
    dst = np.arange(16, 64)
    paths = topology.paths(np.zeros(48, int), dst)
    spine = [topology.names[topology.dst[path[1]]] for path in paths]
    assert spine == [f"spine {d % 8}" for d in dst]


def test_a_dgx1_gpu_has_six_nvlinks_and_reaches_the_others_over_pcie():
    topology = dgx1()
    nvlink = np.array(topology.kind) == "NVLink"
    for gpu in range(8):
        assert topology.bandwidth[nvlink & (topology.src == gpu)].sum() == 6 * 25e9
    (path,) = topology.paths(np.array([0]), np.array([5]))
    assert {topology.kind[link] for link in path if link >= 0} == {"PCIe", "QPI"}
    (path,) = topology.paths(np.array([0]), np.array([4]))
    assert [topology.kind[link] for link in path if link >= 0] == ["NVLink"]


def test_the_ports_of_real_machines_have_the_bandwidth_of_their_data_sheets():
    out = {"DGX H100": 450e9, "MI300X mesh": 7 * 64e9, "TPU v4 torus": 6 * 50e9, "TPU v5p torus": 6 * 100e9}
    out |= {"AWS Trainium2 torus": 4 * 160e9, "400 Gb InfiniBand cluster": 50e9, "100 Gb Ethernet cluster": 12.5e9}
    for name, bandwidth in out.items():
        topology = make(name, {"TPU v4 torus": 64, "TPU v5p torus": 64, "AWS Trainium2 torus": 16}.get(name, 8))
        assert topology.bandwidth[topology.src == 0].sum() == pytest.approx(bandwidth)


def test_tpu_links_are_called_ici():
    assert set(make("TPU v4 torus", 64).kind) == set(make("TPU v5p torus", 64).kind) == {"ICI"}


def test_two_tiers_have_the_latency_and_bandwidth_that_was_asked_for():
    topology = two_tier(16, 8, 8, (1e-6, 400e9), (10e-6, 50e9))
    for dst, latency, bandwidth in ((1, 1e-6, 400e9), (8, 10e-6, 50e9)):
        (path,) = topology.paths(np.array([0]), np.array([dst]))
        links = path[path >= 0]
        assert topology.latency[links].sum() == pytest.approx(latency)
        assert topology.bandwidth[links].min() == bandwidth


def test_fewer_nics_than_gpus_are_shared():
    topology = two_tier(16, 8, 2)
    paths = topology.paths(np.arange(8), np.arange(8) + 8)
    assert len(set(paths[:, 1].tolist())) == 2


def test_placements():
    topology = two_tier(16, 8)
    assert place(topology, 16).tolist() == list(range(16))
    dealt = place(topology, 16, "round_robin")
    assert sorted(dealt.tolist()) == list(range(16))
    assert (topology.node_of[dealt[:-1]] != topology.node_of[dealt[1:]]).all()
    assert place(topology, 16, "shuffled", 7).tolist() == np.random.default_rng(7).permutation(16).tolist()
    assert place(topology, 3, [5, 0, 9]).tolist() == [5, 0, 9]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: crossbar(4, bandwidth=0), "bandwidth must be more than zero"),
        (lambda: crossbar(4, latency=-1), "latency must be zero or more"),
        (lambda: crossbar(4, bandwidth=float("nan")), "bandwidth must be more than zero"),
        (lambda: crossbar(0), "1 or more"),
        (lambda: crossbar(10**6), "more than the 65536"),
        (lambda: make("Full mesh", 40000), "choose fewer ranks"),
        (lambda: make("Moebius strip", 4), "there is no network 'Moebius strip'"),
        (lambda: fat_tree(64, 25, 2), "cannot be split 2:1"),
        (lambda: fat_tree3(1000, radix=4), "raise the radix"),
        (lambda: dgx1(9), "at most 8 ranks"),
        (lambda: make("MI300X mesh", 9), "at most 8"),
        (lambda: two_tier(16, 8, 9), "at most 8"),
        (lambda: torus((0, 3)), "1 or more"),
        (lambda: place(crossbar(4), 5), "5 ranks do not fit on crossbar of 4"),
        (lambda: place(crossbar(4), 4, [0, 1, 2, 2]), "ranks 2 and 3 both sit on seat 2"),
        (lambda: place(crossbar(4), 4, [0, 1, 2, 4]), "puts rank 3 on seat 4"),
        (lambda: place(crossbar(4), 4, [0, 1, 2]), "a list of 4 whole numbers"),
        (lambda: place(crossbar(4), 4, "alphabetical"), "unknown placement 'alphabetical'"),
    ],
)
def test_bad_input_gets_a_sentence(make, says):
    with pytest.raises(BadTopology, match=says):
        make()


def islands(src, dst):
    link = np.ones(len(src))
    kind = ("link",) * len(src)
    ends = np.array(src, np.int32), np.array(dst, np.int32)
    return Topology("islands", 4, *ends, link, link, kind, ("a", "b", "c", "d"), np.zeros(4, np.int32))


@pytest.mark.parametrize(
    ("src", "dst", "says"),
    [
        ([0, 1, 2, 3], [1, 0, 3, 2], "no way from a to c: the network falls apart"),
        ([0, 0, 0], [1, 2, 3], "no way to a from b: the network falls apart"),
    ],
)
def test_a_network_that_falls_apart_is_refused(src, dst, says):
    with pytest.raises(BadTopology, match=says):
        islands(src, dst)


def test_a_machine_becomes_the_crossbar_of_the_closed_forms():
    topology = from_machine(4, Machine(3e-6, 1 / 10e9, 1 / 50e9))
    assert (topology.gamma, topology.multiport) == (1 / 50e9, False)
    (path,) = topology.paths(np.array([1]), np.array([2]))
    assert topology.latency[path].sum() == pytest.approx(3e-6)


def test_squarest_shapes():
    assert [squarest(n, 3) for n in (8, 12, 64, 7)] == [(2, 2, 2), (3, 2, 2), (4, 4, 4), (7, 1, 1)]


def test_switch_tree_has_at_most_radix_children_a_switch():
    for world_size, radix in ((1, 4), (5, 2), (16, 4), (17, 4)):
        levels = switch_tree(world_size, radix)
        assert all(np.bincount(switches - switches.min()).max() <= radix for _, switches in levels)
        assert len(np.unique(levels[-1][1])) == 1
