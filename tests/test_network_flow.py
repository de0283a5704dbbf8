"""Max-min fair sharing, and the flow model that is built on it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.algorithms import ALGORITHMS
from core.network import SENDS, simulate
from core.network.sharing import Sharing, _fill_few, _fill_many
from core.schedule import COPY, Schedule, send
from core.shapes import make
from core.topologies import crossbar, fat_tree, star
from core.trace import ORIGINS

US = 1e-6


@st.composite
def crowds(draw):
    """(bandwidth of each link, the links of each message, what each could have alone)."""
    links = draw(st.integers(1, 6))
    bandwidth = draw(st.lists(st.integers(1, 20), min_size=links, max_size=links))
    path = st.lists(st.integers(0, links - 1), min_size=1, max_size=links, unique=True)
    paths = draw(st.lists(path, min_size=1, max_size=9))
    return bandwidth, paths, draw(st.lists(st.integers(1, 30), min_size=len(paths), max_size=len(paths)))


@settings(max_examples=150, deadline=None)
@given(crowds())
def test_rates_are_max_min_fair(crowd):
    """Nobody can get more without taking from somebody who has no more: the definition, checked from outside."""
    bandwidth, paths, cap = crowd
    for fill in (_fill_few, _fill_many):
        net = Sharing([tuple(path) for path in paths], [float(c) for c in cap], [float(b) for b in bandwidth], [])
        for message, path in enumerate(paths):
            for link in path:
                net.members[link][message] = None
        used = sorted({link for path in paths for link in path})
        rate = dict(fill(list(range(len(paths))), used, net))
        load = {link: sum(rate[m] for m in net.members[link]) for link in used}
        assert all(load[link] <= bandwidth[link] * (1 + 1e-9) for link in used)
        for message, path in enumerate(paths):
            full = [link for link in path if load[link] >= bandwidth[link] * (1 - 1e-9)]
            largest = any(rate[message] >= max(rate[m] for m in net.members[link]) * (1 - 1e-9) for link in full)
            assert largest or rate[message] == pytest.approx(cap[message])


def one_step(pairs, sizes, vertices):
    step = send([a for a, _ in pairs], [b for _, b in pairs], chunk=0, count=sizes, op=COPY)
    return Schedule.from_steps([step], name="one step", world_size=vertices, num_chunks=max(sizes))


def test_a_short_message_leaves_its_share_to_a_long_one():
    """Two messages into one port of 1 GB/s, 1 and 3 MB: half each until 2 ms, then the long one has it all."""
    schedule = one_step([(0, 2), (1, 2)], [1, 3], 3)
    for send_ in SENDS:
        trace = simulate(schedule, 3e6, crossbar(3, 0, 1e9), send=send_)
        assert trace.end.tolist() == pytest.approx([2e-3, 4e-3])


def test_a_late_message_takes_its_share_only_while_it_is_there():
    """2 MB each into one port of 1 GB/s; the second comes 1 ms later: alone, shared, alone."""
    schedule = one_step([(0, 2), (1, 2)], [2, 2], 3)
    for model, ends in (("flow", [3e-3, 4e-3]), ("ports", [4e-3, 4e-3])):
        trace = simulate(schedule, 2e6, crossbar(3, 0, 1e9), model=model, late={1: 1e-3})
        assert trace.end.tolist() == pytest.approx(ends)


def test_a_weak_switch_is_shared_by_all():
    schedule = one_step([(0, 4), (1, 5), (2, 6), (3, 7)], [1, 1, 1, 1], 8)
    for model in ("links", "flow"):
        assert simulate(schedule, 1e6, star(8, 0, 1e9, backplane=2e9), model=model).seconds == pytest.approx(2e-3)
    assert simulate(schedule, 1e6, star(8, 0, 1e9, backplane=2e9), model="ports").seconds == pytest.approx(1e-3)


@pytest.mark.parametrize("name", ["ring", "halving_doubling", "recursive_doubling", "double_tree", "hierarchical"])
@pytest.mark.parametrize("send_", SENDS)
def test_without_contention_events_and_steps_agree_for_every_transfer(name, send_):
    late = np.random.default_rng(5).uniform(0, 100 * US, 16)
    if send_ == "buffered" and name != "ring":
        late = None  # an early partner's data may meet a late one's at a receiver: that is contention
    one, other = (
        simulate(ALGORITHMS[name](16), 1e6, crossbar(16), model=model, send=send_, late=late)
        for model in ("ports", "flow")
    )
    if name == "double_tree":  # parents take two children at once, which the port model does not split in time
        assert one.seconds == pytest.approx(other.seconds, rel=0.1)
    else:
        np.testing.assert_allclose(one.end, other.end, rtol=1e-9)


def test_all_links_together_carry_no_more_than_they_can_at_any_moment():
    """Rates are not stored, but volumes are: no link has moved more bytes by any end than time allows."""
    schedule, network = ALGORITHMS["halving_doubling"](64), fat_tree(64)
    trace = simulate(schedule, 1e7, network, placement="shuffled", seed=2)
    seat = np.random.default_rng(2).permutation(64)
    paths = network.paths(seat[schedule.src], seat[schedule.dst])
    nbytes = schedule.count * 1e7 / schedule.num_chunks
    for link in range(network.num_links):
        mine = (paths == link).any(axis=1)
        order = np.argsort(trace.end[mine])
        moved = np.cumsum(nbytes[mine][order])
        assert (moved <= trace.end[mine][order] * network.bandwidth[link] * (1 + 1e-9)).all()


def test_beyond_its_budget_it_says_so_and_uses_static_loads():
    schedule, network = ALGORITHMS["ring"](64), fat_tree(64)
    trace = simulate(schedule, 1e6, network, placement="shuffled", budget=0.05)
    loads = simulate(schedule, 1e6, network, placement="shuffled", model="links")
    assert trace.seconds == loads.seconds
    assert trace.about["model"] == "links"
    assert "static link loads instead" in trace.about["note"]
    assert "static link loads" in ORIGINS[trace.source]
    assert "note" not in simulate(schedule, 1e6, network).about


def test_too_many_chunks_to_follow_is_said_as_well(monkeypatch):
    monkeypatch.setattr("core.network.history.TABLE_LIMIT", 1000)
    trace = simulate(ALGORITHMS["ring"](64), 1e6, crossbar(64), model="ports")
    assert trace.about["send"] == "rendezvous"
    assert "too many chunks" in trace.about["note"]


def test_the_same_call_gives_the_same_times():
    schedule, network = ALGORITHMS["swing"](16), make("Dragonfly", 16)
    for send_ in SENDS:
        first, second = (
            simulate(schedule, 1e6, network, send=send_, jitter=5 * US, seed=4, placement="shuffled") for _ in range(2)
        )
        assert (first.end == second.end).all()
