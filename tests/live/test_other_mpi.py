"""Another MPI than the one beside this Python, chosen as a cluster's is: by the name of its library.

On Debian `apt install openmpi-bin` is enough; elsewhere set ALLREDUCE_OTHER_MPI to the path of a libmpi.so.
"""

import os
import signal
import time
from pathlib import Path

import pytest

from core import trace
from core.run import launch, processes, runtimes
from core.run.request import Method, Request

INSTALLED = [str(path) for path in sorted(Path("/usr/lib").glob("*/libmpi.so.40"))]
LIBRARY = os.environ.get("ALLREDUCE_OTHER_MPI") or next(iter(INSTALLED), "")

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(not LIBRARY, reason="there is no other MPI (Debian: apt install openmpi-bin)"),
]


@pytest.fixture
def other(monkeypatch):
    """Its launcher."""
    monkeypatch.setenv("MPI4PY_LIBMPI", LIBRARY)
    return runtimes.launcher()


def finished(request, **how):
    job = launch.submit(request, "a test", **how)
    assert job.wait(120), "the run never ended"
    return job


def test_it_runs_crowded_in_both_ways_and_leaves_nothing(other, nothing_left):
    methods = tuple(Method(name, through=how) for name in ("ring", "sharp") for how in ("messages", "memory"))
    job = finished(Request(4, methods, (4096,), repeats=1, seconds=0.2, library="ring"))
    assert job.state == "done", job.error
    assert len(job.traces) == len(methods)
    assert all(trace.load(found["data"]).about["clock"]["impossible"] == 0 for found in job.traces)
    if other.flavour == "openmpi":
        assert job.versions["MPI"].startswith("Open MPI v")
        assert job.result["about"]["settings"]["OMPI_MCA_coll_tuned_allreduce_algorithm"] == runtimes.FORCED["ring"][1]
    nothing_left(job.run_id)


@pytest.mark.usefixtures("other")
@pytest.mark.parametrize("kind", ["kill", "freeze"])
def test_a_rank_that_fails_is_named_and_no_memory_is_left(kind, nothing_left):
    began, before = time.time(), set(os.listdir("/dev/shm"))
    fault = {"kind": kind, "rank": 1}
    job = finished(Request(2, (Method("ring"),), (4096,), time_limit=30, fault=fault), idle=3.0)
    assert job.state == "failed"
    name = signal.Signals.SIGKILL.name if kind == "kill" else "process 1 is frozen"
    assert name in job.error
    nothing_left(job.run_id)
    left = {f"/dev/shm/{name}" for name in set(os.listdir("/dev/shm")) - before} & processes.of_nobody(began)
    time.sleep(2 * bool(left))  # another run of this machine may be about to delete its own
    assert not [path for path in left if os.path.exists(path)]


def test_under_the_launcher_of_another_library_the_run_says_so(other, mpi, monkeypatch):
    monkeypatch.delenv("MPI4PY_LIBMPI")
    beside = runtimes.launcher()
    if beside.flavour == other.flavour:
        pytest.skip("the library beside this Python is of the same kind")
    monkeypatch.setenv("MPI4PY_LIBMPI", LIBRARY)
    monkeypatch.setenv("ALLREDUCE_MPIEXEC", beside.path)
    job = finished(Request(2, (Method("ring"),), (64,)))
    assert job.state == "failed"
    assert "the mpi world has 1" in job.error
    monkeypatch.delenv("MPI4PY_LIBMPI")
    monkeypatch.setenv("ALLREDUCE_MPIEXEC", other.path)
    job = finished(Request(2, (Method("ring"),), (64,)))
    assert job.state == "failed"
    assert "belongs to Open MPI" in job.error or "the mpi world has 1" in job.error
