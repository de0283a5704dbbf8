"""A segmented schedule does the same collective, with the same traffic."""

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.cost import measure
from core.replay import reduce_buffers
from core.run.segments import segmented
from core.verify import check

NAMES = ("ring", "halving_doubling", "direct", "sharp", "binomial_tree", "swing")


@pytest.mark.parametrize("segments", [2, 3])
@pytest.mark.parametrize("world_size", [2, 4, 5])
@pytest.mark.parametrize("name", NAMES)
def test_it_is_proved_like_any_other(name, world_size, segments):
    if ALGORITHMS[name].refuse(world_size):
        pytest.skip(ALGORITHMS[name].refuse(world_size))
    whole = ALGORITHMS[name](world_size)
    cut = segmented(whole, segments)
    check(cut, ALGORITHMS[name].collective)
    assert cut.num_steps == whole.num_steps + segments - 1
    assert cut.count.sum() == segments * whole.count.sum()
    inputs = np.random.default_rng(1).integers(0, 9, (world_size, 41))
    assert np.array_equal(reduce_buffers(cut, inputs)[:world_size], reduce_buffers(whole, inputs)[:world_size])


def test_a_rank_sends_the_same_bytes():
    whole = ALGORITHMS["ring"](4)
    assert segmented(whole, 1) is whole
    sent = [np.bincount(s.src, s.count) / s.num_chunks for s in (whole, segmented(whole, 4))]
    assert np.allclose(*sent)
    assert measure(segmented(whole, 4)).messages > measure(whole).messages


def test_chunks_with_a_place_of_their_own_stay_there():
    for algorithm in ALGORITHMS.values():
        schedule = algorithm(4) if not algorithm.refuse(4) else None
        if schedule and schedule.moves_chunks:
            check(segmented(schedule, 3), algorithm.collective)
            break
    else:
        pytest.fail("no algorithm moves chunks")
