"""The step engines against a plain reference program, streams, bounds, and what messages are made of."""

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.collective import ALL_REDUCE
from core.machines import Machine
from core.network import MODELS, SENDS, finish, meet, simulate
from core.network.bound import BelowBound, guard
from core.network.history import Layers, Table
from core.schedule import COPY, REDUCE, Schedule, send
from core.shapes import make
from core.topologies import crossbar, fat_tree, from_machine, two_tier

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


def reference(schedule, nbytes, network, late):
    """Buffered sends on a network that never blocks, message by message; every port has one message a step."""
    size = nbytes / schedule.num_chunks
    there = {(v, c): late[v] for v in range(schedule.world_size) for c in range(schedule.num_slots)}
    out, into, end = {}, {}, []
    for step in schedule:
        writes = []
        for src, dst, chunk, count in zip(*(getattr(step, c).tolist() for c in ("src", "dst", "chunk", "count"))):
            path = [link for link in network.paths(np.array([src]), np.array([dst]))[0] if link >= 0]
            alpha, beta = network.latency[path].sum(), 1 / network.bandwidth[path].min()
            ready = max(there[src, chunk + i] for i in range(count))
            start = max(ready, out.get(path[0], 0.0), into.get(path[-1], 0.0) - alpha)
            out[path[0]] = start + count * size * beta
            into[path[-1]] = start + count * size * beta + alpha
            arrive = max(into[path[-1]], late[dst])
            end.append(arrive)
            writes += [(dst, chunk + i, arrive) for i in range(count)]
        for dst, chunk, arrive in writes:
            there[dst, chunk] = max(there[dst, chunk], arrive)
    return np.array(end)


@pytest.mark.parametrize("name", ["ring", "halving_doubling", "recursive_doubling", "binomial_tree", "hierarchical"])
@pytest.mark.parametrize("past", [Table, Layers])
def test_buffered_sends_follow_every_chunk(name, past, monkeypatch):
    def either(schedule, late):
        return Table(late, schedule.num_slots) if past is Table else Layers(late)

    monkeypatch.setattr("core.network.engine.history", either)
    schedule, network = ALGORITHMS[name](16), two_level(16)
    for seed in range(3):
        late = np.random.default_rng(seed).uniform(0, 200 * US, 16)
        trace = simulate(schedule, 1e6, network, model="ports", late=late)
        np.testing.assert_allclose(trace.end, reference(schedule, 1e6, network, late), rtol=1e-12)


@pytest.mark.parametrize("past", [Table, Layers])
def test_a_chunk_does_not_wait_for_its_neighbour(past, monkeypatch):
    """Rank 2 gets chunk 0 from rank 0 and chunk 1 from rank 1, which is late; it passes on chunk 0 at once."""
    monkeypatch.setattr(
        "core.network.engine.history",
        lambda schedule, late: Table(late, schedule.num_slots) if past is Table else Layers(late),
    )
    steps = [send([0, 1], [2, 2], chunk=[0, 1], op=COPY), send(2, 3, chunk=0, op=COPY)]
    schedule = Schedule.from_steps(steps, name="neighbours", world_size=4, num_chunks=2)
    trace = simulate(schedule, 0, crossbar(4, 5 * US, 10e9), model="ports", late={1: 100 * US})
    assert trace.end.tolist() == pytest.approx([5 * US, 105 * US, 10 * US])


@pytest.mark.parametrize("send_", SENDS)
def test_a_rank_is_done_with_a_step_when_it_has_both_sent_and_received(send_):
    """Rank 1 passes a small chunk on while it still receives a large one, and the other way round."""
    for sizes, ends in (((4, 1), [40, 10, 50]), ((1, 4), [10, 40, 50])):
        steps = [send([0, 1], [1, 2], chunk=0, count=sizes, op=COPY), send(1, 3, chunk=0, op=COPY)]
        schedule = Schedule.from_steps(steps, name="both", world_size=4, num_chunks=4)
        trace = simulate(schedule, 40, crossbar(4, 0, 1.0), model="ports", send=send_)
        assert trace.end.tolist() == pytest.approx(ends)


@pytest.mark.parametrize("name", ["ring", "direct", "one_shot", "recursive_doubling", "linear"])
@pytest.mark.parametrize("model", ["ports", "links"])
def test_ports_that_start_one_message_after_another_add_their_latencies_up(name, model):
    machine = Machine(5 * US, 1 / 10e9)
    formula = ALGORITHMS[name].cost(8).seconds(1e6, machine)
    for send_ in SENDS:
        time = simulate(ALGORITHMS[name](8), 1e6, from_machine(8, machine), model=model, send=send_).seconds
        assert time == pytest.approx(formula, rel=1e-9)
        same = simulate(ALGORITHMS[name](8), 1e6, crossbar(8, 5 * US, 10e9), model=model, send=send_, multiport=False)
        assert same.seconds == pytest.approx(formula, rel=1e-9)


def test_a_stream_of_steps_gives_the_time_of_the_schedule():
    network = fat_tree(64)
    for name in ("ring", "halving_doubling", "circulant"):
        algorithm = ALGORITHMS[name]
        for model in ("ports", "links", "lockstep"):
            for send_ in SENDS:
                whole = simulate(algorithm(64), 1e6, network, model=model, send=send_).seconds
                part = finish(algorithm.steps(64), 64, algorithm.num_chunks(64), 1e6, network, model, send_)
                assert part == pytest.approx(whole, rel=1e-12)


def test_never_below_the_bound_on_any_network():
    """The guard inside the engine raises; here it has every all-reduce to look at, and some it must not."""
    for name, schedule in ranks_only((8,)):
        collective = ALGORITHMS[name].collective
        for net in ("2D torus", "Fat tree, three levels", "Nodes of GPUs with NICs", "DGX-1 cube mesh"):
            network = meet(make(net, schedule.world_size), schedule, placement="shuffled")
            for model in MODELS:
                for send_ in SENDS:
                    simulate(schedule, 1e6, network, model=model, send=send_, collective=collective)


def test_the_guard_catches_a_time_that_cannot_be():
    schedule, network = RING(8), crossbar(8)
    trace = simulate(schedule, 1e6, network, collective=ALL_REDUCE)
    with pytest.raises(BelowBound, match="below the bound"):
        guard(schedule, meet(network, schedule), trace.seconds / 2, np.zeros(16), 1e6)
    with pytest.raises(BelowBound, match="below the bound"):
        guard(schedule, meet(network, schedule), trace.seconds / 2, np.full(16, 2 * 7 / 8 * 1e6), 0.0)
    guard(schedule, meet(network, schedule), trace.seconds / 2, np.zeros(16), 0.0)  # nothing said, nothing checked


def test_a_message_of_several_runs_pays_its_latency_once():
    runs = send([0, 0, 0], [1, 1, 1], chunk=[0, 2, 4], op=COPY)
    schedule = Schedule.from_steps([runs], name="runs", world_size=2, num_chunks=6)
    for model in MODELS:
        for send_ in SENDS:
            trace = simulate(schedule, 6e6, crossbar(2, 5 * US, 10e9), model=model, send=send_)
            assert trace.end.tolist() == pytest.approx([305 * US] * 3)


def test_a_chunk_delivered_to_two_places_travels_once():
    twice = send([0, 0], [1, 1], chunk=[0, 0], op=COPY, into=[0, 1])
    schedule = Schedule.from_steps([twice], name="twice", world_size=2, num_chunks=1, num_buffers=2)
    for model in MODELS:
        assert us(schedule, 1e6, crossbar(2, 5 * US, 10e9), model=model) == pytest.approx(105)


def test_what_waits_for_a_chunk_in_the_scratch_buffer():
    """Rank 0's chunk goes into rank 1's scratch, and from there to rank 2."""
    steps = [send(0, 1, chunk=0, op=COPY, into=1), send(1, 2, chunk=1, op=REDUCE, into=0)]
    schedule = Schedule.from_steps(steps, name="scratch", world_size=3, num_chunks=1, num_buffers=2)
    for model in MODELS:
        assert us(schedule, 1e6, crossbar(3, 5 * US, 10e9), model=model, late={0: 50 * US}) == pytest.approx(260)


def test_additions_take_their_time_at_the_receiver_one_after_another():
    machine = Machine(5 * US, 1 / 10e9, 1 / 20e9, multiport=True)
    schedule = ALGORITHMS["linear"](4)
    for model in ("ports", "links", "flow"):
        time = us(schedule, 1e6, from_machine(4, machine), model=model, send="rendezvous")
        assert time == pytest.approx(2 * 5 + 6 * 100 + 3 * 50, rel=0.2)
        assert time >= 2 * 5 + 6 * 100 + 50  # the last addition cannot be hidden
    assert us(schedule, 1e6, from_machine(4, machine), model="ports", send="rendezvous") == pytest.approx(760)


def test_a_stored_trace_takes_at_most_40_bytes_a_transfer():
    schedule = RING(256)
    trace = simulate(schedule, 1e6, crossbar(256), model="ports")
    columns = [schedule.src, schedule.dst, schedule.chunk, schedule.count, schedule.op, trace.start, trace.end]
    columns += [] if schedule.into is schedule.chunk else [schedule.into]
    assert sum(column.nbytes for column in columns) + schedule.step_ptr.nbytes <= 40 * schedule.num_transfers
