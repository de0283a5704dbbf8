"""The exact proof: what it accepts, what it refuses, and how much memory it takes."""

import tracemalloc

import numpy as np
import pytest

from core import bitsets
from core.algorithms import ALGORITHMS
from core.bitsets import unproved_chunks
from core.collective import ALL_GATHER, ALL_REDUCE, REDUCE_SCATTER
from core.edits import dropped, edited
from core.lanes import slot_groups
from core.schedule import COPY, REDUCE, Schedule, send
from core.verify import WrongSchedule, check, verify
from tests.slow_proof import is_right

RING = ALGORITHMS["ring"]


def build(*steps, world_size=2, num_chunks=1, num_buffers=1):
    return Schedule.from_steps(
        steps, name="mine", world_size=world_size, num_chunks=num_chunks, num_buffers=num_buffers
    )


def test_a_right_schedule_is_proved():
    report = verify(RING(5), ALL_REDUCE)
    assert report.right
    assert "proved" in report.sentence
    check(RING(5), ALL_REDUCE)


def test_check_raises_the_sentence_of_the_report():
    wrong = build(send(0, 1, chunk=0, op=REDUCE))
    with pytest.raises(WrongSchedule, match="misses the input of rank 1") as raised:
        check(wrong, ALL_REDUCE)
    assert raised.value.report == verify(wrong, ALL_REDUCE)


@pytest.mark.parametrize(
    ("transfer", "complaint"),
    [
        (send(0, 1, chunk=2, op=COPY), "there are chunks 0 to 1"),
        (send(0, 1, chunk=1, count=2, op=COPY), "there are chunks 0 to 1"),
        (send(0, 1, chunk=-1, op=COPY), "there are chunks 0 to 1"),
        (send(0, 1, chunk=0, count=0, op=COPY), "there are chunks 0 to 1"),
        (send(0, 1, chunk=0, op=7), "op must be"),
        (send(1, 1, chunk=0, op=COPY), "cannot send to itself"),
        (send(-1, 1, chunk=0, op=COPY), "there are ranks 0 to 1"),
        (send(0, 10**9, chunk=0, op=COPY), "there are ranks 0 to 1"),
        (send(0, 1, chunk=0, into=2, op=COPY), "there are chunks 0 to 1"),
    ],
)
def test_refuses_what_does_not_exist(transfer, complaint):
    report = verify(build(send(0, 1, chunk=0, op=COPY), transfer, num_chunks=2), ALL_REDUCE)
    assert (report.right, report.kind, report.step, report.transfers) == (False, "out of range", 1, (1,))
    assert complaint in report.sentence
    assert "in step 2" in report.sentence


def test_a_transfer_must_stay_within_one_buffer():
    wrong = build(send(0, 1, chunk=1, count=2, into=1, op=COPY), num_chunks=2, num_buffers=2)
    assert verify(wrong, ALL_REDUCE).kind == "out of range"


@pytest.mark.parametrize("schedule", [build(), build(send([], [], [], op=COPY))])
def test_nothing_at_all_is_enough_for_one_rank_only(schedule):
    assert not verify(schedule, ALL_REDUCE).right
    assert verify(build(world_size=1), ALL_REDUCE).right


def test_counts_and_does_not_take_unions():
    """Every rank's input arrives, but some of them twice: a union of sets would be content."""
    wrong = build(
        send([0, 1, 2], [1, 2, 0], chunk=0, op=REDUCE), send([0, 1, 2], [1, 2, 0], chunk=0, op=REDUCE), world_size=3
    )
    report = verify(wrong, ALL_REDUCE)
    assert not report.right
    assert all(cell.doubled for cell in report.cells)


def test_three_times_is_as_wrong_as_twice():
    wrong = build(
        send([0, 0, 0], 1, chunk=0, op=REDUCE),  # 1 + 3 x rank 0
        send(1, 0, chunk=0, op=COPY),
    )
    assert verify(wrong, ALL_REDUCE).cells[0].doubled == (0,)


def test_what_is_doubled_and_then_overwritten_does_no_harm():
    fine = build(
        send([0, 0], 1, chunk=0, op=REDUCE),  # rank 1 has rank 0 twice ...
        send(1, 2, chunk=0, op=COPY),
        send([0, 1], [1, 0], chunk=0, op=COPY),  # ... and throws it away
        world_size=3,
    )
    only_0_counts = type(ALL_REDUCE)("mine", lambda r, c, o: (o == r) & (o == 0), lambda r, c: r == 1, lambda n: 1)
    assert len(unproved_chunks(fine, only_0_counts)) == 1  # the quick half is in doubt
    assert verify(fine, only_0_counts).right
    assert is_right(fine, only_0_counts)


def test_all_transfers_of_a_step_read_before_any_writes():
    swap = send([0, 1], [1, 0], chunk=0, op=REDUCE)
    assert verify(build(swap), ALL_REDUCE).right
    one_after_another = build(send(0, 1, chunk=0, op=REDUCE), send(1, 0, chunk=0, op=REDUCE))
    assert verify(one_after_another, ALL_REDUCE).cells[0].doubled == (0,)


def test_many_may_add_to_one_place_in_one_step():
    star = build(send([1, 2, 3], 0, chunk=0, op=REDUCE), send(0, [1, 2, 3], chunk=0, op=COPY), world_size=4)
    assert verify(star, ALL_REDUCE).right


@pytest.mark.parametrize("second", [COPY, REDUCE])
def test_a_copy_allows_no_other_writer(second):
    report = verify(build(send([0, 2], 1, chunk=0, op=[COPY, second]), world_size=3), ALL_REDUCE)
    assert not report.right
    assert report.kind == "race"
    assert (report.at.vertex, report.at.chunk, report.step) == (1, 0, 0)
    assert "transfers 0 and 1 write chunk 0 of rank 1" in report.sentence


def test_switches_add_without_an_input_of_their_own():
    up_and_down = [send([0, 1], 2, chunk=0, op=REDUCE), send(2, [0, 1], chunk=0, op=COPY)]
    assert verify(build(*up_and_down), ALL_REDUCE).right


def test_scratch_starts_empty_and_does_not_count_at_the_end():
    """Both ranks add into the other's scratch buffer, then nothing more: the data is still their own."""
    to_scratch = send([0, 1], [1, 0], chunk=0, into=1, op=REDUCE)
    assert not verify(build(to_scratch, num_buffers=2), ALL_REDUCE).right
    home = send([0, 1], [1, 0], chunk=1, into=0, op=COPY)  # each gets its own input back
    assert not verify(build(to_scratch, home, num_buffers=2), ALL_REDUCE).right
    swap = build(to_scratch, send([0, 1], [1, 0], chunk=0, op=REDUCE), num_buffers=2)
    assert verify(swap, ALL_REDUCE).right


def test_a_chunk_is_not_right_in_the_place_of_another():
    """Rank 1 ends with one input of each rank in each place, but chunk 0 where chunk 1 belongs."""
    crossed = send([0, 0, 1, 1], [1, 1, 0, 0], chunk=[0, 1, 0, 1], into=[1, 0, 1, 0], op=COPY)
    straight = send([0, 0, 1, 1], [1, 1, 0, 0], chunk=[1, 0, 1, 0], into=[0, 1, 0, 1], op=COPY)
    both = send([0, 1], [1, 0], chunk=0, count=2, op=REDUCE)
    wrong = build(crossed, both, num_chunks=2)
    assert slot_groups(wrong).tolist() == [0, 0]
    assert not verify(wrong, ALL_REDUCE).right
    assert not is_right(wrong, ALL_REDUCE)
    right = build(crossed, straight, both, num_chunks=2)
    assert verify(right, ALL_REDUCE).right
    assert is_right(right, ALL_REDUCE)


def test_other_collectives_need_other_places():
    gather = ALGORITHMS["ring_all_gather"](4)
    assert verify(gather, ALL_GATHER).right
    assert not verify(gather, ALL_REDUCE).right
    scatter = ALGORITHMS["ring_reduce_scatter"](4)
    assert verify(scatter, REDUCE_SCATTER).right
    report = verify(scatter, ALL_REDUCE)
    assert {(cell.vertex, cell.chunk) for cell in report.cells} == {
        (r, c) for r in range(4) for c in range(4) if r != c
    }


@pytest.mark.parametrize("world_size", [63, 64, 65, 130])
def test_bit_sets_of_any_width(world_size):
    schedule = ALGORITHMS["halving_doubling"](world_size)
    assert verify(schedule, ALL_REDUCE).right
    last = schedule.num_transfers - 1
    assert not verify(without(schedule, last), ALL_REDUCE).right


def without(schedule, row):
    return edited(schedule, dropped(schedule, row))


@pytest.mark.parametrize("memory", [1, 1 << 14, 1 << 30])
def test_blocks_of_chunks_give_the_same_verdict(memory, monkeypatch):
    monkeypatch.setattr(bitsets, "MEMORY", memory)
    for name in ("ring", "halving_doubling", "census"):
        schedule = ALGORITHMS[name](13)
        assert unproved_chunks(schedule, ALL_REDUCE).tolist() == []
        broken = without(schedule, 7)
        wrong = {cell.chunk % schedule.num_chunks for cell in verify(broken, ALL_REDUCE).cells}
        assert set(unproved_chunks(broken, ALL_REDUCE).tolist()) == wrong


def test_1024_ranks_within_256_mib():
    schedule = RING(1024)
    tracemalloc.start()
    try:
        assert verify(schedule, ALL_REDUCE).right
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    columns = sum(getattr(schedule, c).nbytes for c in ("src", "dst", "chunk", "count", "op"))
    assert peak + columns < 256 << 20


def test_the_wrong_places_of_a_large_schedule_are_cut_off():
    schedule = RING(64)
    half = Schedule.from_steps(list(schedule)[:63], name="half", world_size=64, num_chunks=64)
    report = verify(half, ALL_REDUCE)
    assert len(report.cells) == 256
    assert "at least 256 places" in report.sentence
    assert np.unique([cell.vertex for cell in report.cells]).size > 1
