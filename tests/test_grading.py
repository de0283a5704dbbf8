"""Schedules as text, exercises that verifiably fail, and judges that have no key."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from core.algorithms import ALGORITHMS
from core.collective import ALL_REDUCE
from core.grading.damage import complete_cells, first_steps, without_link
from core.grading.exercise import judge
from core.grading.tasks import NAMES, build_ring, fill, mutant, repair, shape_of
from core.grading.text import MAX_PROBLEMS, MAX_RANKS, BadText, Shape, parse, show
from core.schedule import COPY, REDUCE, Schedule, send
from core.verify import verify

FOUR = Shape(4, 4)
COLUMNS = ("src", "dst", "chunk", "count", "op", "into", "step_ptr")
RING = ALGORITHMS["ring"](4)


def same(one: Schedule, two: Schedule) -> bool:
    return all(np.array_equal(getattr(one, c), getattr(two, c)) for c in COLUMNS) and one.phases == two.phases


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_can_be_written_and_read(name):
    for world_size in (1, 2, 3, 4, 6, 8, 13, 16):
        if not ALGORITHMS[name].refuse(world_size):
            schedule = ALGORITHMS[name](world_size)
            assert same(parse(show(schedule), shape_of(schedule), phases=schedule.phases), schedule)


@given(some.data())
@settings(max_examples=60, deadline=None)
def test_any_schedule_can_be_written_and_read(data):
    ranks, chunks, buffers = data.draw(some.tuples(some.integers(2, 9), some.integers(1, 9), some.integers(1, 2)))
    shape, steps = Shape(ranks, chunks, buffers), []
    for _ in range(data.draw(some.integers(0, 5))):
        rows = []
        for _ in range(data.draw(some.integers(0, 6))):
            src, dst = data.draw(some.permutations(range(ranks + 2)))[:2]
            count = data.draw(some.integers(1, chunks))
            chunk, into = (data.draw(some.integers(0, shape.num_slots - count)) for _ in range(2))
            rows.append((src, dst, chunk, into, count, data.draw(some.sampled_from((COPY, REDUCE)))))
        src, dst, chunk, into, count, op = zip(*rows) if rows else ((),) * 6
        steps.append(send(src, dst, chunk, count, op=op, into=into))
    schedule = Schedule.from_steps(steps, name="any", world_size=ranks, num_chunks=chunks, num_buffers=buffers)
    assert same(parse(show(schedule), shape), schedule)


def test_the_text_is_what_the_course_says():
    text = "1: 0->1:c0+; 1->2:c1+      # a remark\n\n2: r0 -> s0 : c0-1, 3 copy\n2: s0->2:c1=\nstep 3: 2→3:c3 reduce\n"
    schedule = parse(text, FOUR)
    assert show(schedule) == "1: 0->1:c0+; 1->2:c1+\n2: 0->s0:c0-1,c3=; s0->2:c1=\n3: 2->3:c3+\n"
    assert schedule.num_vertices == 5


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("1: 0=>1:2", 1, "cannot read '0=>1:2' (write 0->1:c2+)"),
        ("1: 0->1:c0+; 1->2:c1", 1, "(write 1->2:c1+)"),
        ("# a remark\n0->1:c0+", 2, "begin with the number of the step: 1:"),
        ("1: 0->1:c0+\n3: 0->1:c0+", 2, "step 3 cannot stand here: the next step is 2"),
        ("1: 0->1:c0+\n2: 1->2:c0+\n1: 2->3:c0+", 3, "step 1 cannot stand here"),
        ("1: 0->4:c0+", 1, "there is no rank 4: ranks are 0 to 3"),
        ("1: 0->1:c2-4+", 1, "there is no chunk 4: chunks are c0 to c3"),
        ("1: 0->1:c0@c4+", 1, "there is no chunk 4"),
        ("1: 0->1:c3-1+", 1, "run backwards (write c1-3)"),
        ("1: 2->2:c0=", 1, "to itself"),
        ("1: 0->s64:c0=", 1, "there is no switch s64"),
        ("1: __import__('os')", 1, "cannot read"),
        ("1: " + "9" * 5000, 1, "cannot read"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(text, line, says):
    with pytest.raises(BadText) as caught:
        parse(text, FOUR)
    assert [number for number, _ in caught.value.problems] == [line]
    assert says in caught.value.problems[0][1]


def test_a_line_that_cannot_be_read_spoils_no_other():
    with pytest.raises(BadText) as caught:
        parse("1: 0->1:c0?\n2: 1->2:c0+\n3: oops\n4: 2->3:c0+", FOUR)
    assert [line for line, _ in caught.value.problems] == [1, 3]


def test_all_problems_are_told_up_to_a_limit():
    with pytest.raises(BadText) as caught:
        parse("1: x\n" * 100, FOUR)
    assert len(caught.value.problems) == MAX_PROBLEMS


@pytest.mark.parametrize(
    ("text", "shape", "says"),
    [
        ("1: 0->1:c0+", Shape(MAX_RANKS + 1, 4), "65 ranks"),
        ("1: 0->1:c0+", Shape(0, 4), "0 ranks"),
        ("#" * 2_000_001, FOUR, "characters"),
        ("\n".join(f"{s}:" for s in range(1, 4098)), FOUR, "more than 4,096 steps"),
        ("1: 0->1:" + ",".join(["c0"] * 200_001) + "+", FOUR, "more than 200,000 transfers"),
    ],
)
def test_too_much_is_refused_before_it_is_built(text, shape, says):
    with pytest.raises(BadText, match=says):
        parse(text, shape)


@pytest.mark.parametrize("seed", range(30))
def test_a_broken_ring_is_refused_and_its_repair_accepted(seed):
    task, again = repair(RING, seed), repair(RING, seed)
    assert task == again
    verdict = judge(task, task.text)
    assert not verdict.accepted
    for part in ("step", "rank", "chunk", "contribution"):
        assert part in verdict.message
    assert judge(task, show(RING)).accepted
    assert len(task.hints) == 3
    assert task.hints[2].split("`")[1] in show(RING)


def test_the_mistakes_are_of_every_kind():
    assert {mutant(RING, seed).kind for seed in range(60)} == set(NAMES)


def test_a_mistake_names_the_step_at_which_it_shows():
    text = show(RING).replace("1: 0->1:c3+", "1: 0->1:c3=", 1)
    message = judge(repair(RING, 0), text).message
    assert "After step 1, chunk 3 of rank 1 misses the contribution of rank 1." in message


def test_a_race_is_told_as_a_race():
    message = judge(build_ring(3), "1: 0->1:c0+; 2->1:c0=").message
    assert "In step 1, chunk 0 of rank 1 is overwritten while another transfer" in message


@pytest.mark.parametrize("name", ["direct", "halving_doubling"])
def test_any_schedule_that_is_right_is_accepted(name):
    other = ALGORITHMS[name](4)
    assert other.num_chunks == RING.num_chunks
    assert judge(repair(RING, 1), show(other)).accepted


@pytest.mark.parametrize("seed", range(8))
def test_a_blank_step_must_be_filled(seed):
    task = fill(RING, seed)
    assert not judge(task, task.text).accepted
    assert judge(task, show(RING)).accepted
    blank = [i for i, line in enumerate(task.text.splitlines()) if line.rstrip().endswith(":")]
    assert len(blank) == 1
    filled = task.text.splitlines()
    filled[blank[0]] = task.hints[2].split("`")[1]
    assert judge(task, "\n".join(filled)).accepted


def test_building_from_nothing_accepts_a_ring_and_not_nothing():
    task = build_ring(3)
    assert not judge(task, task.text).accepted
    assert judge(task, show(ALGORITHMS["ring"](3))).accepted
    assert judge(task, "1: 0->1").problems == ((1, "cannot read '0->1' (write 0->1:c0+)"),)


def test_what_a_dead_link_costs():
    """Checked by hand on paper for 4 ranks: one cell survives; the last step costs one cell, the first costs four."""
    assert np.argwhere(complete_cells(without_link(RING, 2, 3))).tolist() == [[2, 2]]
    assert np.argwhere(~complete_cells(without_link(RING, 2, 3, {5}))).tolist() == [[3, 0]]
    assert np.argwhere(~complete_cells(without_link(RING, 2, 3, {0}))).tolist() == [[0, 1], [1, 1], [2, 1], [3, 1]]
    assert complete_cells(RING).all()


def test_the_first_half_of_a_ring_is_a_reduce_scatter():
    assert np.array_equal(complete_cells(first_steps(RING, 3)), np.eye(4, dtype=bool))
    assert verify(first_steps(RING, 99), ALL_REDUCE).right


def test_a_schedule_without_transfers_makes_no_exercise_and_says_so():
    one = ALGORITHMS["ring"](1)
    with pytest.raises(ValueError, match="sends nothing"):
        fill(one, seed=0)
    with pytest.raises(ValueError, match="no single mistake"):
        repair(one, seed=0)
    with pytest.raises(ValueError, match="2 or more"):
        build_ring(1)
