"""Shared memory without MPI: every vertex's calls, carried out one by one in the worst order, compared with replay."""

import random

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.replay import identity, reduce_buffers
from core.run import window
from core.run.plan import pieces, program, programs
from core.run.segments import segmented
from core.run.waits import Owed, thinned
from core.run.window import WindowExecutor
from core.schedule import COPY, REDUCE, Schedule, send


class Vertex(WindowExecutor):
    """The real calls; only the memory comes from numpy, and a wait says whether it is over instead of waiting."""

    def __init__(self, plan, cut, memory, flags, kind):
        dtype, self.op, self.world_size = kind
        self.program, self.cut, self.memory = plan, cut, memory
        self.data, self.staging = memory[plan.vertex], np.full(plan.num_staging, 77, dtype)
        self.offered, self.taken = flags
        self.empty, self.turn, self.waits = identity(self.op, dtype), [0], []
        self.doing, self.acts = self._prepare()
        self.place = len(self.acts)

    def _until(self, flags, number):
        def over():
            return flags[number * window.APART] >= self.turn[0]

        self.waits.append(over)
        return over

    def start(self, values):
        self.data[: len(values)] = values
        self.turn[0] += 1
        self.place = 0

    def can(self):
        act = self.acts[self.place]
        return not any(act is wait for wait in self.waits) or act()

    def go(self):
        self.acts[self.place]()
        self.place += 1


class Memory:
    """All vertices of one schedule."""

    def __init__(self, schedule, inputs, op="sum"):
        self.schedule, num_elements = schedule, inputs.shape[-1]
        self.cut = pieces(schedule, num_elements)
        plans = programs(schedule, self.cut, num_elements, op, inputs.itemsize)
        memory = [np.full(plan.num_elements, 99, inputs.dtype) for plan in plans]
        flags = [[0] * (window.APART * len(self.cut)) for _ in range(2)]
        kind = inputs.dtype, op, schedule.world_size
        self.vertices = [Vertex(plan, self.cut, memory, flags, kind) for plan in plans]
        self.inputs = inputs  # [run, rank, element]

    def results(self, choose):
        """What every rank has at the end of its own run, when the others may still be busy: [run, rank, element].

        A vertex that is through puts its next input in place at once, and begins again.
        """
        found = np.empty_like(self.inputs)
        runs = [self._through(number, -1, found) for number in range(len(self.vertices))]
        while busy := [number for number, run in enumerate(runs) if run < len(self.inputs)]:
            ready = [number for number in busy if self.vertices[number].can()]
            assert ready, "every vertex waits: the programs are deadlocked"
            number = choose(ready)
            self.vertices[number].go()
            runs[number] = self._through(number, runs[number], found)
        return found

    def _through(self, number, run, found):
        """Which run this vertex is in, after it has begun the next one if it is through with this one."""
        vertex, ranks = self.vertices[number], self.schedule.world_size
        while run < 0 or vertex.place == len(vertex.acts):
            if run >= 0 and number < ranks:
                found[run, number] = vertex.data[: found.shape[-1]]
            run += 1
            if run == len(found):
                break
            vertex.start(self.inputs[run, number] if number < ranks else ())
        return run


def orders(world_size):
    """At random, and always as far as one vertex can get before another one may move."""
    yield random.Random(1).choice
    yield min
    yield max
    yield lambda ready: min(ready, key=lambda n: (n * 5 + 3) % (world_size * 7))


def same_bits(schedule, num_elements, op="sum", dtype=np.float32):
    values = np.random.default_rng(5).random((2, schedule.world_size, num_elements))
    inputs = (values * 9 + 1).astype(dtype)
    expected = np.stack([reduce_buffers(schedule, run, op)[: schedule.world_size] for run in inputs])
    for choose in orders(schedule.world_size):
        assert Memory(schedule, inputs, op).results(choose).tobytes() == expected.tobytes()


@pytest.mark.parametrize("world_size", [*range(1, 7), 8])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_gives_the_bits_of_replay(name, world_size):
    algorithm = ALGORITHMS[name]
    if algorithm.refuse(world_size):
        pytest.skip(algorithm.refuse(world_size))
    schedule = algorithm(world_size)
    for num_elements in (world_size - 1, 2 * schedule.num_chunks):
        same_bits(schedule, num_elements)


@pytest.mark.parametrize("name", ["ring", "direct", "halving_doubling", "recursive_doubling", "binomial_tree", "chain"])
def test_segments_on_their_way(name):
    schedule = segmented(ALGORITHMS[name](4), 5)
    same_bits(schedule, 2 * schedule.num_chunks + 3)


@pytest.mark.parametrize("op", ["avg", "prod", "max"])
def test_other_ops_with_a_switch(op):
    same_bits(ALGORITHMS["sharp"](3), 7, op, np.float64)


def test_a_wait_that_is_left_out_too_many_is_noticed(monkeypatch):
    """The orders above are bad enough: without any wait for what was taken, results are wrong."""
    none = lambda instructions, cut: (i for i in instructions if i.do != "sent")  # noqa: E731
    monkeypatch.setattr(window, "thinned", none)
    for name in ("ring", "direct", "recursive_doubling", "binomial_tree"):
        with pytest.raises(AssertionError):
            same_bits(ALGORITHMS[name](4), 8)


def waits(schedule, vertex=0, num_elements=96):
    cut = pieces(schedule, num_elements)
    return [(i.do, i.piece) for i in thinned(program(schedule, vertex, cut, num_elements, "sum", 4).instructions, cut)]


@pytest.mark.parametrize(("world_size", "segments"), [(2, 1), (2, 16), (5, 1), (5, 4)])
def test_only_the_last_pieces_are_awaited_where_receivers_answer(world_size, segments):
    """Direct: whoever sends me a result has taken what it was made of. Only who takes my last result says no more."""
    doing = [do for do, _ in waits(segmented(ALGORITHMS["direct"](world_size), segments))]
    others = world_size - 1
    assert doing.count("arrived") == 2 * segments * others
    assert doing.count("sent") == others
    assert doing[-others:] == ["sent"] * others


def test_a_swap_waits_between_the_arrival_and_the_addition():
    doing = waits(ALGORITHMS["recursive_doubling"](2))
    assert [do for do, _ in doing] == ["receive", "send", "arrived", "sent", "reduce"]


def test_what_nobody_answers_is_awaited_before_it_is_overwritten():
    out, back = send(0, 1, chunk=0, op=COPY), send(2, 0, chunk=0, op=COPY)
    schedule = Schedule.from_steps([out, back], name="made up", world_size=3, num_chunks=1)
    assert waits(schedule) == [("send", 0), ("receive", 1), ("sent", 0), ("arrived", 1)]


def test_a_chunk_that_is_added_up_while_it_is_owed_is_awaited_first():
    """And before the arrival of what is added, so that this needs no copy."""
    out, back = send(0, 1, chunk=0, op=COPY), send(2, 0, chunk=0, op=REDUCE)
    schedule = Schedule.from_steps([out, back], name="made up", world_size=3, num_chunks=1)
    assert [do for do, _ in waits(schedule)] == ["send", "receive", "sent", "arrived", "reduce"]


def test_a_long_program_is_thinned_without_comparing_everything_with_everything(monkeypatch):
    looks, touching = [], Owed._touching

    def counted(self, place):
        looks.append(found := list(touching(self, place)))
        return found

    monkeypatch.setattr(Owed, "_touching", counted)
    doing = waits(segmented(ALGORITHMS["ring"](4), 500), num_elements=4000)
    assert sum(map(len, looks)) < 2 * len(doing)
