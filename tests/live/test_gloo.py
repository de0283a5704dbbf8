"""Schedules over gloo, and how gloo tells the living about the dead."""

from importlib.util import find_spec

import pytest

from core import trace
from core.run import launch
from core.run.request import Method, Request

pytestmark = pytest.mark.live


@pytest.fixture(autouse=True)
def torch_there(without):
    if find_spec("torch") is None:
        without("these tests need torch: pip install torch")


def finished(methods, world_size=2, sizes=(4096,), idle=0.0, **how):
    usual = {"backend": "gloo", "repeats": 1, "seconds": 0.2, "time_limit": 50}
    job = launch.submit(Request(world_size, methods, sizes, **{**usual, **how}), "a test", idle)
    assert job.wait(60)
    return job


def test_many_algorithms_are_right_and_traced(nothing_left):
    names = ("ring", "recursive_doubling", "direct", "sharp", "swing")
    job = finished(tuple(map(Method, names)), 3, (4, 4096))
    assert job.state == "done", job.error
    assert [row["label"] for row in job.result["rows"]] == [*names, "native"] * 2
    measured = [trace.load(found["data"]) for found in job.traces]
    assert {one.source for one in measured} == {"gloo"}
    assert all(one.about["clock"]["impossible"] == 0 for one in measured)
    assert "gloo" in job.result["about"]["versions"]
    nothing_left(job.run_id)


def test_half_precision_and_averages():
    job = finished((Method("ring"),), dtype="float16", op="avg", trace=False)
    assert job.state == "done", job.error


@pytest.mark.parametrize(("kind", "sentence"), [("kill", "by peer"), ("raise", "made on purpose")])
def test_the_living_hear_of_the_dead(kind, sentence, nothing_left):
    job = finished((Method("ring"),), 3, fault={"kind": kind, "rank": 1})
    assert job.state == "failed"
    assert sentence in job.error
    nothing_left(job.run_id)


def test_a_frozen_one_only_shows_by_silence(nothing_left):
    job = finished((Method("ring"),), fault={"kind": "freeze", "rank": 1}, idle=5.0)
    assert job.state == "failed"
    assert job.where[1] == "process 1 is frozen: a signal has stopped it"
    nothing_left(job.run_id)
