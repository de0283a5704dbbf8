"""Shared memory without MPI: every vertex's calls, carried out one by one in the worst order, compared with replay."""

import random

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.replay import identity, reduce_buffers
from core.run import blocks, window
from core.run.knowledge import Knowledge
from core.run.places import Places
from core.run.plan import pieces, program, programs
from core.run.segments import segmented
from core.run.waits import thinned
from core.run.window import WindowExecutor
from core.schedule import COPY, REDUCE, Schedule, send, together


class Vertex(WindowExecutor):
    """The real calls; only the memory comes from numpy, and a wait says whether it is over instead of waiting."""

    def __init__(self, plan, cut, memory, flags, kind, awaited):
        dtype, self.op, self.world_size = kind
        self.program, self.cut, self.memory = plan, cut, memory
        self.data, self.staging = memory[plan.vertex], np.full(plan.num_staging, 77, dtype)
        self.offered, self.taken = flags
        self._of_all = lambda mine: awaited
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
        known = Knowledge(self.cut, schedule.num_vertices)
        thin = [i for plan in plans for i in window.thinned(plan.instructions, self.cut, known)]
        awaited = {i.piece for i in thin if i.do == "sent"}
        self.vertices = [Vertex(plan, self.cut, memory, flags, kind, awaited) for plan in plans]
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


@pytest.mark.parametrize("world_size", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_gives_the_bits_of_replay(name, world_size):
    algorithm = ALGORITHMS[name]
    if algorithm.refuse(world_size):
        pytest.skip(algorithm.refuse(world_size))
    schedule = algorithm(world_size)
    same_bits(schedule, world_size - 1)
    same_bits(schedule, 2 * schedule.num_chunks)


@pytest.mark.parametrize("op", ["sum", "max"])
@pytest.mark.parametrize("world_size", [2, 3, 4])
@pytest.mark.parametrize("name", ["ring", "direct", "halving_doubling", "recursive_doubling", "binomial_tree", "chain"])
def test_what_is_passed_on_at_once_goes_block_by_block(name, world_size, op, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK", 8)  # bytes: two elements
    schedule = ALGORITHMS[name](world_size)
    same_bits(schedule, 7 * schedule.num_chunks + 3, op)
    memory = Memory(schedule, np.zeros((1, world_size, 7 * schedule.num_chunks), np.float32))
    turns = [i.piece for vertex in memory.vertices for i in vertex.doing if i.do == "send"]
    if name in ("ring", "direct") and world_size == 2:
        assert max(map(turns.count, turns)) >= 4


def test_no_block_is_written_over_what_is_still_to_be_read():
    size = blocks.BLOCK + 4  # bytes
    memory, mine = np.zeros(4 * size, np.uint8), np.zeros(size, np.uint8)
    other = memory[size : 2 * size]
    good = [first for first in range(0, 3 * size, 4) if blocks.worthwhile(mine, other, memory[first : first + size])]
    assert good == [0, size, *range(2 * size, 3 * size, 4)], "the same place, or nothing in common"
    assert not blocks.worthwhile(mine[:8], other[:8], memory[:8]), "too little to be worth it"


@pytest.mark.parametrize("name", ["ring", "direct", "halving_doubling", "recursive_doubling", "binomial_tree", "chain"])
def test_segments_on_their_way(name):
    schedule = segmented(ALGORITHMS[name](4), 5)
    same_bits(schedule, 2 * schedule.num_chunks + 3)


@pytest.mark.parametrize("op", ["avg", "prod", "max"])
def test_other_ops_with_a_switch(op):
    same_bits(ALGORITHMS["sharp"](3), 7, op, np.float64)


@pytest.mark.parametrize("name", ["recursive_doubling", "one_shot"])
def test_a_wait_that_is_left_out_too_many_is_noticed(name, monkeypatch):
    """The orders above are bad enough: without any wait for what was taken, results are wrong."""
    monkeypatch.setattr(window, "thinned", lambda instructions, cut, known: (i for i in instructions if i.do != "sent"))
    with pytest.raises(AssertionError):
        same_bits(ALGORITHMS[name](4), 8)


@pytest.mark.parametrize("name", ["ring_all_gather", "binomial_broadcast"])
def test_writing_to_a_receiver_that_may_not_have_begun_is_noticed(name, monkeypatch):
    monkeypatch.setattr(Knowledge, "_known_to_be_free", lambda self, piece, homes: True)
    with pytest.raises(AssertionError):
        same_bits(ALGORITHMS[name](4), 8)


def made_up(*steps, world_size=3, num_chunks=2):
    return Schedule.from_steps(steps, name="made up", world_size=world_size, num_chunks=num_chunks)


def written(schedule, num_elements=96):
    """(step, sender, receiver) of what the senders write."""
    cut = pieces(schedule, num_elements)
    return [(cut[n].step, cut[n].src, cut[n].dst) for n in sorted(Knowledge(cut, schedule.num_vertices).written)]


EARLY = together([send(1, 2, chunk=0, op=REDUCE), send(1, 0, chunk=1, op=REDUCE)])
BACK = send(0, 1, chunk=0, op=COPY)


def test_nobody_writes_where_a_third_one_may_still_read(monkeypatch):
    """Rank 0 knows that rank 1 has begun, but not that rank 2 has taken what rank 0 wants to replace."""
    schedule = made_up(EARLY, BACK)
    assert written(schedule) == []
    same_bits(schedule, 8)
    monkeypatch.setattr(Places, "touching", lambda self, first, last: iter(()))
    assert written(schedule) == [(1, 0, 1)]
    with pytest.raises(AssertionError):
        same_bits(schedule, 8)


def test_news_of_the_third_one_may_come_by_any_way():
    schedule = made_up(EARLY, send(2, 0, chunk=1, op=REDUCE), BACK)
    assert written(schedule) == [(2, 0, 1)]
    round_about = made_up(EARLY, send(2, 3, chunk=1, op=REDUCE), send(3, 0, chunk=1, op=REDUCE), BACK, world_size=4)
    assert written(round_about) == [(3, 0, 1)]
    same_bits(round_about, 8)


def test_what_the_receiver_itself_still_changes_is_not_free():
    step = together([send(1, 0, chunk=1, op=REDUCE), send(2, 1, chunk=0, op=REDUCE)])
    assert written(made_up(step, BACK)) == []
    assert written(made_up(step, send(1, 0, chunk=1, op=REDUCE), BACK)) == [(2, 0, 1)]


def test_many_receivers_fetch_what_one_sender_has():
    star = [send([1, 2], [0, 0], chunk=0, op=REDUCE), send([0, 0], [1, 2], chunk=0, op=COPY)]
    assert written(made_up(*star)) == []
    assert written(made_up(send(1, 0, chunk=0, op=REDUCE), send(0, 1, chunk=0, op=COPY))) == [(1, 0, 1)]


@pytest.mark.parametrize("name", ["ring", "direct", "halving_doubling", "binomial_tree"])
def test_second_halves_are_written_by_their_senders_and_nobody_waits_for_what_was_taken(name):
    schedule = ALGORITHMS[name](8)
    assert len(written(schedule)) * 2 == len(pieces(schedule, 96))
    assert all("sent" not in dict(waits(schedule, vertex)) for vertex in range(8))


def waits(schedule, vertex=0, num_elements=96):
    cut = pieces(schedule, num_elements)
    known = Knowledge(cut, schedule.num_vertices)
    instructions = program(schedule, vertex, cut, num_elements, "sum", 4).instructions
    return [(i.do, i.piece) for i in thinned(instructions, cut, known)]


def test_a_swap_waits_between_the_arrival_and_the_addition():
    doing = waits(ALGORITHMS["recursive_doubling"](2))
    assert [do for do, _ in doing] == ["receive", "send", "arrived", "sent", "reduce"]


def test_what_nobody_answers_is_awaited_before_it_is_overwritten():
    out, back = send(0, 1, chunk=0, op=COPY), send(2, 0, chunk=0, op=COPY)
    assert waits(made_up(out, back)) == [("send", 0), ("receive", 1), ("sent", 0), ("arrived", 1)]


def test_a_chunk_that_is_added_up_while_it_is_owed_is_awaited_first():
    """And before the arrival of what is added, so that this needs no copy."""
    out, back = send(0, 1, chunk=0, op=COPY), send(2, 0, chunk=0, op=REDUCE)
    assert [do for do, _ in waits(made_up(out, back))] == ["send", "receive", "sent", "arrived", "reduce"]


def test_at_the_end_one_wait_for_each_receiver_is_enough():
    steps = [send(0, [1, 2], chunk=chunk, op=COPY) for chunk in range(5)]
    assert waits(made_up(*steps, num_chunks=5))[-2:] == [("sent", 8), ("sent", 9)]
    assert [do for do, _ in waits(made_up(*steps, num_chunks=5))].count("sent") == 2


def test_a_long_program_is_thinned_without_comparing_everything_with_everything(monkeypatch):
    looks, touching = [], Places.touching

    def counted(self, first, last):
        looks.append(found := list(touching(self, first, last)))
        return found

    monkeypatch.setattr(Places, "touching", counted)
    doing = waits(segmented(ALGORITHMS["ring"](4), 500), num_elements=4000)
    assert sum(map(len, looks)) < 2 * len(doing)
