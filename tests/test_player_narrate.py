"""Every step in words: nothing left out, nothing invented."""

import re
from collections import Counter

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.collective import ALL_REDUCE
from core.figures.narrate import COLUMNS, Teller, rows, sentences
from core.replay import apply, each_chunk
from core.schedule import COPY, REDUCE, Schedule, send

SENT = re.compile(r"(\w+ \d+) sends (?:scratch )?chunks? (\d+)(?:–(\d+))? to (\w+ \d+)")


def schedules():
    for name, algorithm in ALGORITHMS.items():
        for world_size in (4, 6, 8):
            if not algorithm.refuse(world_size):
                yield pytest.param(algorithm(world_size), algorithm.collective, id=f"{name}-{world_size}")


@pytest.mark.parametrize(("schedule", "collective"), list(schedules()))
def test_the_full_form_mentions_every_transfer(schedule, collective):
    told = list(sentences(schedule, collective, "full"))
    assert len(told) == schedule.num_steps + 1
    for step, text in zip(schedule, told):
        name = lambda v: f"rank {v}" if v < schedule.world_size else f"switch {v - schedule.world_size}"  # noqa: E731
        moved = Counter(
            (name(step.src[i]), name(step.dst[i]), int(chunk) % schedule.num_chunks)
            for i, chunk, _ in zip(*each_chunk(step))
        )
        said = Counter()
        for src, first, last, dst in SENT.findall(text):
            for chunk in range(int(first), int(last or first) + 1):
                said[src.lower(), dst, chunk] += 1
        assert said == moved


@pytest.mark.parametrize(("schedule", "collective"), list(schedules()))
def test_right_algorithms_end_with_done_and_rows_count_every_chunk(schedule, collective):
    assert list(sentences(schedule, collective))[-1].startswith("Done: every rank holds what it needs")
    table = list(rows(schedule, collective))
    assert len(table) == int(schedule.count.sum())
    assert all(len(row) == len(COLUMNS) for row in table)


HOLDS = re.compile(
    r"(rank|switch) (\d+) now holds (scratch )?chunks? (\d+)(?:–(\d+))? (?:from (ranks? [\d, ]+|all ranks))"
)


@pytest.mark.parametrize(("schedule", "collective"), list(schedules()))
def test_whoever_is_named_is_inside_every_chunk_that_is_named(schedule, collective):
    """Chunks that travel together may come from different ranks: then nobody is named for all of them."""
    ranks, chunks = schedule.world_size, schedule.num_chunks
    state = np.zeros((schedule.num_vertices, schedule.num_slots, ranks), np.int64)
    rank, chunk = np.ogrid[:ranks, :chunks]
    state[np.arange(ranks), :chunks, np.arange(ranks)] = collective.starts(rank, chunk, rank)
    for step, text in zip(schedule, sentences(schedule, collective, "full")):
        apply(step, state)
        for kind, number, scratch, first, last, whose in HOLDS.findall(text):
            vertex = int(number) + ranks * (kind == "switch")
            begin, end = (int(c) + chunks * bool(scratch) for c in (first, last or first))
            named = set(range(ranks)) if whose == "all ranks" else {int(r) for r in re.findall(r"\d+", whose)}
            for slot in range(begin, end + 1):
                assert set(np.flatnonzero(state[vertex, slot])) == named


@pytest.mark.parametrize(("schedule", "collective"), list(schedules()))
def test_the_example_says_what_the_receiver_does(schedule, collective):
    """Overwrites and adds only what is there; stores and begins where nothing is; counts only where sums are made."""
    tell, summed = Teller(schedule, collective), (Teller(schedule, collective).total > 1).all()
    for step, text in zip(schedule, sentences(schedule, collective)):
        before = tell.counts()
        apply(step, tell.held)
        if not len(step):
            continue
        _, dst, _, there = tell.places(step, 0)
        empty = not before[dst, there].any()
        assert bool(re.search("stores|begins its sum|adds up all", text)) == empty
        assert bool(re.search("overwrites its|to its own", text)) != empty
        assert bool(re.search("adds|begins", text)) == (step.op[0] == REDUCE)
        assert ("contributions" in text) == bool(summed)


def test_ring_in_words():
    told = list(sentences(ALGORITHMS["ring"](4)))
    assert told[0] == (
        "Step 1 of 6, reduce-scatter (0 of 16 cells complete so far): 4 transfers at once. For example, rank 0 sends "
        "chunk 3 (1 of 4 contributions) to rank 1, which adds it to its own and then holds 2."
    )
    full = list(sentences(ALGORITHMS["ring"](4), form="full"))
    assert "Rank 1 sends chunk 3 to rank 2 to add; rank 2 now holds chunk 3 from ranks 0, 1, 2." in full[1]
    assert "Rank 2 sends chunk 3 to rank 3 to add; rank 3 now holds chunk 3 from all ranks (complete)." in full[2]


def test_a_broken_schedule_is_told_as_it_is():
    twice = Schedule.from_steps(
        [send(0, 1, 0, op=REDUCE), send(0, 1, 0, op=REDUCE), send(1, 0, 0, op=COPY)],
        name="broken",
        world_size=2,
        num_chunks=1,
    )
    told = list(sentences(twice, ALL_REDUCE, "full"))
    assert "rank 1 now holds chunk 0 from ranks 0 (more than once), 1." in told[1]
    assert told[-1].startswith("Not done: 2 of 2 cells are wrong at the end. 3 steps, 3 transfers.")


def test_an_empty_step_and_an_unknown_form():
    pause = Schedule.from_steps([send([], [], [], op=COPY, phase="wait")], name="pause", world_size=2, num_chunks=1)
    assert next(sentences(pause, form="full")) == "Step 1 of 1, wait (0 of 2 cells complete so far): nothing moves."
    with pytest.raises(ValueError, match="choose short or full"):
        next(sentences(pause, form="long"))
