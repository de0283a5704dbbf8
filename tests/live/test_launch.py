"""Real runs through the launcher, and every way in which they can end."""

import os
import signal
import time

import numpy as np
import pytest

from core import trace
from core.algorithms import ALGORITHMS
from core.container import BadFile
from core.run import launch, processes
from core.run.request import Method, Request

pytestmark = pytest.mark.live

QUICK = {"repeats": 3, "seconds": 0.4, "time_limit": 40}
LONG = {"repeats": 1000, "seconds": 60, "time_limit": 40, "trace": False}


def started(request, **how):
    return launch.submit(request, "a test", **how)


def finished(request, **how):
    job = started(request, **how)
    assert job.wait(60), "the run never ended"
    return job


def running(request, **how):
    """A job whose processes are known and busy."""
    job = started(request, **how)
    until = time.monotonic() + 30
    while not (job.pids and "timing" in job.text) and time.monotonic() < until and not job.over:
        time.sleep(0.02)
    assert job.pids, job.error
    return job


def ring(**how):
    return Request(2, (Method("ring"),), (1 << 20,), **how)


@pytest.mark.usefixtures("mpi")
@pytest.mark.parametrize(
    ("name", "world_size", "size"),
    [("ring", 2, 1 << 16), ("ring", 4, 4099 * 4), ("sharp", 2, 1 << 14), ("halving_doubling", 3, 8)],
)
def test_a_run_is_right_timed_and_traced(name, world_size, size, nothing_left):
    job = finished(Request(world_size, (Method(name),), (size,), **QUICK))
    assert job.state == "done", job.error
    rows = {row["label"]: row for row in job.result["rows"]}
    assert set(rows) == {name, "native"}
    assert all(0 < row["best"] <= row["median"] <= row["worst"] for row in rows.values())
    schedule = ALGORITHMS[name](world_size)
    assert len(job.pids) == schedule.num_vertices
    measured = trace.load(job.traces[0]["data"])
    assert measured.source == "mpi"
    assert measured.nbytes == size
    assert measured.about["command"] == "a test"
    assert measured.about["medians"][name] == rows[name]["median"]
    assert measured.about["clock"]["impossible"] == 0
    for column in ("src", "dst", "chunk", "count", "op", "into", "step_ptr"):
        assert np.array_equal(getattr(measured.schedule, column), getattr(schedule, column))
    assert_causal(measured)
    nothing_left(job.run_id)


def assert_causal(measured):
    """Nobody sends in a step before all that reached it in earlier steps is there."""
    schedule, step_of = measured.schedule, measured.schedule.step_of
    assert (measured.end >= measured.start).all()
    for vertex in range(schedule.num_vertices):
        out, into = schedule.src == vertex, schedule.dst == vertex
        for s in range(1, schedule.num_steps):
            before = measured.end[into & (step_of < s)].max(initial=0.0)
            assert (measured.start[out & (step_of == s)] >= before).all()


@pytest.mark.usefixtures("mpi")
def test_every_algorithm_is_right_over_mpi():
    """The worker checks each result against numpy and, to the bit, against core.replay."""
    fitting = [name for name in ALGORITHMS if not Method(name).refuse(4)]
    fitting = [name for name in fitting if ALGORITHMS[name](4).num_vertices <= 6]
    how = {"repeats": 1, "seconds": 0.1, "time_limit": 60, "trace": False, "native": False}
    job = finished(Request(4, tuple(map(Method, fitting)), (404,), **how))
    assert job.state == "done", job.error
    assert [row["label"] for row in job.result["rows"]] == fitting
    assert len(fitting) > 30


@pytest.mark.usefixtures("mpi")
def test_several_methods_and_sizes_share_one_run():
    methods = (Method("ring"), Method("ring", segments=3), Method("sharp"))
    how = {"repeats": 3, "seconds": 0.2, "time_limit": 40, "trace": False, "dtype": "float64", "op": "avg"}
    job = finished(Request(2, methods, (0, 8, 1 << 12), **how))
    assert job.state == "done", job.error
    labels = ["ring", "ring (segments=3)", "sharp", "native"]
    assert [(row["nbytes"], row["label"]) for row in job.result["rows"]] == [
        (size, label) for size in (0, 8, 1 << 12) for label in labels
    ]
    assert len(job.pids) == 3


@pytest.mark.usefixtures("mpi")
@pytest.mark.parametrize("world_size", [2, 3])
def test_through_memory_every_kind_of_step_is_right(world_size, nothing_left):
    """Straight adds (ring), staged swaps (recursive doubling), many for one place (direct), switches (sharp)."""
    names = ("ring", "recursive_doubling", "direct", "sharp", "bidirectional_ring", "binomial_tree")
    methods = tuple(Method(name, through="memory") for name in names)
    job = finished(Request(world_size, methods, (40, 4096), **{**QUICK, "repeats": 1}))
    assert job.state == "done", job.error
    assert len(job.result["rows"]) == 2 * (len(names) + 1)
    for found in job.traces:
        assert_causal(trace.load(found["data"]))
    nothing_left(job.run_id)
    assert not processes.shared_memory(job.pids)


@pytest.mark.usefixtures("mpi")
def test_a_late_process_shows_in_the_trace():
    prompt, late = (
        trace.load(finished(ring(fault=fault, **QUICK)).traces[0]["data"])
        for fault in ({}, {"kind": "late", "rank": 1, "seconds": 0.2})
    )
    assert prompt.seconds < 0.2 <= late.seconds


@pytest.mark.usefixtures("mpi")
def test_cancel(nothing_left):
    job = running(ring(**LONG))
    began = time.monotonic()
    job.cancel()
    assert job.wait(5)
    assert time.monotonic() - began < 2.5
    assert (job.state, job.error) == ("cancelled", "the run was cancelled")
    nothing_left(job.run_id)


@pytest.mark.usefixtures("mpi")
def test_cancel_at_any_moment_of_the_start_leaves_no_memory_behind(nothing_left):
    before, since = set(os.listdir("/dev/shm")), time.time()
    for moment in (0.05, 0.15, 0.25, 0.35, 0.5):
        job = started(ring(**LONG))
        time.sleep(moment)
        job.cancel()
        assert job.wait(5)
        nothing_left(job.run_id)
    left = {f"/dev/shm/{name}" for name in set(os.listdir("/dev/shm")) - before} & processes.of_nobody(since)
    time.sleep(2 * bool(left))  # another run of this machine may be about to delete its own
    assert not [path for path in left if os.path.exists(path)]


@pytest.mark.usefixtures("mpi")
def test_a_killed_rank(nothing_left):
    job = running(ring(**LONG))
    names = processes.shared_memory(job.pids)
    os.kill(job.pids[1], signal.SIGKILL)
    assert job.wait(5)
    assert job.state == "failed"
    assert job.error.startswith("process 1 was ended by signal 9 (SIGKILL), so the run was ended: start it again")
    nothing_left(job.run_id)
    assert not any(os.path.exists(path) for path in names)


@pytest.mark.usefixtures("mpi")
def test_an_error_in_a_rank(nothing_left):
    job = finished(ring(fault={"kind": "raise", "rank": 1}, **QUICK))
    assert (job.state, job.error) == ("failed", "process 1: ValueError: an error made on purpose")
    assert "Traceback" in job.log
    nothing_left(job.run_id)


@pytest.mark.usefixtures("mpi")
def test_a_frozen_rank_is_found_out(nothing_left):
    request = Request(3, (Method("ring"),), (1 << 20,), fault={"kind": "freeze", "rank": 1}, **QUICK)
    job = finished(request, idle=1.5)
    assert job.state == "failed"
    assert "nothing happened for 1.5 s" in job.error
    assert job.where[0].startswith("process 0 waits ")
    assert job.where[1] == "process 1 is frozen: a signal has stopped it"
    assert job.error.endswith(job.where[1])
    assert job.where[2].startswith("process 2 waits for what 1 sends it in step")
    nothing_left(job.run_id)


@pytest.mark.usefixtures("mpi")
def test_the_time_limit(nothing_left):
    job = finished(ring(**{**LONG, "time_limit": 2}))
    assert job.state == "failed"
    assert "its time was up" in job.error
    assert job.seconds < 2 + 2.5
    nothing_left(job.run_id)


@pytest.mark.usefixtures("mpi")
def test_the_second_run_waits_for_the_first():
    first, second, third = (started(ring(**QUICK)) for _ in range(3))
    assert [job.position for job in (first, second, third)] == [0, 1, 2]
    third.cancel()
    assert third.state == "cancelled"
    assert second.wait(60)
    assert first.over
    assert (first.state, second.state) == ("done", "done")


@pytest.mark.usefixtures("mpi")
def test_threads_give_a_trace_without_mpi(monkeypatch):
    monkeypatch.setenv("ALLREDUCE_MPIEXEC", "/nowhere/mpiexec")
    job = finished(Request(3, (Method("sharp"),), (1 << 14,), backend="threads", **QUICK))
    assert job.state == "done", job.error
    measured = trace.load(job.traces[0]["data"])
    assert measured.source == "threads"
    assert_causal(measured)


def test_a_missing_mpiexec_is_named_with_its_cure(monkeypatch):
    monkeypatch.setenv("ALLREDUCE_MPIEXEC", "/nowhere/mpiexec")
    with pytest.raises(launch.Refused, match=r"no mpiexec was found.*pip install mpi4py mpich"):
        launch.submit(ring(**QUICK))


def test_a_missing_library_is_named_with_its_cure(mpi, monkeypatch):
    monkeypatch.setenv("ALLREDUCE_MPIEXEC", mpi.path)
    monkeypatch.setenv("MPI4PY_LIBMPI", "/nowhere/libmpi.so")
    monkeypatch.setenv("MPI4PY_MPIABI", "mpich")
    job = finished(ring(**QUICK))
    assert job.state == "failed"
    assert job.error.startswith("mpi4py finds no MPI library")
    assert "pip install" in job.error


@pytest.mark.usefixtures("mpi")
def test_a_damaged_trace_is_refused():
    data = finished(ring(**QUICK)).traces[0]["data"]
    with pytest.raises(BadFile):
        trace.load(data[: len(data) // 2])


@pytest.mark.usefixtures("mpi")
@pytest.mark.parametrize("which", range(6))  # MPICH: the launcher, its helper, and for each rank a keeper and the rank
def test_whichever_process_of_a_run_is_killed_the_others_follow_at_once(which):
    job = running(Request(2, (Method("ring"),), (1 << 10,), **LONG))
    everyone = sorted(processes.of_run(job.run_id))
    os.kill(everyone[which % len(everyone)], signal.SIGKILL)
    assert job.wait(20), "the others went on as if nothing had happened"
    assert (job.state, "time was up" in job.error, processes.of_run(job.run_id)) == ("failed", False, [])
