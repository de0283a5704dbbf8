"""Late, slow, jittery, cut and dead: what it costs, who waits for whom, and what is refused."""

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.machines import Machine
from core.network import MODELS, SENDS, BadTopology, Stuck, finish, meet, simulate
from core.shapes import make
from core.topologies import crossbar, fat_tree, from_machine, two_tier

RING = ALGORITHMS["ring"]
US, NEVER = 1e-6, float("inf")


def seconds(network, nbytes=1e6, name="ring", ranks=8, **options):
    return simulate(ALGORITHMS[name](ranks), nbytes, network, **options).seconds


@pytest.mark.parametrize("send", SENDS)
@pytest.mark.parametrize("model", MODELS)
def test_on_a_flat_network_lateness_is_paid_in_full(model, send):
    options = {"model": model, "send": send}
    before = seconds(crossbar(8), **options)
    assert seconds(crossbar(8), late={5: 70 * US}, **options) == pytest.approx(before + 70 * US)


@pytest.mark.parametrize("send", SENDS)
def test_bounded_senders_are_between_unbounded_ones_and_rendezvous(send):
    """Behind a slow link that hides lateness: the fewer slots, the less is hidden."""
    network = two_tier(16, 8, 8, (1 * US, 400e9), (10 * US, 50e9))
    late = {3: 400 * US}
    times = [seconds(network, 64e6, ranks=16, late=late, model="ports", slots=k) for k in (None, 8, 2, 1)]
    assert times == sorted(times)
    assert times[0] < times[-1] <= seconds(network, 64e6, ranks=16, late=late, model="ports", send="rendezvous")


@pytest.mark.parametrize("model", ["ports", "flow"])
@pytest.mark.parametrize("slots", [1, 2, 3])
def test_as_many_messages_travel_at_a_time_as_there_are_slots(model, slots):
    """A message may start when its receiver has taken in the one `slots` before on this connection."""
    schedule = RING(8)
    trace = simulate(schedule, 1e3, crossbar(8), model=model, slots=slots, late={4: 50 * US})
    start, end = trace.start[schedule.src == 3], trace.end[schedule.src == 3]
    assert (start[slots:] >= end[:-slots] - 1e-15).all()
    assert (start[slots - 1 : -1] < end[:-slots]).any()  # and no later: rank 3 does fill its slots


def test_jitter_is_seeded_never_helps_and_has_its_mean():
    network, times = crossbar(8), {}
    for seed in (1, 2, 1):
        times.setdefault(seed, []).append(seconds(network, jitter=20 * US, seed=seed))
    assert times[1][0] == times[1][1] != times[2][0]
    assert min(times[1] + times[2]) > seconds(network)
    drawn = meet(network, RING(8), jitter=20 * US).extra_latency(0, 100_000)
    assert drawn.mean() == pytest.approx(20 * US, rel=0.02)


@pytest.mark.parametrize("model", ["links", "flow"])
def test_a_slow_link_holds_up_whoever_uses_it(model):
    network = crossbar(8, 0, 1e9)
    link = network.link(3, 8)
    assert seconds(network, 8e6, model=model) == pytest.approx(14e-3)
    assert seconds(network, 8e6, model=model, degraded={link: 0.25}) == pytest.approx(56e-3)
    assert seconds(network, 8e6, model=model, degraded={(3, 8): 0.25}) == pytest.approx(56e-3)


def test_a_slow_gpu_adds_and_sends_slowly():
    network = from_machine(8, Machine(1 * US, 1 / 10e9, 1 / 10e9))
    before, after = (seconds(network, 8e6, model="ports", slow=slow) for slow in (None, {2: 3.0}))
    assert after > 2 * before
    assert seconds(network, 8e6, model="ports", slow={2: 1.0}) == before
    adding = from_machine(2, Machine(0, 1e-15, 1e-9))  # nothing but additions takes time
    for model in MODELS:
        times = [seconds(adding, 1e6, "recursive_doubling", 2, model=model, slow={0: times}) for times in (1.0, 3.0)]
        assert times == pytest.approx([1e-3, 3e-3], rel=1e-3)


@pytest.mark.parametrize("send", SENDS)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", ["ring", "halving_doubling", "binomial_tree"])
def test_a_dead_rank_is_named(model, send, name):
    with pytest.raises(Stuck, match="rank 5 never enters") as caught:
        seconds(crossbar(8), name=name, model=model, send=send, late={5: NEVER})
    stuck = caught.value
    assert 0 <= stuck.finished < stuck.total
    assert np.isfinite(stuck.end).sum() == stuck.finished
    steps = [step for _, _, step in stuck.chain]
    assert steps == sorted(steps, reverse=True)  # back in time
    if model != "lockstep":
        assert 5 in stuck.chain[-1][:2]


@pytest.mark.parametrize("send", SENDS)
@pytest.mark.parametrize("model", MODELS)
def test_a_cut_link_is_named_with_the_chain_of_those_who_wait(model, send):
    with pytest.raises(Stuck, match="the link from rank 6 to switch is cut") as caught:
        seconds(crossbar(8), model=model, send=send, degraded={(2, 8): 0}, placement=[7, 6, 5, 4, 3, 1, 2, 0])
    assert "step 1 sends from rank 6 to rank 7" in str(caught.value)
    if model != "lockstep":
        assert "rank 7 waits for rank 6 (step" in str(caught.value)


def test_a_ring_tells_how_far_the_others_came():
    """Buffered: what rank 3 must add to never arrives, and each rank on from it gets one chunk less."""
    schedule = RING(8)
    with pytest.raises(Stuck) as caught:
        simulate(schedule, 1e6, crossbar(8), late={3: NEVER})
    got = [int(np.isfinite(caught.value.end[schedule.dst == rank]).sum()) for rank in range(8)]
    assert got[4] == 0
    assert got[3] == 0
    assert [got[(4 + i) % 8] for i in range(7)] == sorted(got[(4 + i) % 8] for i in range(7))
    assert len(caught.value.chain) >= 3


def test_a_cut_link_that_nobody_uses_does_not_matter():
    network = fat_tree(64)
    assert seconds(network, degraded={(64, 68): 0}) == seconds(network)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"late": {9: 1.0}}, "late names rank 9: there are ranks 0 to 7"),
        ({"late": {2: -1.0}}, "rank 2 is late by"),
        ({"late": [0.0] * 3}, "3 numbers for 8 ranks"),
        ({"late": {2: float("nan")}}, "rank 2 is late by"),
        ({"slow": {2: 0.5}}, "rank 2 is 0.5 times slower"),
        ({"slow": {-1: 2}}, "slow names rank -1"),
        ({"degraded": {99: 0.5}}, "has no link 99"),
        ({"degraded": {(0, 1): 0.5}}, "no link from host 0 to host 1"),
        ({"degraded": {0: -0.5}}, "keeps -0.5 of its bandwidth"),
        ({"degraded": {0: NEVER}}, "keeps inf of its bandwidth"),
        ({"jitter": -1.0}, "jitter is -1.0"),
        ({"placement": [0] * 8}, "no permutation"),
        ({"model": "magic"}, "unknown model 'magic'"),
        ({"send": "pigeon"}, "unknown way of sending 'pigeon'"),
        ({"slots": 0}, "slots is 0"),
        ({"envelope": -1}, "zero or more"),
    ],
)
def test_bad_conditions_get_a_sentence(options, says):
    with pytest.raises(BadTopology, match=says):
        simulate(RING(8), 1e6, crossbar(8), **options)


@pytest.mark.parametrize("nbytes", [-1, float("nan"), NEVER])
def test_a_size_must_be_a_size(nbytes):
    with pytest.raises(BadTopology, match="nbytes is"):
        simulate(RING(8), nbytes, crossbar(8))


def test_more_ranks_than_hosts():
    with pytest.raises(BadTopology, match="8 ranks do not fit on crossbar of 4, which has room for 4"):
        simulate(RING(8), 1e6, crossbar(4))


def test_conditions_belong_to_the_network_that_was_met():
    network = meet(crossbar(8), RING(8), late={1: 1e-3})
    assert simulate(RING(8), 0, network).seconds > 1e-3
    with pytest.raises(BadTopology, match="met before"):
        simulate(RING(8), 0, network, late={2: 1e-3})
    with pytest.raises(BadTopology, match="met before"):
        simulate(RING(4), 0, network)


def test_a_stream_has_no_switches_and_no_events():
    sharp = ALGORITHMS["sharp"]
    with pytest.raises(BadTopology, match="a stream has only ranks"):
        finish(sharp.steps(8), 8, 1, 1e6, crossbar(8))
    with pytest.raises(BadTopology, match="needs the whole schedule"):
        finish(RING.steps(8), 8, 8, 1e6, crossbar(8), model="flow")
    with pytest.raises(BadTopology, match="too many to follow"):
        finish(RING.steps(8192), 8192, 8192, 1e6, make("Crossbar", 8192), send="buffered")


def test_one_rank_and_empty_schedules():
    for model in MODELS:
        for send in SENDS:
            assert seconds(crossbar(1), ranks=1, model=model, send=send) == 0.0
