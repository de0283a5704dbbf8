"""Calibration on machines that are made up, so that the right answer is known."""

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.collective import ALL_REDUCE
from core.machines import Machine
from core.run import calibrate
from core.run.shifts import KINDS, kinds_of, shift
from core.run.threads import run_threads
from core.run.worker import Worker
from core.trace import lockstep

MADE_UP = Machine(2e-6, 1 / 10e9, 1 / 20e9)


def measured(world_size, machine, noise=0.0):
    """What a run of the calibration would report on such a machine."""
    random, rows = np.random.default_rng(5), []
    for kind in KINDS:
        schedule = shift(kind, world_size)
        for size in calibrate.SIZES:
            seconds = lockstep(schedule, size, machine).seconds * np.exp(noise * random.standard_normal())
            rows.append({"label": kind, "nbytes": size, "median": seconds})
    return {"rows": rows, "about": {}}


@pytest.mark.parametrize("world_size", [2, 4, 7])
def test_the_textbook_numbers_are_found_again(world_size):
    found = calibrate.learned(measured(world_size, MADE_UP), world_size).machine
    assert found.alpha == pytest.approx(MADE_UP.alpha, rel=1e-6)
    assert found.beta == pytest.approx(MADE_UP.beta, rel=1e-6)
    assert found.gamma == pytest.approx(MADE_UP.gamma, rel=1e-6)


@pytest.mark.parametrize("nbytes", [64, 2048, 1 << 16, 1 << 20, 1 << 24])
@pytest.mark.parametrize("name", ["ring", "recursive_doubling", "halving_doubling", "binomial_tree", "swing"])
def test_the_table_predicts_the_machine_it_was_made_on(name, nbytes):
    learned = calibrate.learned(measured(8, MADE_UP), 8)
    schedule = ALGORITHMS[name](8)
    right = lockstep(schedule, nbytes, MADE_UP).seconds
    assert learned.predict(schedule, nbytes) == pytest.approx(right, rel=0.35)  # points a factor of 8 apart


def test_a_table_knows_of_jumps_that_a_line_does_not():
    jump = Machine(20e-6, 1 / 10e9, 1 / 20e9)
    result = measured(4, MADE_UP)
    large = measured(4, jump)["rows"]
    result["rows"] = [b if a["nbytes"] >= 1 << 15 else a for a, b in zip(result["rows"], large)]
    learned, schedule = calibrate.learned(result, 4), ALGORITHMS["ring"](4)
    misses = []
    for nbytes, machine in ((512, MADE_UP), (1 << 15, jump)):
        right = lockstep(schedule, nbytes, machine).seconds
        assert learned.predict(schedule, nbytes) == pytest.approx(right, rel=0.02)
        line = lockstep(schedule, nbytes, learned.machine).seconds
        misses.append(abs(np.log(line / right)))
    assert max(misses) > 0.3


def test_noise_never_gives_negative_numbers():
    for world_size in (2, 5):
        machine = calibrate.learned(measured(world_size, MADE_UP, noise=1.0), world_size).machine
        assert min(machine.alpha, machine.beta, machine.gamma) >= 0


def test_steps_are_told_apart():
    assert set(kinds_of(ALGORITHMS["ring"](4))) == {"walk_add", "walk_copy"}
    assert set(kinds_of(ALGORITHMS["recursive_doubling"](4))) == {"swap_add"}
    assert set(kinds_of(ALGORITHMS["binomial_tree"](4))) == {"hop_add", "hop_copy"}


def test_a_table_between_and_beyond_its_points():
    table = calibrate.Table(np.array([10.0, 1000.0]), np.array([1.0, 100.0]))
    assert table(np.array([1.0, 10.0, 100.0, 1000.0, 4000.0])).tolist() == pytest.approx([1, 1, 10, 100, 400])


def test_errors_are_factors():
    found = calibrate.errors([(1.0, 1.0), (1.3, 1.0), (1.0, 1.3), (4.0, 1.0)])
    assert found["cases"] == 4
    assert found["within 35 %"] == 0.75
    assert found["median factor"] == pytest.approx(1.3)
    assert found["worst factor"] == pytest.approx(4.0)
    assert found["lean"] == pytest.approx(1.3**0.5)
    assert calibrate.errors([(1.0, 2.0), (3.0, 6.0), (5.0, 5.0)])["lean"] == pytest.approx(0.5)


class Quiet:
    cut: list
    phase = ""


def test_a_calibration_runs_and_predicts():
    request = calibrate.request(2, "threads")
    short = type(request)(**{**vars(request), "sizes": (64, 4096), "repeats": 1, "seconds": 0.1})
    assert short.refuse() == ""
    results = []
    run_threads(2, lambda group: results.append(Worker(short, group, lambda e: None, Quiet(), "").work()) or 0)
    learned = calibrate.learned(next(filter(None, results)), 2)
    assert 0 < learned.predict(ALGORITHMS["ring"](2), 1024) < 1
    assert ALGORITHMS["ring"].collective is ALL_REDUCE


def test_one_rank_has_no_steps_to_learn_from():
    assert "there is no algorithm 'walk_add'" in calibrate.request(1).refuse()
