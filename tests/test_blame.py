"""The explanation of a wrong schedule: the step, the transfer, whose inputs are missing, and what would repair it."""

import pytest

from core.algorithms import ALGORITHMS
from core.blame.waits import STYLES, Call, check_waits, programs, stuck
from core.collective import ALL_REDUCE
from core.edits import Edit, dropped, edited, flipped, hop, moved, redirected, reversed_, shifted
from core.schedule import COPY, REDUCE, Schedule, send
from core.verify import verify
from tests.slow_proof import is_right

RING = ALGORITHMS["ring"](4)
ROW = 6  # step 1: rank 2 -> rank 3, chunk 0, REDUCE; it carries ranks 1 and 2
LAST = 18  # step 4: rank 2 -> rank 3, chunk 1, COPY


def report_of(edit, schedule=RING):
    return verify(edited(schedule, edit), ALL_REDUCE)


def test_the_rows_these_tests_speak_of():
    assert hop(RING, ROW) == (1, 2, 3, 0, 1, REDUCE, 0)
    assert hop(RING, LAST) == (4, 2, 3, 1, 1, COPY, 1)


def test_a_missing_hop_says_who_should_have_sent_what_and_when():
    report = report_of(dropped(RING, ROW))
    assert (report.kind, report.step, report.transfers) == ("missing hop", 1, ())
    assert report.hops[0] == hop(RING, ROW)
    assert (report.at.vertex, report.at.chunk, report.at.step, report.at.missing) == (3, 0, 2, (1, 2))
    assert {(cell.vertex, cell.missing) for cell in report.cells} == {(v, (1, 2)) for v in range(4)}
    assert "in step 2, a transfer is missing (rank 2 -> rank 3, chunk 0, REDUCE)" in report.sentence
    assert "chunk 0 of rank 3 misses the inputs of ranks 1 and 2" in report.sentence


@pytest.mark.parametrize(
    ("edit", "kind", "says"),
    [
        (flipped(RING, ROW), "overwritten too early", "should add (REDUCE), not overwrite"),
        (flipped(RING, LAST), "double addition", "should overwrite (COPY), not add"),
        (reversed_(RING, ROW), "wrong direction", "goes the wrong way: rank 2 should send to rank 3"),
        (shifted(RING, ROW, 1), "wrong chunk", "should carry chunk 0"),
        (redirected(RING, LAST, dst=0), "wrong partner", "should go to rank 3"),
        (redirected(RING, ROW, src=0), "wrong partner", "should come from rank 2"),
        (moved(RING, LAST, 2), "wrong step", "comes too early: it belongs in step 5"),
    ],
)
def test_a_changed_transfer_is_named_with_its_mistake(edit, kind, says):
    report = report_of(edit)
    assert report.kind == kind
    assert says in report.sentence
    assert f"transfer {report.transfers[0]} (" in report.sentence
    assert is_right(edited(edited(RING, edit), report.repairs[0]), ALL_REDUCE)


def test_of_two_equal_transfers_either_may_go():
    report = report_of(Edit("duplicate", None, (hop(RING, ROW),)))
    assert (report.kind, report.transfers[:2]) == ("double addition", (6, 8))
    assert "or transfer 8, which does the same" in report.sentence


def test_every_repair_is_proved_and_the_rest_is_counted():
    broken = edited(RING, dropped(RING, ROW))
    report = verify(broken, ALL_REDUCE)
    assert len(report.repairs) == 3
    assert report.more_repairs == int(report.sentence.split(" other single change")[0].split()[-1]) - 2
    assert report.searched_all
    for repair in report.repairs:
        assert is_right(edited(broken, repair), ALL_REDUCE)


def test_a_missing_message_of_several_chunks_is_one_hop():
    schedule = ALGORITHMS["halving_doubling"](8)
    report = report_of(dropped(schedule, 1), schedule)
    assert report.hops[0] == hop(schedule, 1)
    assert report.hops[0].count == 4


def test_a_race_names_the_likeliest_culprit_first():
    direct = ALGORITHMS["direct"](4)
    report = report_of(flipped(direct, 4), direct)
    assert (report.kind, report.transfers) == ("race", (4,))
    assert "transfers 1, 4 and 11 write chunk 2 of rank 2 at the same time" in report.sentence
    assert "should add (REDUCE), not overwrite" in report.sentence


def test_two_faults_in_different_chunks_are_both_named():
    broken = edited(edited(RING, flipped(RING, LAST)), dropped(RING, ROW))
    report = verify(broken, ALL_REDUCE)
    assert (report.right, report.faults, report.repairs, report.step) == (False, 2, (), 1)
    assert report.hops == (hop(RING, ROW),)
    assert report.transfers == (LAST - 1,)
    assert "no single change makes it right" in report.sentence


def test_a_schedule_that_stops_half_way_says_what_nothing_brings():
    half = Schedule.from_steps(list(RING)[:3], name="half", world_size=4, num_chunks=4)
    report = verify(half, ALL_REDUCE)
    assert (report.kind, report.step, report.transfers) == ("missing hop", 2, ())
    assert "nothing brings what is missing: chunk 0 of rank 1 misses" in report.sentence


def several(*steps):
    return Schedule.from_steps(steps, name="mine", world_size=4, num_chunks=1)


def test_a_double_addition_is_followed_back_to_its_step():
    everyone = send([1, 2, 3], 0, chunk=0, op=REDUCE)
    wrong = several(everyone, send([1, 2], 0, chunk=0, op=REDUCE), send(0, [1, 2, 3], chunk=0, op=COPY))
    report = verify(wrong, ALL_REDUCE)
    assert (report.kind, report.step, report.transfers) == ("double addition", 1, (3,))
    assert report.at.doubled == (1, 2)


def test_what_is_lost_is_followed_back_to_the_copy_that_lost_it():
    gather = send([1, 2], 0, chunk=0, op=REDUCE)
    wrong = several(gather, send(3, 0, chunk=0, op=COPY), send(0, [1, 2], chunk=0, op=COPY))
    report = verify(wrong, ALL_REDUCE)
    assert (report.kind, report.step) == ("overwritten too early", 1)
    assert 2 in report.transfers


def test_a_fingerprint_of_the_flow_is_not_fooled_by_a_wrong_repair():
    """The search works with random numbers; whatever it finds is proved. 300 reports, every repair right."""
    schedule = ALGORITHMS["recursive_doubling"](6)
    count = 0
    for row in range(schedule.num_transfers):
        for edit in (dropped(schedule, row), flipped(schedule, row), reversed_(schedule, row)):
            broken = edited(schedule, edit)
            for repair in verify(broken, ALL_REDUCE).repairs:
                assert is_right(edited(broken, repair), ALL_REDUCE)
                count += 1
    assert count > 60


def test_a_large_schedule_says_when_not_everything_was_tried():
    schedule = ALGORITHMS["direct"](64)
    report = report_of(flipped(schedule, 65), schedule)
    assert report.transfers[0] == 65
    assert not report.searched_all
    assert "Not every other change was tried" in report.sentence


def test_ranks_that_all_send_first_wait_in_a_circle():
    report = check_waits(RING, "send first")
    assert (report.right, report.kind, report.step) == (False, "cycle of waits", 0)
    assert sorted(report.transfers) == [0, 1, 2, 3]
    assert "rank 0 waits until rank 1 receives" in report.sentence


@pytest.mark.parametrize("style", ["row order", "together"])
@pytest.mark.parametrize("name", ["ring", "recursive_doubling", "direct", "sharp", "census"])
def test_careful_programs_always_end(name, style):
    assert check_waits(ALGORITHMS[name](6), style).right


def test_a_tree_has_no_circle():
    for style in STYLES:
        assert check_waits(ALGORITHMS["binomial_tree"](7), style).right


def test_programs_written_by_hand():
    send_to, receive_from = (lambda p: [Call("send", p)]), (lambda p: [Call("receive", p)])
    assert stuck([[send_to(1), receive_from(1)], [receive_from(0), send_to(0)]]) is None
    circle = stuck([[send_to(1), receive_from(1)], [send_to(0), receive_from(0)]])
    assert (circle.kind, circle.ranks) == ("cycle of waits", (0, 1))
    alone = stuck([[send_to(1), send_to(1)], [[], receive_from(0)]])
    assert (alone.kind, alone.ranks, alone.calls) == ("unmatched", (0,), (Call("send", 1),))
    waiting_for_the_circle = stuck([[receive_from(1)], [send_to(2)], [send_to(1)]])
    assert set(waiting_for_the_circle.ranks) == {1, 2}


def test_every_transfer_is_one_send_and_one_receive():
    for style in STYLES:
        calls = [call for program in programs(RING, style) for group in program for call in group]
        assert sorted(call.row for call in calls if call.do == "send") == list(range(RING.num_transfers))
        assert sorted(call.row for call in calls if call.do == "receive") == list(range(RING.num_transfers))


def test_an_unknown_style_is_refused():
    with pytest.raises(ValueError, match="choose one of send first"):
        programs(RING, "sideways")
