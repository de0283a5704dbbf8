"""Simulated times against closed forms, reference values and a plain reference program."""

import pytest

from core.algorithms import ALGORITHMS
from core.collective import ALL_REDUCE
from core.cost import measure
from core.machines import Machine
from core.network import SENDS, all_reduce_bound, finish, meet, simulate
from core.topologies import crossbar, fat_tree, from_machine, two_tier
from core.trace import lockstep

RING = ALGORITHMS["ring"]
US = 1e-6


def two_level(world_size):
    return two_tier(world_size, 8, 8, (1 * US, 400e9), (10 * US, 50e9))


def us(*args, **options):
    return simulate(*args, **options).seconds / US


def ranks_only(sizes=(4, 7, 16)):
    for name, algorithm in ALGORITHMS.items():
        for world_size in sizes:
            if not algorithm.refuse(world_size):
                schedule = algorithm(world_size)
                if schedule.num_vertices == world_size:
                    yield name, schedule


@pytest.mark.parametrize("multiport", [False, True])
def test_lockstep_is_the_closed_form_for_every_algorithm(multiport):
    machine = Machine(3e-6, 1 / 40e9, 1 / 90e9, multiport)
    for name, schedule in ranks_only():
        network = from_machine(schedule.world_size, machine)
        for nbytes in (0, 1e7):
            formula = measure(schedule).seconds(nbytes, machine)
            assert simulate(schedule, nbytes, network, model="lockstep").seconds == pytest.approx(formula, rel=1e-9), (
                name
            )
            assert lockstep(schedule, nbytes, machine).seconds == pytest.approx(formula, rel=1e-9), name


@pytest.mark.parametrize("multiport", [False, True])
def test_nobody_is_slower_than_lockstep_and_rendezvous_is_equal(multiport):
    """On a network that never blocks. Binary blocks gain even so: their small blocks need not wait for the large."""
    machine = Machine(3e-6, 1 / 40e9, 1 / 90e9, multiport)
    for name, schedule in ranks_only():
        network = from_machine(schedule.world_size, machine)
        for nbytes in (0, 1e7):
            formula = measure(schedule).seconds(nbytes, machine)
            rendezvous = simulate(schedule, nbytes, network, model="ports", send="rendezvous").seconds
            buffered = simulate(schedule, nbytes, network, model="ports").seconds
            assert buffered <= formula * (1 + 1e-9), name
            if name != "binary_blocks":
                assert rendezvous == pytest.approx(formula, rel=1e-9), name


@pytest.mark.parametrize("name", ["ring", "halving_doubling", "recursive_doubling", "circulant", "direct", "chain"])
@pytest.mark.parametrize("send", SENDS)
@pytest.mark.parametrize("model", ["ports", "links", "flow"])
def test_where_nothing_can_be_gained_every_model_is_the_closed_form(name, send, model):
    machine = Machine(3e-6, 1 / 40e9, multiport=True)
    schedule = ALGORITHMS[name](8)
    formula = ALGORITHMS[name].cost(8).seconds(1e7, machine)
    time = simulate(schedule, 1e7, from_machine(8, machine), model=model, send=send).seconds
    assert time == pytest.approx(formula, rel=1e-9)


@pytest.mark.parametrize(("ranks", "buffered", "rendezvous"), [(16, 66, 300), (64, 270, 1260), (512, 2174, 10220)])
def test_latency_of_a_ring_on_two_levels(ranks, buffered, rendezvous):
    schedule, network = RING(ranks), two_level(ranks)
    assert us(schedule, 0, network, model="ports") == pytest.approx(buffered, rel=1e-9)
    assert us(schedule, 0, network, model="ports", send="rendezvous") == pytest.approx(rendezvous, rel=1e-9)
    assert us(schedule, 0, network, model="lockstep") == pytest.approx(rendezvous, rel=1e-9)


@pytest.mark.parametrize(("ranks", "buffered", "rendezvous"), [(16, 2410, 2700), (64, 2530, 3780), (512, 2779, 12775)])
def test_64_mb_through_a_ring_on_two_levels(ranks, buffered, rendezvous):
    schedule, network = RING(ranks), two_level(ranks)
    assert us(schedule, 64e6, network, model="ports") == pytest.approx(buffered, abs=0.5)
    assert us(schedule, 64e6, network, model="ports", send="rendezvous") == pytest.approx(rendezvous, rel=1e-9)
    assert us(schedule, 64e6, network, model="lockstep") == pytest.approx(rendezvous, rel=1e-9)


@pytest.mark.parametrize("model", ["ports", "links", "flow"])
@pytest.mark.parametrize(
    ("network", "nbytes", "before", "after"),
    [
        (two_level(16), 0, 66, 166),
        (two_level(16), 64e6, 2410, 2410),
        (crossbar(16, 5 * US, 50e9), 0, 150, 250),
        (crossbar(16, 5 * US, 50e9), 64e6, 2550, 2650),
    ],
)
def test_rank_3_of_16_is_100_us_late(model, network, nbytes, before, after):
    assert us(RING(16), nbytes, network, model=model) == pytest.approx(before, rel=1e-9)
    assert us(RING(16), nbytes, network, model=model, late={3: 100 * US}) == pytest.approx(after, rel=1e-9)


@pytest.mark.parametrize(("ranks", "naive", "ring"), [(4, 7.71, 1.95), (8, 17.99, 2.31), (16, 38.55, 2.55)])
def test_naive_against_ring_with_one_port(ranks, naive, ring):
    network = from_machine(ranks, Machine(5 * US, 1 / 50e9))
    for name, milliseconds in (("linear", naive), ("ring", ring)):
        for model in ("lockstep", "ports"):
            time = us(ALGORITHMS[name](ranks), 64e6, network, model=model, send="rendezvous")
            assert time / 1e3 == pytest.approx(milliseconds, abs=0.005)


@pytest.mark.parametrize(
    ("name", "ranks", "nbytes", "expected"),
    [
        ("ring", 4, 16 << 20, 2043.266),
        ("ring", 64, 64 << 10, 640.322),
        ("ring", 64, 16 << 20, 3272.412),
        ("halving_doubling", 64, 16 << 20, 2702.412),
        ("halving_doubling", 1024, 16 << 20, 2781.733),
    ],
)
def test_crossbar_of_100_gigabit(name, ranks, nbytes, expected):
    schedule = ALGORITHMS[name](ranks)
    assert us(schedule, nbytes, crossbar(ranks), model="ports") == pytest.approx(expected, abs=0.0006)


def test_nearest_first_and_farthest_first_on_an_oversubscribed_tree():
    times = {}
    for order in ("near", "far"):
        schedule = ALGORITHMS["halving_doubling"](64, order=order)
        times[order] = us(schedule, 16 << 20, fat_tree(64), send="rendezvous")
        assert us(schedule, 16 << 20, crossbar(64), send="rendezvous") == pytest.approx(2702.412, abs=0.0006)
    assert times["near"] == pytest.approx(2808, abs=0.5)
    assert times["far"] == pytest.approx(4696, abs=0.5)


def test_a_shuffled_placement_hurts_more_than_any_choice_of_algorithm():
    names = ("ring", "halving_doubling", "circulant", "swing", "pat")
    placed = {
        how: [us(ALGORITHMS[n](64), 16 << 20, fat_tree(64), model="links", placement=how, seed=1) for n in names]
        for how in ("natural", "shuffled")
    }
    assert min(placed["shuffled"]) > 1.6 * min(placed["natural"])


@pytest.mark.parametrize(("ranks", "alpha", "crossing"), [(1024, 3e-6, 16.88e6), (64, 1.5e-6, 0.852e6)])
def test_where_a_ring_overtakes_a_binomial_tree(ranks, alpha, crossing):
    network = crossbar(ranks, alpha, 50e9)
    faster = []
    for nbytes in (crossing * 0.998, crossing * 1.002):
        ring, tree = (
            finish(ALGORITHMS[name].steps(ranks), ranks, ALGORITHMS[name].num_chunks(ranks), nbytes, network)
            for name in ("ring", "binomial_tree")
        )
        faster.append(ring < tree)
    assert faster == [False, True]


def test_the_lower_bound_and_in_network_reduction():
    network = crossbar(512, 0.5 * US, 900e9)
    bound = all_reduce_bound(meet(network, RING(2)), 16e6)
    assert bound / US == pytest.approx(2 * 1 / 2 * 16e6 / 900e9 / US)
    schedule = RING(512)
    assert all_reduce_bound(meet(network, schedule), 16e6) / US == pytest.approx(35.49, abs=0.005)
    assert us(schedule, 16e6, network, model="ports") == pytest.approx(546.5, abs=0.05)
    assert us(ALGORITHMS["halving_doubling"](512), 16e6, network, model="ports") == pytest.approx(44.5, abs=0.05)
    one_switch = crossbar(512, 2 * 0.5 * US, 900e9, reduces=True)  # half of the latency is up, half down
    sharp = ALGORITHMS["sharp"](512, radix=512, num_segments=512)
    in_network = us(sharp, 16e6, one_switch, model="ports", collective=ALL_REDUCE)
    assert in_network == pytest.approx(18.8, abs=0.05)  # below the bound, and rightly so
