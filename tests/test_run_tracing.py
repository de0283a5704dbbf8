"""Which moments of a run are stamped, and what it costs to look at the clock."""

from types import SimpleNamespace

from core.algorithms import ALGORITHMS
from core.run.plan import Instruction, pieces, program
from core.run.tracing import Recorder


def recorder_of(instructions, cut, vertex=0):
    """A recorder whose acts note themselves."""
    done = []
    acts = [lambda i=i: done.append(i) for i in instructions]
    executor = SimpleNamespace(doing=instructions, acts=acts, program=SimpleNamespace(vertex=vertex))
    return Recorder(executor, cut), done


def test_a_piece_is_stamped_before_it_is_offered_and_after_its_last_use():
    ring = ALGORITHMS["ring"](2)
    cut = pieces(ring, 8)
    instructions = list(program(ring, 0, cut, 8, "sum", 4).instructions)
    recorder, done = recorder_of(instructions, cut)
    stamp = recorder.acts[recorder.doing.index(None)]
    around = [(i and i.do, i and i.piece) for i in recorder.doing]
    assert around[: around.index((None, None)) + 2] == [("receive", 1), (None, None), ("send", 0)]
    assert around[around.index(("reduce", 1)) + 1] == (None, None)
    assert recorder.marks == [(0, 0), (1, 1), (2, 0), (3, 1)]
    assert sum(act is stamp for act in recorder.acts) == 4
    recorder.run()
    assert done == instructions
    assert len(recorder.seen()) == 4
    assert (recorder.seen()[1:] >= recorder.seen()[:-1]).all()


def test_only_the_last_run_is_kept():
    ring = ALGORITHMS["ring"](3)
    cut = pieces(ring, 9)
    recorder, _ = recorder_of(list(program(ring, 0, cut, 9, "sum", 4).instructions), cut)
    recorder.run()
    first = recorder.seen()
    recorder.run()
    assert len(first) == len(recorder.seen()) == len(recorder.marks)
    assert recorder.seen()[0] >= first[-1]


def test_a_send_of_several_acts_is_stamped_once():
    cut = pieces(ALGORITHMS["ring"](2), 8)
    recorder, _ = recorder_of([Instruction("send", 0), Instruction("send", 0), Instruction("arrived", 1)], cut)
    assert recorder.marks == [(0, 0), (1, 1)]
    assert [i and i.do for i in recorder.doing] == [None, "send", "send", "arrived", None]


def test_looking_at_the_clock_takes_no_frame_of_python():
    """What is called between two acts is C alone: a Python function would cost half as much again."""
    cut = pieces(ALGORITHMS["ring"](2), 8)
    recorder, _ = recorder_of([Instruction("send", 0)], cut)
    assert not hasattr(recorder.acts[0], "__code__")
    assert not hasattr(recorder.acts[0], "__func__")
