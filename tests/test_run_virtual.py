"""Virtual ranks: every algorithm to the bit, the order of the launches, streams and events, the worker's view."""

import random
from types import SimpleNamespace

import numpy as np
import pytest

from core import trace
from core.algorithms import ALGORITHMS
from core.replay import reduce_buffers
from core.run import virtual
from core.run.plan import Instruction, Program, pieces, programs
from core.run.request import DTYPES, Method, Request
from core.run.virtual_device import Gpu
from core.run.virtual_group import run_virtual
from core.run.virtual_weave import weave
from core.run.worker import Worker

pytest.importorskip("torch")


def inputs(schedule, dtype=np.float32, each=7):
    """Numbers whose sums round, so that the order of additions shows in the last bits."""
    size = each * schedule.num_chunks
    return (np.random.default_rng(1).random((schedule.world_size, size)) * 9 + 1).astype(dtype)


def fitting(world_size):
    return [name for name, algorithm in ALGORITHMS.items() if not algorithm.refuse(world_size)]


@pytest.mark.parametrize("world_size", [2, 3, 4, 8])
def test_every_algorithm_to_the_bit(world_size):
    names = fitting(world_size)
    assert len(names) > 20
    for name in names:
        schedule = ALGORITHMS[name](world_size)
        given = inputs(schedule)
        right = reduce_buffers(schedule, given)[:world_size]
        assert virtual.all_reduce(schedule, given, device="cpu").tobytes() == right.tobytes(), name


@pytest.mark.parametrize("op", ["sum", "prod", "max", "min", "avg"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_and_op_to_the_bit(dtype, op):
    for name in ("recursive_doubling", "sharp"):  # 3 ranks: an average that rounds
        schedule = ALGORITHMS[name](3)
        given = inputs(schedule, dtype, each=40)
        with np.errstate(over="ignore"):
            right = reduce_buffers(schedule, given, op)[:3]
        assert virtual.all_reduce(schedule, given, op, "cpu").tobytes() == right.tobytes()


def plans_of(schedule, num_elements=24):
    cut = pieces(schedule, num_elements)
    return programs(schedule, cut, num_elements, "sum", 4), cut


@pytest.mark.parametrize("name", ["ring", "recursive_doubling", "direct", "double_tree", "sharp"])
def test_nothing_waits_for_what_comes_later(name):
    plans, _ = plans_of(ALGORITHMS[name](4))
    order = weave(plans)
    place = {(i.do, i.piece): nth for nth, (_, i) in enumerate(order)}
    pieces_ = {i.piece for _, i in order if i.do == "send"}
    assert pieces_
    assert all(place["send", p] < place["arrived", p] < place["sent", p] for p in pieces_)
    for plan in plans:
        assert [i for vertex, i in order if vertex == plan.vertex] == list(plan.instructions)


def test_a_circle_of_waits_is_named():
    first = Program(0, (Instruction("arrived", 0), Instruction("send", 1)), 1, 0)
    second = Program(1, (Instruction("arrived", 1), Instruction("send", 0)), 1, 0)
    with pytest.raises(ValueError, match="vertex 0 waits at arrived of piece 0; vertex 1 waits at arrived of piece 1"):
        weave([first, second])


class Streams:
    """An imitation of torch.cuda: calls are kept in their stream, and run later in any order that the events allow."""

    def __init__(self):
        self.queues, self.records = {}, {}
        self.current = self.default_stream("")

    def default_stream(self, device):
        return self.Stream(device)

    def Stream(self, device):
        stream = SimpleNamespace(number=len(self.queues))
        stream.wait_event = lambda event: self.put(stream, ("wait", self.records.get(id(event))))
        self.queues[stream.number] = []
        return stream

    def Event(self, enable_timing=False):
        event = SimpleNamespace()

        def record(stream):
            self.records[id(event)] = token = object()
            self.put(stream, ("record", token))

        event.record = record
        return event

    def set_stream(self, stream):
        self.current = stream

    def put(self, stream, entry):
        self.queues[stream.number].append(entry)

    def launch(self, acts):
        """Hand in all calls: those of the streams themselves at once, the others into the current stream."""
        for act in acts:
            mine = getattr(act, "func", act)
            if mine == self.set_stream or getattr(mine, "__name__", "") in ("record", "<lambda>"):
                act()
            else:
                self.put(self.current, ("call", act))

    def run(self, seed):
        chance, over = random.Random(seed), {None}  # a wait for an event that nobody recorded is no wait
        while any(self.queues.values()):
            free = [q for q in self.queues.values() if q and (q[0][0] != "wait" or q[0][1] in over)]
            assert free, "the streams wait for each other for ever"
            kind, what = chance.choice(free).pop(0)
            over |= {what} if kind == "record" else set()
            if kind == "call":
                what()


def on_streams(schedule, given, seed, monkeypatch, runs=2):
    """The buffers after `runs` runs launched back to back, carried out in a random order that the events allow."""
    cuda = Streams()
    monkeypatch.setattr(virtual, "device_of", lambda name, size: Gpu(SimpleNamespace(cuda=cuda), "cpu", size))
    plans, cut = plans_of(schedule, given.shape[1])
    machine = virtual.Machine(plans, cut, "float32", "sum", schedule.world_size)
    for area, values in zip(machine.areas, given):
        area.load(values)
    for _ in range(runs):
        cuda.launch(machine.acts)
    cuda.run(seed)
    return np.stack([area.host()[: given.shape[1]] for area in machine.areas[: schedule.world_size]])


@pytest.mark.parametrize("name", ["ring", "recursive_doubling", "halving_doubling", "direct", "double_tree", "sharp"])
def test_events_keep_the_order_whatever_the_streams_do(name, monkeypatch):
    schedule = ALGORITHMS[name](4)
    given = inputs(schedule)
    once = reduce_buffers(schedule, given)[:4]
    right = reduce_buffers(schedule, once)[:4]
    for seed in range(8):
        assert on_streams(schedule, given, seed, monkeypatch).tobytes() == right.tobytes()


@pytest.mark.parametrize("lost", ["offered", "taken"])
def test_without_its_events_the_order_is_lost(lost, monkeypatch):
    kept = Gpu.after
    monkeypatch.setattr(Gpu, "after", lambda self, v, sign: [] if sign[0] == lost else kept(self, v, sign))
    schedule = ALGORITHMS["recursive_doubling"](4)
    given = inputs(schedule)
    right = reduce_buffers(schedule, reduce_buffers(schedule, given)[:4])[:4]
    got = [on_streams(schedule, given, seed, monkeypatch) for seed in range(8)]
    assert any(result.tobytes() != right.tobytes() for result in got)


def run(request):
    """(result, events) of a run of the whole worker in this process."""
    results, events = [], []
    watch = SimpleNamespace(cut=[], phase="")

    def one(group):
        results.append(Worker(request, group, events.append, watch, "a test").work())
        return 0

    assert run_virtual(request.num_processes, one, "cpu") == 0
    return next(result for result in results if result), events


def test_the_worker_checks_times_and_records():
    methods = (Method("ring"), Method("sharp"), Method("double_tree", segments=3))
    how = {"backend": "virtual", "repeats": 2, "seconds": 0.3}
    result, events = run(Request(4, methods, (8, 4800), op="avg", **how))
    assert [row["label"] for row in result["rows"]] == [m.label for m in methods] * 2
    assert all(row["median"] > 0 for row in result["rows"])
    assert result["about"]["versions"]["virtual ranks"].startswith("one memory system")
    traces = [trace.load(event["data"]) for event in events if event["ev"] == "trace"]
    assert len(traces) == 6
    for measured in traces:
        assert measured.origin == "measured: virtual ranks on one device"
        assert measured.about["clock"]["impossible"] == 0
        assert measured.seconds > 0
    ring = traces[3]  # of 4800 bytes
    sends = ring.end - ring.start
    assert (sends > 0).all()
    step = [ring.end[a:b].max() for a, b in zip(ring.schedule.step_ptr[:-1], ring.schedule.step_ptr[1:])]
    assert step == sorted(step)  # nobody finishes a step before the one it builds on


def test_a_fault_in_one_virtual_rank_is_refused():
    request = Request(2, (Method("ring"),), (8,), backend="virtual", fault={"kind": "kill", "rank": 1})
    assert "none of them can fail alone" in request.refuse()
    assert "device is 'tpu'" in Request(2, (Method("ring"),), (8,), device="tpu").refuse()


@pytest.mark.live
def test_the_launcher_starts_it_and_leaves_nothing():
    from core.run import launch, processes

    request = Request(4, (Method("ring"),), (4096,), backend="virtual", device="cpu", repeats=1, seconds=0.2)
    job = launch.submit(request, "a test", idle=60)
    assert job.wait(90)
    assert job.state == "done", job.error
    assert trace.load(job.traces[0]["data"]).source == "virtual"
    assert processes.of_run(job.run_id) == []
