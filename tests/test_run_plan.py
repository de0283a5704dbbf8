"""Carry out every vertex's program in one process, at the worst possible moments, and compare the bits with replay."""

import random

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.replay import OPS, identity, reduce_buffers
from core.run.plan import pieces, programs
from core.schedule import COPY, REDUCE, Schedule, messages, send, together


class Machine:
    """All vertices in one process. A piece moves either as early or as late as the rules of MPI allow."""

    def __init__(self, schedule, inputs, op, layout, early, seed):
        self.early, self.random, self.reduce = early, random.Random(seed), OPS[op]
        self.cut = pieces(schedule, inputs.shape[1], layout)
        plans = programs(schedule, self.cut, inputs.shape[1], op, inputs.itemsize)
        self.programs = [plan.instructions for plan in plans]
        self.data = [np.full(plan.num_elements, 99, inputs.dtype) for plan in plans]
        for vertex, row in enumerate(inputs):
            self.data[vertex][: len(row)] = row
        self.staging = [np.full(plan.num_staging, 77, inputs.dtype) for plan in plans]
        self.empty, self.world_size = identity(op, inputs.dtype), schedule.world_size
        self.source, self.target, self.moved = {}, {}, set()

    def run(self):
        """Carry everything out, always choosing at random which vertex goes on."""
        at = [0] * len(self.programs)
        while any(place < len(program) for place, program in zip(at, self.programs)):
            ready = [v for v, program in enumerate(self.programs) if at[v] < len(program) and self._can(program[at[v]])]
            assert ready, "every vertex waits: the programs are deadlocked"
            vertex = self.random.choice(ready)
            self._do(vertex, self.programs[vertex][at[vertex]])
            at[vertex] += 1
        return self.data

    def _can(self, instruction):
        if instruction.do == "sent":  # a receiver that has not posted anything holds the sender back
            return instruction.piece in self.target
        return instruction.do != "arrived" or instruction.piece in self.source

    def _do(self, vertex, instruction):
        do, piece = instruction.do, instruction.piece
        target, source = (self._view(vertex, span) for span in (instruction.target, instruction.source))
        if do == "receive":
            self.target[piece] = target
            if not self.early:
                target[...] = 55  # what is under a posted receive may be anything
        elif do == "send":
            self.source[piece] = source
        elif do == "reduce":
            self.reduce(target, source, out=target)
        elif do == "copy":
            target[...] = source
        elif do == "fill":
            target[...] = self.empty
        elif do == "divide":
            target[...] = target // self.world_size if target.dtype.kind in "iu" else target / self.world_size
        both = piece in self.source and piece in self.target
        if both and piece not in self.moved and (self.early or do in ("arrived", "sent")):
            self.target[piece][...] = self.source[piece]
            self.moved.add(piece)

    def _view(self, vertex, span):
        return None if span is None else getattr(self, span.area)[vertex][span.first : span.last]


def same_bits(schedule, num_elements, op="sum", dtype=np.float32, layout="even", **moments):
    random = np.random.default_rng(schedule.world_size)
    inputs = (random.random((schedule.world_size, num_elements)) * 9 + 1).astype(dtype)
    machine = Machine(schedule, inputs, op, layout, **moments)
    found = np.array(machine.run())[:, :num_elements]
    ranks = slice(0, schedule.world_size)  # only ranks divide
    expected = reduce_buffers(schedule, inputs, op, layout)
    return found[ranks].tobytes() == expected[ranks].tobytes()


def moments():
    return [{"early": early, "seed": seed} for early in (True, False) for seed in (1, 2)]


def sizes(schedule):
    return {0, 1, schedule.world_size - 1, 3 * schedule.num_chunks, 3 * schedule.num_chunks + 2}


@pytest.mark.parametrize("world_size", range(1, 10))
@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_gives_the_bits_of_replay(name, world_size):
    algorithm = ALGORITHMS[name]
    if algorithm.refuse(world_size):
        pytest.skip(algorithm.refuse(world_size))
    schedule = algorithm(world_size)
    for num_elements in sizes(schedule):
        for moment in moments()[::2]:
            assert same_bits(schedule, num_elements, **moment), (num_elements, moment)


@pytest.mark.parametrize("layout", ["ceil", "floor_last", "aligned"])
def test_other_chunk_layouts(layout):
    assert same_bits(ALGORITHMS["ring"](5), 23, layout=layout, early=False, seed=3)


@pytest.mark.parametrize(
    ("op", "dtype"),
    [("avg", np.float32), ("avg", np.int64), ("prod", np.float64), ("max", np.int32), ("min", np.float16)],
)
def test_ops_and_dtypes_with_a_switch(op, dtype):
    schedule = ALGORITHMS["sharp"](3)
    assert same_bits(schedule, 7, op, dtype, early=True, seed=4)


def schedule_of(*steps, world_size=3, num_chunks=3, num_buffers=1):
    return Schedule.from_steps(
        steps, name="made up", world_size=world_size, num_chunks=num_chunks, num_buffers=num_buffers
    )


def of_step(schedule, num_elements, vertex):
    plan = programs(schedule, pieces(schedule, num_elements), num_elements, "sum", 4)[vertex]
    return [(i.do, i.piece) for i in plan.instructions], plan


def test_a_step_that_sends_what_it_changes_waits_for_the_send_first():
    swap = send([0, 1], [1, 0], chunk=0, count=3, op=REDUCE)
    doing, _ = of_step(schedule_of(swap, world_size=2), 6, 0)
    assert doing.index(("sent", 0)) < doing.index(("reduce", 1))


def test_a_step_that_keeps_its_own_does_not_wait():
    ring = ALGORITHMS["ring"](3)
    doing, _ = of_step(ring, 6, 0)
    assert doing.index(("reduce", 2)) < doing.index(("sent", 0))


def test_pieces_for_one_place_have_slots_of_their_own():
    tree = send([1, 2], [0, 0], chunk=0, count=3, op=REDUCE)
    _, plan = of_step(schedule_of(tree), 6, 0)
    spans = [i.target for i in plan.instructions if i.do == "receive"]
    assert {span.area for span in spans} == {"staging"}
    assert spans[0].last <= spans[1].first
    assert spans[1].first % 16 == 0  # 16 floats are a cache line


def test_additions_follow_the_schedule_although_pieces_are_merged():
    """Rank 1's chunks 0 and 1 travel as one piece, but rank 2's chunk 1 is added before rank 1's chunk 1."""
    step = together(send(src, 0, chunk=chunk, op=REDUCE) for src, chunk in ((1, 0), (2, 1), (1, 1)))
    schedule = schedule_of(step)
    assert [(p.src, p.first, p.last) for p in pieces(schedule, 9)] == [(1, 0, 6), (2, 3, 6)]
    for moment in moments():
        assert same_bits(schedule, 9, **moment)


def test_a_swap_by_copy_goes_through_the_staging_area():
    swap = schedule_of(send([0, 1], [1, 0], chunk=0, op=COPY), world_size=2)
    _, plan = of_step(swap, 6, 0)
    assert [i.target.area for i in plan.instructions if i.do == "receive"] == ["staging"]
    for moment in moments():
        assert same_bits(swap, 6, **moment)


def test_a_copy_that_nobody_minds_arrives_in_place():
    doing, plan = of_step(schedule_of(send(0, 1, chunk=1, op=COPY)), 9, 1)
    assert doing == [("receive", 0), ("arrived", 0)]
    assert plan.instructions[0].target == ("data", 3, 6)


def test_a_chunk_for_two_places_travels_once():
    step = send(0, 1, chunk=[0, 0], into=[0, 3], op=COPY)
    schedule = schedule_of(step, num_buffers=2)
    assert len(pieces(schedule, 9)) == 1 == messages(schedule).chunks.sum()
    again = schedule_of(step, send(1, 2, chunk=3, into=0, op=REDUCE), num_buffers=2)
    for moment in moments():
        assert same_bits(again, 9, **moment)


def test_chunks_far_apart_are_pieces_of_one_message():
    schedule = schedule_of(send(0, 1, chunk=[0, 2], op=COPY))
    assert [p.number for p in pieces(schedule, 9)] == [0, 1]
    assert len(messages(schedule).step) == 1


def test_empty_chunks_are_left_out_on_both_sides():
    schedule = ALGORITHMS["ring"](8)
    cut = pieces(schedule, 2)
    assert 0 < len(cut) < schedule.num_transfers
    assert all(p.first < p.last for p in cut)


def test_every_piece_is_posted_and_awaited_once_on_each_side():
    schedule = ALGORITHMS["halving_doubling"](6)
    cut = pieces(schedule, 40)
    plans = programs(schedule, cut, 40, "sum", 4)
    for do, side in (("receive", "dst"), ("arrived", "dst"), ("send", "src"), ("sent", "src")):
        found = sorted((i.piece, plan.vertex) for plan in plans for i in plan.instructions if i.do == do)
        assert found == [(p.number, getattr(p, side)) for p in cut]


def test_all_arrivals_of_a_step_come_before_the_first_wait_for_a_send():
    """A backend whose receivers fetch the data themselves would deadlock otherwise."""
    for name in ("ring", "direct", "halving_doubling"):
        schedule = ALGORITHMS[name](4)
        cut = pieces(schedule, 16)
        for plan in programs(schedule, cut, 16, "sum", 4):
            seen = {}
            for i in plan.instructions:
                if i.do in ("arrived", "sent"):
                    seen.setdefault(cut[i.piece].step, []).append(i.do)
            assert all(order == sorted(order) for order in seen.values())


def test_switches_and_scratch_start_each_run_empty():
    sharp = ALGORITHMS["sharp"](2)
    plans = programs(sharp, pieces(sharp, 5), 5, "sum", 4)
    assert plans[2].instructions[0] == ("fill", -1, ("data", 0, 5), None)
    assert plans[0].instructions[0].do != "fill"
    scratch = schedule_of(send(0, 1, chunk=0, into=3, op=REDUCE), num_buffers=2)
    assert programs(scratch, pieces(scratch, 6), 6, "sum", 4)[1].instructions[0].target == ("data", 6, 12)


def test_a_chunk_moved_to_a_place_of_another_size_is_refused():
    schedule = schedule_of(send(0, 1, chunk=0, into=2, op=COPY))
    with pytest.raises(ValueError, match="transfer 0 puts a chunk where one of another size belongs"):
        pieces(schedule, 7)


def test_even_a_race_ends_as_replay_says():
    """The proof refuses such a schedule; running it must still be repeatable."""
    race = schedule_of(together([send(1, 0, chunk=0, op=COPY), send(2, 0, chunk=0, op=REDUCE)]))
    for seed in range(20):
        assert same_bits(race, 9, early=False, seed=seed)
