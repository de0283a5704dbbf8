import dataclasses

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.container import BadFile, pack, unpack
from core.cost import measure
from core.machines import Machine
from core.trace import ORIGINS, Trace, load, lockstep, save

MACHINE = Machine(alpha=5e-6, beta=1 / 50e9, gamma=1 / 200e9)
NAMES = [name for name, a in ALGORITHMS.items() if not a.refuse(8)]
CASES = [(name, n) for name in NAMES for n in (1, 2, 8) if not ALGORITHMS[name].refuse(n)]


@pytest.mark.parametrize(("name", "world_size"), CASES)
@pytest.mark.parametrize("multiport", [False, True])
def test_lockstep_takes_exactly_the_counted_time(name, world_size, multiport):
    algorithm, machine = ALGORITHMS[name], dataclasses.replace(MACHINE, multiport=multiport)
    schedule = algorithm(world_size)
    trace, expected = lockstep(schedule, 8_000_000, machine), measure(schedule).seconds(8_000_000, machine)
    assert trace.seconds <= expected * (1 + 1e-12)
    if schedule.num_steps and name in ("ring", "recursive_doubling", "halving_doubling", "direct", "linear"):
        assert trace.seconds == pytest.approx(expected, rel=1e-12)


def test_naive_reduce_and_broadcast_takes_the_textbook_time():
    """8 ranks, 64 MB, 50 GB/s, 5 us, one port: 17.99 ms; ring 2.31 ms."""
    machine = Machine(alpha=5e-6, beta=1 / 50e9)
    assert lockstep(ALGORITHMS["ring"](8), 64_000_000, machine).seconds == pytest.approx(2.31e-3, rel=1e-9)
    if "linear" in ALGORITHMS:
        assert lockstep(ALGORITHMS["linear"](8), 64_000_000, machine).seconds == pytest.approx(17.99e-3, rel=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_nobody_ends_before_it_starts_and_steps_follow_each_other(name):
    trace = lockstep(ALGORITHMS[name](8), 1000, MACHINE)
    step = trace.schedule.step_of
    assert (trace.end >= trace.start).all()
    for s in range(1, trace.schedule.num_steps):
        before, now = trace.end[step == s - 1], trace.start[step == s]
        if len(before) and len(now):
            assert now.min() >= before.max() * (1 - 1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_comes_back_from_its_file(name):
    trace = dataclasses.replace(lockstep(ALGORITHMS[name](8), 12_345, MACHINE), about={"machine": "test", "n": 3})
    back = load(save(trace))
    for column in ("src", "dst", "chunk", "count", "op", "step_ptr", "into"):
        assert (getattr(back.schedule, column) == getattr(trace.schedule, column)).all()
    assert (back.start == trace.start).all()
    assert (back.end == trace.end).all()
    assert (back.nbytes, back.source, back.about) == (12_345, "model", {"machine": "test", "n": 3})
    assert back.schedule.phases == trace.schedule.phases
    assert back.schedule.moves_chunks == trace.schedule.moves_chunks
    assert back.origin == ORIGINS["model"]


def damaged(**changes) -> bytes:
    trace = lockstep(ALGORITHMS["ring"](4), 1000, MACHINE)
    schedule = {k: v for k, v in changes.items() if k in {f.name for f in dataclasses.fields(trace.schedule)}}
    times = {k: v for k, v in changes.items() if k not in schedule}
    return save(dataclasses.replace(trace, schedule=dataclasses.replace(trace.schedule, **schedule), **times))


ONES = np.ones(24)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (pack({"kind": "player"}, {}), "not a trace"),
        (pack({"kind": "trace", "version": 99}, {}), "version 99"),
        (pack({"kind": "trace", "version": 1}, {}), "damaged"),
        (damaged(end=-ONES), "ends before"),
        (damaged(start=ONES[:-1]), "fit together"),
        (damaged(start=ONES * np.nan), "ends before"),
        (damaged(chunk=np.full(24, 9, np.int32)), "do not exist"),
        (damaged(world_size=0), "world_size is 0"),
        (damaged(phases=("one",)), "fit together"),
        (damaged(op=np.full(24, 7, np.uint8)), "do not exist"),
    ],
)
def test_refuses_damaged_traces(data, says):
    with pytest.raises(BadFile, match=says):
        load(data)


def rewritten(header=(), **arrays) -> bytes:
    """A good trace file with some of its content replaced, however wrong."""
    old_header, old_arrays = unpack(save(lockstep(ALGORITHMS["ring"](4), 1000, MACHINE)))
    return pack({**old_header, **dict(header)}, {**old_arrays, **arrays})


MOST = np.full(24, 2**31 - 1, np.uint32)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (rewritten({"world_size": 10**12}), "world_size is 1000000000000"),
        (rewritten({"world_size": True}), "whole number"),
        (rewritten({"world_size": 4.5}), "whole number"),
        (rewritten({"nbytes": 10**400}), "nbytes"),
        (rewritten({"nbytes": -1}), "nbytes"),
        (rewritten({"num_chunks": 1 << 25}), "too large to open"),
        (rewritten({"num_buffers": 1 << 24}), "too large to open"),
        (rewritten({"name": 5}), "a text"),
        (rewritten({"name": "N" * 1001}), "more than 1,000 characters"),
        (rewritten({"phases": ["P" * 1001] * 6}), "more than 1,000 characters"),
        (rewritten({"phases": [[]] * 6}), "other things than texts"),
        (rewritten({"phases": "abcdef"}), "a list"),
        (rewritten({"about": [[1, 2]]}), "a table"),
        (rewritten({"about": {"node_of": "ab"}}), "node_of"),
        (rewritten({"about": {"node_of": [0, 0, 1, -1]}}), "node_of"),
        (rewritten(dst=MOST), "do not exist"),
        (rewritten(dst=MOST // 2), "do not exist"),
        (rewritten(chunk=MOST, count=MOST), "do not exist"),
        (rewritten(src=np.full(24, 1 << 32)), "src holds"),
        (rewritten(src=np.full(24, 0.5)), "src holds"),
        (rewritten(end=ONES * 1e300), "lasts more"),
        (rewritten(end=ONES * np.inf), "lasts more"),
    ],
)
def test_refuses_what_would_hurt_a_page(data, says):
    with pytest.raises(BadFile, match=says):
        load(data)


def test_trace_is_compact():
    assert len(save(lockstep(ALGORITHMS["ring"](64), 1 << 20, MACHINE))) < 6 * 8064


def test_unknown_sources_speak_for_themselves():
    empty = lockstep(ALGORITHMS["ring"](1), 8, MACHINE)
    assert Trace(empty.schedule, 8, empty.start, empty.end, source="my cluster").origin == "my cluster"
    assert empty.seconds == 0
