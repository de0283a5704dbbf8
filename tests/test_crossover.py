"""Where one algorithm overtakes another."""

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.cost import Cost, measure
from core.crossover import crossover, fastest, fastest_ranks, told, told_ranks, told_winners
from core.machines import Machine

FLAT = Machine(alpha=5e-6, beta=1 / 25e9, gamma=1e-11)


def test_both_take_equally_long_at_the_crossover():
    a, b = Cost(steps=3, traffic=3, work=3), Cost(steps=14, traffic=1.75, work=0.875)
    size = crossover(a, b, FLAT)
    assert a.seconds(size, FLAT) == pytest.approx(b.seconds(size, FLAT))
    assert crossover(b, a, FLAT) == pytest.approx(size)


def test_no_crossover_where_one_is_never_slower():
    few = Cost(steps=2, traffic=1, work=1)
    assert crossover(few, Cost(steps=3, traffic=2, work=1), FLAT) is None
    assert crossover(few, few, FLAT) is None


def test_the_winners_win_at_every_size():
    costs = {name: measure(a(8)) for name, a in ALGORITHMS.items() if not a.refuse(8)}
    winners = fastest(costs, FLAT)
    for size in np.geomspace(1, 1e10, 60):
        name = [winner for start, winner in winners if start <= size][-1]
        best = min(cost.seconds(size, FLAT) for cost in costs.values())
        assert costs[name].seconds(size, FLAT) == pytest.approx(best)


def test_three_lines_through_one_point_skip_the_middle_one():
    costs = {"a": Cost(1, 3, 0), "b": Cost(2, 2, 0), "c": Cost(3, 1, 0)}
    assert [name for _, name in fastest(costs, Machine(1, 1))] == ["a", "c"]


def test_winners_among_ranks_skip_what_an_algorithm_refuses():
    seconds = {"tree": {2: 5.0, 4: 5.0, 8: 5.0}, "ring": {2: 1.0, 3: 2.0, 4: 4.0, 8: 9.0}}
    assert fastest_ranks(seconds) == [(2, "ring"), (8, "tree")]


def test_the_sentences_name_the_size():
    costs = {"few steps": Cost(steps=3, traffic=3, work=0), "few bytes": Cost(steps=14, traffic=1.75, work=0)}
    fast = Machine(alpha=5e-6, beta=1 / 25e9)
    assert told("few bytes", "few steps", costs, fast) == "Below **1.05 MiB** few steps is faster, above it few bytes."
    assert "**few bytes** from 1.05 MiB" in told_winners(costs, fast)
    assert "never slower" in told("few steps", "worse", {**costs, "worse": Cost(steps=4, traffic=4, work=0)}, fast)
    assert "equally long" in told("few steps", "same", {**costs, "same": costs["few steps"]}, fast)
    assert told_ranks({"a": {2: 1.0}, "b": {2: 2.0, 4: 1.0}}).count("ranks") == 2
