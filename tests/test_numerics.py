"""Rounding, in the order of the schedule: facts that can be checked by hand, and which ranks end with the same bits."""

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.collective import ALL_REDUCE
from core.numerics import FORMATS, rounded, run

NORMAL = np.random.default_rng(8).standard_normal((8, 4096))
UNEQUAL = {"full_vector_ring", "one_shot", "recursive_multiplying", "census"}  # each rank adds in its own order


@pytest.mark.parametrize("name", [n for n, a in ALGORITHMS.items() if a.collective is ALL_REDUCE and not a.refuse(8)])
def test_which_algorithms_give_every_rank_the_same_bits(name):
    outcome = run(ALGORITHMS[name](8), NORMAL)
    assert outcome.identical == (name not in UNEQUAL)
    assert outcome.differing == 0 if outcome.identical else outcome.differing > 1000
    assert 1e-8 < outcome.rms_error < 1e-7


def test_swing_for_latency_gives_the_ranks_different_bits():
    assert run(ALGORITHMS["swing"](8), NORMAL).identical
    assert not run(ALGORITHMS["swing"](8, variant="latency"), NORMAL).identical


@pytest.mark.parametrize(("number", "stop"), [("bf16", 256), ("fp16", 2048)])
def test_a_chain_of_ones_stops_growing(number, stop):
    """Once the sum is so large that one more is less than half a step of the format, it stays."""
    ranks = 2 * stop
    chain, tree = ALGORITHMS["chain"](ranks), ALGORITHMS["recursive_doubling"](ranks)
    ones = np.ones((ranks, 1))
    assert run(chain, ones, number).result[0, 0] == stop
    assert run(tree, ones, number).result[0, 0] == ranks


def test_dividing_first_does_not_save_a_chain():
    ones = np.ones((512, 1))
    assert run(ALGORITHMS["chain"](512), ones, "bf16", average="before").result[0, 0] == 0.5
    assert run(ALGORITHMS["chain"](512), ones, "bf16", average="after").result[0, 0] == 0.5
    assert run(ALGORITHMS["recursive_doubling"](512), ones, "bf16", average="before").result[0, 0] == 1.0


def test_fp16_overflows_unless_divided_first():
    large = np.full((4, 1), 30000.0)
    assert run(ALGORITHMS["ring"](4), large, "fp16").result[0, 0] == np.inf
    assert run(ALGORITHMS["ring"](4), large, "fp16", average="after").result[0, 0] == np.inf
    assert run(ALGORITHMS["ring"](4), large, "fp16", average="before").result[0, 0] == 30000
    assert run(ALGORITHMS["ring"](4), large, "bf16").result[0, 0] == rounded(np.array(120000.0), "bf16")


@pytest.mark.parametrize(
    ("name", "number", "measured"),
    [
        ("chain", "fp16", {8: 4.7e-4, 64: 1.25e-3}),
        ("recursive_doubling", "fp16", {8: 3.9e-4, 64: 5.7e-4}),
        ("chain", "bf16", {8: 3.6e-3, 64: 9.5e-3}),
        ("recursive_doubling", "bf16", {8: 3.2e-3, 64: 4.4e-3}),
    ],
)
def test_errors_grow_with_the_length_of_the_chain_not_of_the_tree(name, number, measured):
    """The figures were measured by another program, on other random numbers: they agree within a tenth."""
    for ranks, error in measured.items():
        inputs = np.random.default_rng(ranks).standard_normal((ranks, 4096))
        assert run(ALGORITHMS[name](ranks), inputs, number).rms_error == pytest.approx(error, rel=0.1)


def test_rounding_to_bf16():
    """Nearest, ties to even, checked against every neighbour: bf16 numbers are the float32 with 16 low bits 0."""
    values = np.random.default_rng(3).standard_normal(20000).astype(np.float32)
    low = (values.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
    high = (low.view(np.uint32) + np.uint32(0x10000)).view(np.float32)
    nearest = np.where(np.abs(values - low) < np.abs(high - values), low, high)
    assert (rounded(values, "bf16") == nearest).all()
    ties = np.array([1 + 1 / 256, 1 + 3 / 256, -1 - 1 / 256], np.float32)
    assert rounded(ties, "bf16").tolist() == [1.0, 1 + 4 / 256, -1.0]
    special = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 3.4e38], np.float32)
    np.testing.assert_array_equal(rounded(special, "bf16"), [np.inf, -np.inf, np.nan, 0.0, -0.0, np.inf])


def test_integers_in_floats_are_exact_in_every_format():
    inputs = np.random.default_rng(2).integers(-4, 5, (6, 50)).astype(float)
    for number in FORMATS:
        for average in ("", "after"):
            outcome = run(ALGORITHMS["ring"](6), inputs * 6, number, average)
            assert outcome.worst_error == 0
            assert outcome.identical
            assert (outcome.result[3] == inputs.sum(axis=0) * (1 if average else 6)).all()


def test_the_error_is_that_of_the_additions_alone():
    outcome = run(ALGORITHMS["ring"](1), np.full((1, 3), 0.1), "fp16")
    assert outcome.worst_error == 0  # nothing was added; that 0.1 is not an fp16 number is not the schedule's fault


def test_nothing_to_add():
    outcome = run(ALGORITHMS["ring"](4), np.zeros((4, 0)))
    assert (outcome.differing, outcome.rms_error, outcome.worst_error) == (0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("inputs", "number", "average", "says"),
    [
        (np.zeros((3, 2)), "fp8", "", "'fp8' is not known"),
        (np.zeros((3, 2)), "fp16", "maybe", "'maybe' is not known"),
        (np.zeros((2, 2)), "fp16", "", "one row for each of 3 ranks"),
    ],
)
def test_what_cannot_be_predicted_is_refused(inputs, number, average, says):
    with pytest.raises(ValueError, match=says):
        run(ALGORITHMS["ring"](3), inputs, number, average)
