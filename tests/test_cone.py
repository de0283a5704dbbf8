"""What fed a place, and what a transfer changes."""

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.cone import cone, influence
from core.replay import each_chunk, replay
from core.schedule import COPY, Schedule, send
from core.verify import initial_counts

NAMES = ("ring", "halving_doubling", "binomial_tree", "double_tree", "census", "sharp", "full_vector_ring", "swing")


def only(schedule, rows):
    """The schedule with these transfers and no others."""
    steps = []
    for s in range(schedule.num_steps):
        mine = rows[(rows >= schedule.step_ptr[s]) & (rows < schedule.step_ptr[s + 1])]
        columns = [getattr(schedule, c)[mine] for c in ("src", "dst", "chunk", "count")]
        steps.append(send(*columns, op=schedule.op[mine], into=schedule.into[mine]))
    return Schedule.from_steps(
        steps,
        name="part",
        world_size=schedule.world_size,
        num_chunks=schedule.num_chunks,
        num_buffers=schedule.num_buffers,
    )


def held(schedule, collective, num_vertices):
    start = np.zeros((num_vertices, schedule.num_slots, schedule.world_size), int)
    counts = initial_counts(schedule, collective)
    start[: len(counts)] = counts
    *_, end = replay(schedule, start)
    return end


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("world_size", [3, 6])
def test_a_cone_is_all_that_a_place_needs_and_no_more(name, world_size):
    algorithm = ALGORITHMS[name]
    schedule = algorithm(world_size)
    end = held(schedule, algorithm.collective, schedule.num_vertices)
    for vertex in range(world_size):
        for chunk in range(schedule.num_chunks):
            rows = cone(schedule, vertex, chunk, schedule.num_steps)
            alone = held(only(schedule, rows), algorithm.collective, schedule.num_vertices)
            assert (alone[vertex, chunk] == end[vertex, chunk]).all()
            for row in rows[:: max(1, len(rows) // 3)]:
                less = held(only(schedule, rows[rows != row]), algorithm.collective, schedule.num_vertices)
                assert (less[vertex, chunk] != end[vertex, chunk]).any()


@pytest.mark.parametrize("name", NAMES)
def test_influence_and_cone_are_two_sides_of_one_thing(name):
    """A later transfer carries on what an earlier one delivered if the earlier is in the cone of what it reads."""
    schedule = ALGORITHMS[name](6)
    step_of = schedule.step_of
    for early in range(0, schedule.num_transfers, 5):
        later = set(influence(schedule, early).tolist())
        for row in range(0, schedule.num_transfers, 3):
            slots = range(schedule.chunk[row], schedule.chunk[row] + schedule.count[row])
            fed = any(early in cone(schedule, int(schedule.src[row]), slot, int(step_of[row])) for slot in slots)
            assert fed == (row in later)


def test_what_was_overwritten_does_not_count():
    steps = [send(0, 1, chunk=0, op=COPY), send(2, 1, chunk=0, op=COPY)]
    schedule = Schedule.from_steps(steps, name="mine", world_size=3, num_chunks=1)
    assert cone(schedule, vertex=1, chunk=0, step=1).tolist() == [0]
    assert cone(schedule, vertex=1, chunk=0, step=2).tolist() == [1]
    assert cone(schedule, vertex=1, chunk=0, step=0).tolist() == []
    assert influence(schedule, 0).tolist() == []


def test_places_that_do_not_exist_are_refused():
    ring = ALGORITHMS["ring"](4)
    for place in ({"vertex": 4}, {"chunk": 4}, {"step": 7}, {"vertex": -1}):
        with pytest.raises(ValueError, match="it must be 0 to"):
            cone(ring, **{"vertex": 0, "chunk": 0, "step": 0, **place})
    with pytest.raises(ValueError, match="numbered 0 to 23"):
        influence(ring, 24)


def test_a_large_cone_is_exact():
    ring = ALGORITHMS["ring"](64)
    rows = cone(ring, vertex=5, chunk=5, step=ring.num_steps)
    assert len(rows) == 63  # rank 5 owns chunk 5: 63 additions, no copy
    moved = np.concatenate([each_chunk(step)[1] for step in ring])
    assert set(moved[rows].tolist()) == {5}
