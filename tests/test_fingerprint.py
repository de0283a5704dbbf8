"""The almost certain proof agrees with the exact one, whatever the random numbers."""

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.collective import ALL_REDUCE
from core.fingerprint import probably_right
from core.mutants import mutants
from core.schedule import COPY, REDUCE, Schedule, send
from core.verify import verify


@pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=ALGORITHMS)
def test_accepts_every_right_schedule(algorithm):
    for world_size in (1, 2, 5, 8, 16):
        if not algorithm.refuse(world_size):
            assert probably_right(algorithm(world_size), algorithm.collective)


@pytest.mark.parametrize("name", ["ring", "direct", "census", "sharp", "full_vector_ring", "halving_doubling"])
def test_agrees_with_the_exact_proof_about_mistakes(name):
    schedule = ALGORITHMS[name](5)
    verdicts = []
    for mutant in mutants(schedule, range(0, schedule.num_transfers, 3)):
        verdicts.append(probably_right(mutant.schedule, ALL_REDUCE))
        assert verdicts[-1] == verify(mutant.schedule, ALL_REDUCE).right
    assert not all(verdicts)


@pytest.mark.parametrize("seed", range(5))
def test_a_doubled_input_cannot_hide_a_missing_one(seed):
    """Rank 1's input twice instead of rank 2's: any sum of ranks, or of ones, that is not random would be content."""
    wrong = [send([1, 1], 0, chunk=0, op=REDUCE), send(0, [1, 2], chunk=0, op=COPY)]
    schedule = Schedule.from_steps(wrong, name="mine", world_size=3, num_chunks=1)
    assert not probably_right(schedule, ALL_REDUCE, seed)


def test_chunks_in_each_others_place_are_told_apart():
    crossed = send([0, 0, 1, 1], [1, 1, 0, 0], chunk=[0, 1, 0, 1], into=[1, 0, 1, 0], op=COPY)
    both = send([0, 1], [1, 0], chunk=0, count=2, op=REDUCE)
    wrong = Schedule.from_steps([crossed, both], name="mine", world_size=2, num_chunks=2)
    assert not probably_right(wrong, ALL_REDUCE)


def test_a_race_is_not_right_even_if_it_ends_well():
    steps = [send([0, 1], [1, 0], chunk=0, op=REDUCE), send([0, 0], 1, chunk=0, op=COPY)]
    schedule = Schedule.from_steps(steps, name="mine", world_size=2, num_chunks=1)
    assert not probably_right(schedule, ALL_REDUCE)
    assert verify(schedule, ALL_REDUCE).kind == "race"


def test_the_stated_gap_is_real_and_no_wider():
    """An input added 1 + 2^k times passes only when 2^k is a multiple of 2^64, as the docstring says."""

    def added(doublings):
        double = [send([0, 1], [1, 0], chunk=0, op=REDUCE)] * doublings  # both ranks: every count doubles
        return Schedule.from_steps(
            [send(2, [0, 1], chunk=0, op=REDUCE), *double, *rest()], name="mine", world_size=3, num_chunks=1
        )

    def rest():  # rank 2 keeps what it has and takes what the others made of it
        return [send(0, 2, chunk=0, op=REDUCE)]

    wanted = type(ALL_REDUCE)("mine", lambda r, c, o: (o == r) & (o == 2), lambda r, c: r == 2, lambda n: 1)
    assert not probably_right(added(63), wanted)
    assert probably_right(added(64), wanted)
    assert not verify(added(64), wanted).right  # the exact proof has no gap
    assert np.iinfo(np.uint64).bits == 64
