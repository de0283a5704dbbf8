"""Processes that read and write each other's memory, for real: several algorithms, whole and in segments."""

import pytest

from core import trace
from core.run import launch, processes
from core.run.request import Method, Request

NAMES = ("direct", "ring", "halving_doubling", "recursive_doubling", "binomial_tree", "one_shot", "ring_all_gather")


@pytest.mark.usefixtures("mpi")
@pytest.mark.parametrize("world_size", [2, 4])
def test_whole_and_in_segments_results_are_right_and_traces_possible(world_size, nothing_left):
    """The worker compares every result with the engine's own prediction, to the bit."""
    methods = [Method(name, segments=k, through="memory") for name in NAMES for k in (1, 3)]
    how = {"repeats": 1, "seconds": 0.1, "time_limit": 100.0, "native": False}
    job = launch.submit(Request(world_size, tuple(methods), (52, 12_012), **how), "pytest")
    job.wait()
    assert job.state == "done", job.error
    assert len(job.result["rows"]) == 2 * len(methods) == len(job.traces)
    for found in map(trace.load, (saved["data"] for saved in job.traces)):
        assert found.about["clock"]["impossible"] == 0
        assert (found.end >= found.start).all()
        assert found.seconds > 0
    nothing_left(job.run_id)
    assert not processes.shared_memory(job.pids)
