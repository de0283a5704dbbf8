"""Every algorithm for real, on threads: the worker checks each result against numpy and to the bit against replay."""

import numpy as np
import pytest

from core import trace
from core.algorithms import ALGORITHMS
from core.run.request import DTYPES, Method, Request
from core.run.threads import run_threads
from core.run.worker import RunFailed, Worker


class Quiet:
    """A watch that does not look."""

    cut: list
    phase = ""


def run(request):
    """(result, events) of a run in this process."""
    results, events = [], []

    def one(group):
        results.append(Worker(request, group, events.append, Quiet(), "a test").work())
        return 0

    assert run_threads(request.num_processes, one) == 0
    return next(result for result in results if result), events


def short(world_size, methods, sizes, **how):
    return Request(world_size, methods, sizes, **{"backend": "threads", "repeats": 1, "seconds": 0.1, **how})


@pytest.mark.parametrize("world_size", [1, 4, 5])
def test_every_algorithm_passes_its_own_check(world_size):
    fitting = [name for name, algorithm in ALGORITHMS.items() if not algorithm.refuse(world_size)]
    fitting = [name for name in fitting if ALGORITHMS[name](world_size).num_vertices <= 8]
    result, _ = run(short(world_size, tuple(map(Method, fitting)), (4, 400), trace=False))
    assert [row["label"] for row in result["rows"]] == fitting * 2


@pytest.mark.parametrize("op", ["sum", "prod", "max", "min", "avg"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_and_op(dtype, op):
    methods = (Method("ring"), Method("sharp"))
    result, events = run(short(3, methods, (240,), dtype=dtype, op=op))
    assert len(result["rows"]) == 2
    traces = [trace.load(event["data"]) for event in events if event["ev"] == "trace"]
    assert [t.about["dtype"] for t in traces] == [dtype] * 2


def test_empty_chunks_have_a_moment_but_no_length():
    _, events = run(short(4, (Method("ring"),), (8,)))
    measured = trace.load(events[-1]["data"])
    length = measured.end - measured.start
    sent = measured.schedule.chunk < 2  # two elements in four chunks: the last two are empty
    assert (length[~sent] == 0).all()
    assert (length[sent] > 0).all()


def test_a_wrong_schedule_is_caught(tmp_path):
    schedule = ALGORITHMS["ring"](3)
    keep = slice(0, schedule.num_transfers - 1)
    columns = {name: getattr(schedule, name)[keep] for name in ("src", "dst", "chunk", "count", "op", "into")}
    ptr = np.minimum(schedule.step_ptr, schedule.num_transfers - 1)
    broken = type(schedule)("broken", 3, 3, **columns, step_ptr=ptr, phases=schedule.phases)
    zeros = np.zeros(broken.num_transfers)
    (tmp_path / "broken.arl").write_bytes(trace.save(trace.Trace(broken, 1, zeros, zeros, "model")))
    request = short(3, (Method("broken", file=str(tmp_path / "broken.arl")),), (36,))
    said = []

    def one(group):
        try:
            Worker(request, group, said.append, Quiet(), "").work()
        except RunFailed as failed:
            said.append(str(failed))
        return 0

    run_threads(3, one)
    sentences = [s for s in said if isinstance(s, str)]
    assert len(sentences) == 3  # all of them stop
    assert sentences[0].startswith("broken: rank ")
    assert "belongs" in sentences[0]


def test_a_world_of_the_wrong_size_says_so():
    request, said = short(4, (Method("ring"),), (8,)), []

    def one(group):
        try:
            Worker(request, group, said.append, Quiet(), "")
        except RunFailed as failed:
            said.append(str(failed))
        return 0

    run_threads(2, one)
    assert said[0].startswith("asked for 4 processes, but the threads world has 2")
