"""Real buffers: every type, operation and layout, steps that read what they write, and clear refusals."""

import numpy as np
import pytest

from core import replay
from core.algorithms import ALGORITHMS
from core.chunks import LAYOUTS, slot_bounds
from core.replay import OPS, apply, carry_out, identity, read_after_write, reduce_buffers
from core.schedule import COPY, REDUCE, Schedule, send

RNG = np.random.default_rng(1)
DTYPES = ("float64", "float32", "float16", "int64", "int32", "uint8")
AT_ONCE = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min}


def build(*steps, world_size=3, num_chunks=2, num_buffers=1):
    return Schedule.from_steps(
        steps, name="mine", world_size=world_size, num_chunks=num_chunks, num_buffers=num_buffers
    )


def plainly(schedule, buffers, layout, reduce):
    """The same, with a copy of everything before each step."""
    first, last = slot_bounds(schedule, buffers.shape[1] // schedule.num_buffers, layout)
    for step in schedule:
        before = buffers.copy()
        into = step.chunk if step.into is None else step.into
        for src, dst, a, b, count, op in zip(step.src, step.dst, step.chunk, into, step.count, step.op):
            piece = before[src, first[a] : last[a + count - 1]]
            mine = buffers[dst, first[b] : last[b + count - 1]]
            mine[...] = piece if op == COPY else reduce(mine, piece)


@pytest.mark.parametrize("op", AT_ONCE)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_type_and_operation(dtype, op):
    schedule = ALGORITHMS["halving_doubling"](6)
    inputs = RNG.integers(1, 3, (6, 11)).astype(dtype)
    result = reduce_buffers(schedule, inputs, op, "ceil")[:6]
    assert result.dtype == dtype
    assert (result == AT_ONCE[op](inputs, axis=0).astype(dtype)).all()


def test_averages_divide_at_the_end():
    inputs = np.array([[1, 5], [2, 8]])
    assert reduce_buffers(ALGORITHMS["ring"](2), inputs, "avg").tolist() == [[1, 6], [1, 6]]
    assert reduce_buffers(ALGORITHMS["ring"](2), inputs * 1.0, "avg").tolist() == [[1.5, 6.5], [1.5, 6.5]]


def test_integers_wrap_as_numpy_wraps():
    inputs = np.full((2, 2), 200, np.uint8)
    assert (reduce_buffers(ALGORITHMS["ring"](2), inputs) == 400 - 256).all()


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_what_is_empty_changes_nothing(dtype, op):
    """A switch starts with the identity, so negative numbers survive max and positive ones min."""
    for values in ([-3, -3], [4, 4]) if dtype[0] != "u" else ([3, 3], [4, 4]):
        inputs = np.repeat(np.array(values, dtype)[:, None], 3, axis=1)
        result = reduce_buffers(ALGORITHMS["sharp"](2, radix=2), inputs, op)[:2].astype(float)
        expected = {"sum": 2 * values[0], "prod": values[0] ** 2}.get(op, values[0])
        assert (result == expected).all()
    assert OPS[op](np.array(5, dtype), np.array(identity(op, dtype), dtype)) == 5


@pytest.mark.parametrize("block", [1, 3, 1 << 15])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_same_as_with_a_copy_of_everything(layout, block, monkeypatch):
    monkeypatch.setattr(replay, "BLOCK", block)
    for name, algorithm in ALGORITHMS.items():
        for num_elements in (2, 23):
            if algorithm.refuse(5):
                continue
            schedule = algorithm(5)
            width = num_elements * schedule.num_buffers
            fast = RNG.integers(-9, 9, (schedule.num_vertices, width)).astype(float)
            slow = fast.copy()
            carry_out(schedule, fast, layout)
            plainly(schedule, slow, layout, np.add)
            assert (fast == slow).all(), name


def test_additions_are_done_in_the_order_of_the_transfers():
    """1 + 1e16 - 1e16 is 0, 1e16 - 1e16 + 1 is 1: the order decides, and must be the rows' order."""
    values = np.array([[0.0], [1.0], [1e16], [-1e16]])
    for order, expected in (([1, 2, 3], 0.0), ([2, 3, 1], 1.0)):
        star = build(send(order, 0, chunk=0, op=REDUCE), world_size=4, num_chunks=1)
        assert reduce_buffers(star, values)[0, 0] == expected


def test_a_step_may_read_what_it_overwrites():
    rotate = build(send([0, 1, 2], [1, 2, 0], chunk=0, count=2, op=COPY))
    result = reduce_buffers(rotate, np.arange(3)[:, None] * np.ones((3, 5), int))
    assert result[:, 0].tolist() == [2, 0, 1]


def test_only_what_is_read_too_late_is_set_aside():
    assert not read_after_write(ALGORITHMS["ring"](8)).any()
    assert not read_after_write(ALGORITHMS["direct"](8)).any()
    pairs = read_after_write(ALGORITHMS["recursive_doubling"](8))
    assert pairs.sum() == len(pairs) / 2  # one of every two partners
    chain = build(send([0, 1], [1, 2], chunk=0, op=COPY), send([1, 0], [2, 1], chunk=[0, 0], op=COPY))
    assert read_after_write(chain).tolist() == [False, True, False, False]
    elsewhere = build(
        send([0, 1], [1, 2], chunk=[0, 1], op=COPY), send([0, 1], [1, 2], chunk=[1, 0], count=[1, 2], op=0)
    )
    assert read_after_write(elsewhere).tolist() == [False, False, False, True]


def test_chunks_that_go_elsewhere():
    swap = build(send(0, 1, chunk=[0, 1], into=[1, 0], op=COPY))
    result = reduce_buffers(swap, np.arange(12).reshape(3, 4))
    assert result[1].tolist() == [2, 3, 0, 1]
    to_scratch_and_back = build(
        send(0, 1, chunk=0, count=2, into=2, op=COPY), send(1, 2, chunk=2, count=2, into=0, op=COPY), num_buffers=2
    )
    assert reduce_buffers(to_scratch_and_back, np.arange(15).reshape(3, 5))[2].tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("schedule", "inputs", "op", "says"),
    [
        (build(), np.zeros((3, 4)), "mean", "choose one of sum, prod, max, min, avg"),
        (build(), np.zeros((2, 4)), "sum", "one row for each of 3 ranks"),
        (build(), np.zeros(4), "sum", "one row for each of 3 ranks"),
        (build(), np.zeros((3, 4), complex), "sum", "integers or floats are needed"),
        (build(), np.zeros((3, 4), bool), "sum", "integers or floats are needed"),
        (build(send(0, 1, chunk=0, into=1, op=COPY)), np.zeros((3, 5)), "sum", "another size"),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_sentence(schedule, inputs, op, says):
    with pytest.raises(ValueError, match=says):
        reduce_buffers(schedule, inputs, op)


def test_counts_and_buffers_agree():
    """Buffers of one element a chunk hold the same as replay's own state."""
    for name in ("circulant", "census", "double_tree", "pat"):
        schedule = ALGORITHMS[name](7)
        state = RNG.integers(0, 9, (schedule.num_vertices, schedule.num_slots))
        buffers = state.copy()
        for step in schedule:
            apply(step, state)
        carry_out(schedule, buffers)
        assert (buffers == state).all()
