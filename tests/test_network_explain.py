"""Critical path, slack, idle time, busy links, what would help, and who wins where."""

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.explain import explain, what_if, what_would_help
from core.machines import Machine
from core.network import MODELS, SENDS, BadTopology, simulate
from core.regions import times_by_size, winners
from core.schedule import COPY, Schedule, send
from core.shapes import make
from core.topologies import crossbar, fat_tree, from_machine, two_tier

RING = ALGORITHMS["ring"]
US = 1e-6


def two_level(world_size=16):
    return two_tier(world_size, 8, 8, (1 * US, 400e9), (10 * US, 50e9))


@pytest.mark.parametrize("send", SENDS)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", ["ring", "halving_doubling", "double_tree", "direct", "sharp"])
def test_a_critical_path_is_a_chain_that_adds_up_to_the_time(name, model, send):
    schedule = ALGORITHMS[name](16)
    for network, options in (
        (crossbar(16), {"late": {5: 40 * US}}),
        (two_level(), {}),
        (fat_tree(16, 6, 2), {"placement": "shuffled"}),
        (from_machine(16, Machine(2 * US, 1 / 20e9, 1 / 30e9, multiport=True)), {}),
    ):
        trace = simulate(schedule, 4e6, network, model=model, send=send, **options)
        told = explain(trace, network, **options)
        assert sum(told.shares.values()) == pytest.approx(1)
        assert told.path[-1].until == pytest.approx(trace.seconds)
        for part, following in zip(told.path, told.path[1:]):
            assert part.step < following.step
            assert part.until <= following.start * (1 + 1e-9)
            if model != "lockstep":
                assert {part.src, part.dst} & {following.src, following.dst} or following.why == "port"
            parts = part.latency + part.bandwidth + part.sharing + part.adding
            assert parts == pytest.approx(part.until - part.start, abs=1e-15)


def test_the_path_of_a_latency_bound_ring_is_all_latency_and_of_a_large_one_nearly_none():
    for nbytes, latency in ((0, 1.0), (64e6, 10 / 2410)):
        trace = simulate(RING(16), nbytes, two_level())
        assert explain(trace, two_level()).shares["latency"] == pytest.approx(latency, rel=1e-6)


def test_a_late_rank_stands_at_the_head_of_the_path_only_where_nothing_hides_it():
    late = {3: 100 * US}
    for network, share in ((two_level(), 0.0), (crossbar(16, 5 * US, 50e9), 100 / 2650)):
        told = explain(simulate(RING(16), 64e6, network, late=late), network, late=late)
        assert told.shares["late"] == pytest.approx(share)
        assert (told.path[0].src == 3) == (share > 0)


@pytest.mark.parametrize("name", ["ring", "halving_doubling", "binomial_tree"])
@pytest.mark.parametrize("send", SENDS)
def test_slack_is_how_much_later_a_rank_may_enter_for_free(name, send):
    """Delay a rank by the least slack of what waits for its entry: no change. A little more: the end moves."""
    schedule, network = ALGORITHMS[name](16), two_level()
    base = simulate(schedule, 64e6, network, model="ports", send=send)
    told = explain(base, network)
    assert (told.slack >= 0).all()
    for rank in range(16):
        ends = schedule.src == rank if send == "buffered" else (schedule.src == rank) | (schedule.dst == rank)
        first = np.flatnonzero(ends)[0]
        mine = ends & (schedule.step_of == schedule.step_of[first]) & (base.start < 1e-12)
        if not mine.any():
            continue
        spare = float(told.slack[mine].min())
        for late, moves in ((0.99 * spare, False), (spare + 5 * US, True)):
            seconds = simulate(schedule, 64e6, network, model="ports", send=send, late={rank: late}).seconds
            assert (seconds > base.seconds * (1 + 1e-9)) == moves, (rank, late)


def test_a_message_that_holds_the_port_of_a_critical_one_has_no_slack():
    """Rank 0 sends to rank 1, then to rank 2; rank 3's message to rank 4 has half of the time to spare."""
    steps = [send([0, 3], [1, 4], chunk=0, op=COPY), send(0, 2, chunk=0, op=COPY)]
    schedule = Schedule.from_steps(steps, name="port", world_size=5, num_chunks=1)
    network = crossbar(5, 0, 1e9)
    for send_ in SENDS:
        told = explain(simulate(schedule, 1e6, network, send=send_), network)
        assert told.slack.tolist() == pytest.approx([0, 1e-3, 0])


def test_the_critical_path_has_no_slack():
    for model in ("ports", "flow"):
        trace = simulate(RING(16), 64e6, two_level(), model=model)
        told = explain(trace, two_level())
        assert told.slack[[part.row for part in told.path]] == pytest.approx(0, abs=1e-12)


def test_idle_time():
    """Two ranks swap 1 MB at 1 GB/s, a third and fourth only 0.25 MB: they rest three quarters of the time."""
    step = send([0, 1, 2, 3], [1, 0, 3, 2], chunk=0, count=[4, 4, 1, 1], op=COPY)
    schedule = Schedule.from_steps([step], name="swap", world_size=4, num_chunks=4)
    network = crossbar(4, 0, 1e9)
    told = explain(simulate(schedule, 1e6, network), network)
    assert told.idle.tolist() == pytest.approx([0, 0, 0.75e-3, 0.75e-3])
    assert told.link_busy[:4].tolist() == pytest.approx([1, 1, 0.25, 0.25])


def test_links_are_full_for_the_bytes_they_carry():
    told = explain(simulate(RING(16), 64e6, two_level()), two_level())
    assert told.link_busy.max() == pytest.approx(2400 / 2410)


def test_what_if_a_link_were_twice_as_fast():
    schedule, network = RING(16), two_level()
    outside = network.link(7, network.names.index("NIC 0.7"))
    inside = network.link(0, network.names.index("NVSwitch 0"))
    now, then = what_if(schedule, 64e6, network, inside)
    assert now == then == pytest.approx(2410 * US)
    everything = {k: 2.0 for k in range(network.num_links) if network.kind[k] != "NVLink"}
    assert simulate(schedule, 64e6, network, degraded=everything).seconds < 0.55 * now
    for model in ("ports", "flow"):
        now, then = what_if(schedule, 64e6, network, outside, degraded={outside: 0.5}, model=model)
        assert then == pytest.approx(2410 * US)
        assert now > 1.9 * then


def test_what_would_help_finds_the_cable_that_is_slow():
    schedule, network = RING(8), crossbar(8)
    slow = network.link(3, 8)
    best, seconds = what_would_help(schedule, 1e8, network, times=4, degraded={slow: 0.25})[0]
    assert best == slow
    assert seconds == pytest.approx(simulate(schedule, 1e8, network).seconds)


def test_too_many_messages_to_explain():
    trace = simulate(RING(400), 1e6, crossbar(400), model="ports")
    with pytest.raises(BadTopology, match="too many to explain"):
        explain(trace, crossbar(400))


def makers(*names):
    return {name: lambda n, a=ALGORITHMS[name]: None if a.refuse(n) else a(n) for name in names}


def test_winner_regions():
    """On a crossbar with one port: recursive doubling when small, halving and doubling when large, as x* says."""
    sizes, ranks = (1e3, 1e9), (4, 16)
    found = winners(makers("ring", "recursive_doubling", "halving_doubling"), sizes, ranks, crossbar, spend=60)
    assert found.complete
    names = np.array(found.names)[found.best]
    assert (names[0] == "recursive_doubling").all()
    assert (names[1] == "halving_doubling").all()
    assert np.isfinite(found.seconds).all()


def test_winner_regions_out_of_time_are_marked():
    found = winners(makers("ring"), (1e3,), (2, 4), crossbar, spend=0)
    assert not found.complete
    assert (found.best == -1).all()


def test_winner_regions_leave_out_what_does_not_apply():
    only_pairs = {"swing": makers("swing")["swing"], "hierarchical": makers("hierarchical")["hierarchical"]}
    found = winners(only_pairs, (1e6,), (1000000, 4), lambda n: make("DGX H100", n), spend=60)
    assert found.best[0].tolist()[0] == -1
    assert found.best[0].tolist()[1] >= 0


def test_times_by_size_are_those_of_single_calls():
    schedule, network, sizes = RING(16), two_level(), (0, 1e3, 1e6)
    for model in MODELS:
        many = times_by_size(schedule, sizes, network, model=model, late={2: 1e-4})
        one = [simulate(schedule, nbytes, network, model=model, late={2: 1e-4}).seconds for nbytes in sizes]
        assert many.tolist() == one
