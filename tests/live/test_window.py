"""Processes that read and write each other's memory, for real: right, whole and in segments, ended when one fails."""

import pytest

from core import trace
from core.run import launch, processes
from core.run.request import Method, Request

pytestmark = [pytest.mark.live, pytest.mark.usefixtures("mpi")]
NAMES = ("direct", "ring", "halving_doubling", "recursive_doubling", "binomial_tree", "one_shot", "ring_all_gather")
QUICK = {"repeats": 1, "seconds": 0.1, "time_limit": 100.0, "native": False}


def finished(request, **how):
    job = launch.submit(request, "a test", **how)
    assert job.wait(120), "the run never ended"
    return job


@pytest.mark.parametrize("world_size", [2, 4])
def test_whole_and_in_segments_results_are_right_and_traces_possible(world_size, nothing_left):
    """The worker compares every result with the engine's own prediction, to the bit."""
    methods = [Method(name, segments=k, through="memory") for name in NAMES for k in (1, 3)]
    job = finished(Request(world_size, tuple(methods), (52, 12_012), **QUICK))
    assert job.state == "done", job.error
    assert len(job.result["rows"]) == 2 * len(methods) == len(job.traces)
    for found in map(trace.load, (saved["data"] for saved in job.traces)):
        assert found.about["clock"]["impossible"] == 0
        assert (found.end >= found.start).all()
        assert found.seconds > 0
    nothing_left(job.run_id)
    assert not processes.shared_memory(job.pids)


def test_large_buffers_on_large_pages_are_right():
    method = Method("direct", segments=4, through="memory")
    job = finished(Request(2, (method,), (4 << 20, (6 << 20) + 4), roof=True, **QUICK))
    assert job.state == "done", job.error
    assert len(job.result["rows"]) == 2 * 3


def broken(kind, **how):
    methods = (Method("direct", segments=3, through="memory"),)
    return finished(Request(3, methods, (1 << 16,), fault={"kind": kind, "rank": 1}, **QUICK), **how)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [("kill", "was ended by signal 9"), ("raise", "process 1: ValueError: an error made on purpose")],
)
def test_those_who_wait_for_a_flag_end_with_the_one_who_would_raise_it(kind, sentence, nothing_left):
    job = broken(kind)
    assert job.state == "failed"
    assert sentence in job.error
    nothing_left(job.run_id)


def test_a_flag_that_is_never_raised_is_found_out(nothing_left):
    job = broken("freeze", idle=1.5)
    assert job.state == "failed"
    assert "nothing happened for 1.5 s" in job.error
    assert job.where[0].startswith("process 0 waits ")
    assert job.where[2].startswith("process 2 waits ")
    nothing_left(job.run_id)
