"""Clocks, times, sentences: the parts of a live run that need no processes."""

import threading
import time

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.collective import ALL_GATHER, ALL_REDUCE, REDUCE_SCATTER
from core.run import faults, runtimes, window
from core.run.buffers import aligned, expected, needed, sample
from core.run.clocks import best, corrected, corrections
from core.run.measure import quiet_rounds
from core.run.memory import needed_bytes
from core.run.plan import pieces
from core.run.report import provenance
from core.run.request import MAX_PROCESSES, Method, Request
from core.run.started import started
from core.run.tracing import impossible, of_transfers
from core.run.turns import MOST_WAITING, Queue, Refused


def clock(offset, at, host="b"):
    return {"offset": offset, "uncertainty": 500.0, "at": at, "measured": True, "host": host}


def test_the_quickest_answer_gives_the_offset():
    slow, quick = (0, 9_000, 10_000), (20_000, 25_400, 21_000)
    found = best([slow, quick])
    assert found["offset"] == 20_500 - 25_400
    assert found["uncertainty"] == 500


def test_a_clock_that_drifts_is_followed():
    here = clock(0, 0, "a")
    fix = corrections([here, clock(1000, 10_000)], [here, clock(3000, 110_000)])[1]
    times = np.array([10_000, 60_000, 110_000])
    assert corrected(times, fix).tolist() == [11_000, 62_000, 113_000]
    assert fix["uncertainty"] == 500
    assert fix["checked"] is None


def test_one_host_has_one_clock_and_that_is_checked():
    here = clock(0, 0, "a")
    for offset, agrees in ((800, True), (5000, False)):
        fix = corrections([here, clock(offset, 1, "a")], [here, clock(0, 2, "a")])[1]
        assert corrected(np.array([7]), fix).tolist() == [7]
        assert fix["checked"] is agrees


def test_pieces_become_transfers():
    schedule = ALGORITHMS["ring"](2)
    cut = pieces(schedule, 1)  # two chunks, the second is empty
    times = np.array([[5e9, 6e9], [6.5e9, 6.4e9]])
    start, end = of_transfers(schedule, cut, times)
    sent = [write.row for piece in cut for write in piece.writes]
    assert start[sent].tolist() == [0.0, 1.5]
    assert end[sent].tolist() == [1.0, 1.5]  # an end before its start is moved to it
    assert np.isfinite(start).all()
    assert impossible(times, 1e6) == 1
    assert impossible(times, 1e9) == 0


def test_noisy_rounds_do_not_count_while_quiet_ones_are_left():
    rounds = [([1.0], 0.01), ([9.0], 0.5), ([2.0], 0.0), ([3.0], 0.02)]
    assert quiet_rounds(rounds) == [[1.0], [2.0], [3.0]]
    assert quiet_rounds([([float(i)], 0.9 - i / 10) for i in range(8)]) == [[7.0], [6.0], [5.0], [4.0]]
    assert quiet_rounds([([1.0], None)]) == [[1.0]]


@pytest.mark.parametrize("op", ["sum", "max", "prod", "avg"])
def test_what_must_come_out(op):
    inputs = np.array([sample(rank, 40, np.float32, op) for rank in range(3)])
    right = {"sum": inputs.sum(0), "max": inputs.max(0), "prod": inputs.prod(0), "avg": inputs.sum(0) / np.float32(3)}
    assert np.array_equal(expected(ALL_REDUCE, 3, (3, 1), 40, np.float32, op, "even"), right[op])


def test_what_must_come_out_of_other_collectives():
    gathered = expected(ALL_GATHER, 2, (4, 2), 40, np.int64, "sum", "even")
    assert np.array_equal(gathered[:20], sample(0, 40, np.int64, "sum")[:20])
    assert np.array_equal(gathered[20:], sample(1, 40, np.int64, "sum")[20:])
    assert needed(REDUCE_SCATTER, 1, (4, 2), 10, "even").tolist() == [False] * 6 + [True] * 4


def test_memory_starts_at_a_page():
    for size in (1, 5, 10_000):
        found = aligned(size, np.float64)
        assert found.ctypes.data % 4096 == 0
        assert found.shape == (size,)


def test_memory_is_counted_before_it_is_taken():
    small, large = (needed_bytes(Request(4, (Method("ring"),), (size,))) for size in (1 << 20, 1 << 24))
    assert 4 * (1 << 24) < large - small < 40 * (1 << 24)
    plain, native, both = (
        needed_bytes(Request(4, (Method("ring"),), (1 << 20,), native=native, roof=roof))
        for native, roof in ((False, False), (True, False), (True, True))
    )
    assert native - plain == both - native == 4 << 20  # a buffer of its own for every rank


def test_requests_survive_the_way_to_the_processes():
    request = Request(3, (Method("sharp", {}, 2), Method("ring")), (8, 16), op="max", fault={"kind": "late", "rank": 1})
    assert Request.from_dict(request.as_dict()) == request


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"world_size": MAX_PROCESSES + 1}, "world_size is 33"),
        ({"sizes": ()}, "no size was given"),
        ({"sizes": (6,)}, "not a whole number of float32"),
        ({"sizes": (1 << 31,)}, "0 to 1073741824 bytes"),
        ({"methods": ()}, "no algorithm was given"),
        ({"methods": (Method("ring", segments=0),)}, "0 segments: choose 1 to 1024"),
        ({"methods": (Method("x", file="f", collective="magic"),)}, "there is no collective 'magic'"),
        ({"backend": "telepathy"}, "backend is 'telepathy': choose one of mpi"),
        ({"dtype": "float8"}, "dtype is 'float8'"),
        ({"library": "magic"}, "library is 'magic': choose one of tuned, plain"),
        ({"repeats": 0}, "repeats is 0"),
        ({"backend": "threads", "methods": (Method("ring", through="memory"),)}, "choose the backend mpi"),
        ({"methods": (Method("ring", through="thought"),)}, "choose one of messages, memory"),
        ({"time_limit": 1e9}, "time_limit is"),
    ],
)
def test_what_cannot_be_run_is_said_in_a_sentence(how, sentence):
    fine = {"world_size": 2, "methods": (Method("ring"),), "sizes": (8,)}
    assert Request(**fine).refuse() == ""
    assert sentence in Request(**{**fine, **how}).refuse()


def test_memory_is_shared_on_one_host_only(monkeypatch):
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    assert window.refuse(1) == ""
    assert "on 2 hosts" in window.refuse(2)
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    assert "this is aarch64: use messages" in window.refuse(1)


class Waiting:
    """A job that runs until it is told to end."""

    def __init__(self):
        self.go, self.closed = threading.Event(), ""

    def run(self):
        self.go.wait(5)

    def close(self, state, error):
        self.closed = state


def test_the_line_has_an_end_and_moves_on():
    line, jobs = Queue(), [Waiting() for _ in range(MOST_WAITING + 1)]
    for job in jobs:
        line.join(job)
    with pytest.raises(Refused, match="16 runs are waiting already"):
        line.join(Waiting())
    line.leave(jobs[3])
    assert (jobs[3].closed, line.position(jobs[4])) == ("cancelled", 3)
    for job in jobs:
        job.go.set()
    until = time.monotonic() + 5
    while line.position(jobs[-1]) and time.monotonic() < until:
        time.sleep(0.01)
    assert line.position(jobs[-1]) == 0


def test_a_machine_without_threads_ends_those_it_cannot_run_and_the_line_goes_on(monkeypatch):
    line, jobs, start = Queue(), [Waiting() for _ in range(4)], threading.Thread.start
    line.join(jobs[0])
    for job in jobs[1:3]:
        line.join(job)

    def refuse(_thread):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as crowded:
        crowded.setattr(threading.Thread, "start", refuse)
        jobs[0].go.set()
        until = time.monotonic() + 5
        while not jobs[2].closed and time.monotonic() < until:
            time.sleep(0.01)
        assert [job.closed for job in jobs[1:3]] == ["failed", "failed"]
        line.join(alone := Waiting())
        assert alone.closed == "failed"
    assert threading.Thread.start is start
    line.join(jobs[3])
    line.join(last := Waiting())
    assert (jobs[3].closed, line.position(last)) == ("", 1)
    jobs[3].go.set()
    last.go.set()


def test_faults_are_from_a_fixed_list():
    assert faults.refuse({}, 2) == ""
    assert "choose one of kill" in faults.refuse({"kind": "rm -rf", "rank": 0}, 2)
    assert "0 to 1 s" in faults.refuse({"kind": "late", "rank": 0, "seconds": 99}, 2)


def test_the_environment_is_clean(monkeypatch):
    monkeypatch.setenv("PMI_RANK", "3")
    monkeypatch.setenv("SLURM_PROCID", "3")
    monkeypatch.setenv("MPI4PY_RC_THREAD_LEVEL", "serialized")
    assert started("mpi").by == "mpiexec"
    env = runtimes.environment("abc", "/x", 2, 1 << 20)
    assert "PMI_RANK" not in env
    assert "SLURM_PROCID" not in env
    assert env["ALLREDUCE_RUN"] == "abc"
    assert env["MPI4PY_RC_THREAD_LEVEL"] == "serialized"  # what a person chose stays


def test_more_processes_than_processors_must_let_each_other_run(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    assert runtimes.tuning(4, 8)["MPI4PY_RC_THREAD_LEVEL"] == "funneled"
    assert runtimes.tuning(5, 8)["MPI4PY_RC_THREAD_LEVEL"] == "multiple"


def test_the_library_can_be_plain_or_forced():
    assert runtimes.tuning(2, 8, "plain") == {}
    forced = runtimes.tuning(2, 8, "ring")
    assert forced["MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM"] == "ring"
    assert forced["OMPI_MCA_coll_tuned_allreduce_algorithm"] == "4"


def test_the_launcher_gets_what_its_library_needs():
    openmpi = runtimes.Launcher("/x/mpiexec", "openmpi", "5.0")
    assert openmpi.command(3, ["python"])[:2] == ["/x/mpiexec", "--oversubscribe"]
    assert runtimes.Launcher("/x/mpiexec", "mpich", "5").command(3, ["python"]) == ["/x/mpiexec", "-n", "3", "python"]


def test_where_a_trace_comes_from_can_be_told_whatever_the_file_says():
    told = provenance(
        {"machine": {"processor": "P", "cores": 2}, "date": "today", "foreign": 0.25, "versions": {"MPI": "5"}}
    )
    assert told["Measured"] == "today on P, 2 processors; MPI 5"
    assert told["Other programs"] == "took 25% of the processors meanwhile"
    for nonsense in (
        {},
        {"machine": 7, "clock": "x", "foreign": "much", "versions": []},
        {"clock": {"uncertainty_us": []}},
    ):
        assert all(isinstance(text, str) for text in provenance(nonsense).values())
