import pytest

from core.algorithms import ALGORITHMS
from core.collective import ALL_REDUCE
from core.cost import Cost, bandwidths, lower_bound, measure
from core.machines import MACHINES, Machine

FLAT = Machine(alpha=5e-6, beta=1 / 50e9)


def test_ring_formula():
    cost = measure(ALGORITHMS["ring"](8))
    assert (cost.steps, cost.messages, cost.traffic, cost.work) == (14, 14, 1.75, 0.875)
    assert cost.seconds(64e6, FLAT) == pytest.approx(14 * 5e-6 + 1.75 * 64e6 / 50e9)


def test_a_port_starts_its_messages_one_after_another_unless_there_are_many_ports():
    direct = measure(ALGORITHMS["direct"](8))
    assert (direct.steps, direct.messages) == (2, 14)
    many = Machine(5e-6, 1 / 50e9, multiport=True)
    assert direct.seconds(0, FLAT) == pytest.approx(70e-6)
    assert direct.seconds(0, many) == pytest.approx(10e-6)


HOST_BASED = [  # an algorithm whose switches reduce may beat the bound
    (name, n)
    for name, a in ALGORITHMS.items()
    for n in (2, 3, 8, 16)
    if a.collective is ALL_REDUCE and not a.refuse(n) and a(n).num_vertices == n
]


@pytest.mark.parametrize(("name", "world_size"), HOST_BASED)
def test_no_host_based_algorithm_beats_the_bound(name, world_size):
    schedule = ALGORITHMS[name](world_size)
    for nbytes in (8, 1e6):
        assert measure(schedule).seconds(nbytes, FLAT) >= lower_bound(world_size, nbytes, FLAT) * (1 - 1e-12)


def test_bound_values():
    assert lower_bound(1, 1e9, FLAT) == 0
    assert lower_bound(6, 0, FLAT) == pytest.approx(15e-6)  # ceil(log2 6) = 3 rounds
    assert lower_bound(512, 16e6, Machine(0, 1 / 900e9)) == pytest.approx(35.49e-6, rel=1e-3)


def test_busbw_as_nccl_tests_defines_it():
    bus = ALGORITHMS["ring"].collective.bus_factor
    algbw, busbw = bandwidths(2**30, 7.5e-3, bus(8))
    assert algbw / 1e9 == pytest.approx(143.2, abs=0.05)
    assert busbw / 1e9 == pytest.approx(250.5, abs=0.1)
    assert bandwidths(2**30, 0, bus(8)) == (0, 0)


def test_messages_default_to_steps():
    assert Cost(steps=3, traffic=1, work=1).messages == 3


@pytest.mark.parametrize("wrong", [{"alpha": -1, "beta": 0}, {"alpha": 0, "beta": float("nan")}])
def test_a_machine_has_sensible_numbers(wrong):
    with pytest.raises(ValueError, match="zero or more"):
        Machine(**wrong)


@pytest.mark.parametrize("machine", MACHINES.values(), ids=lambda m: m.name)
def test_presets_name_their_source(machine):
    assert machine.source
