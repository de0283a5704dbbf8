"""What must hold under whichever MPI is here: MPICH, Open MPI or Intel MPI."""

import os
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from core.run import launch, processes, runtimes
from core.run.request import Method, Request

pytestmark = pytest.mark.live

SUMS = """
from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
values = (1.0, 2.0**-24, 2.0**-24, -1.0, 2.0**-24, 1.0, -1.0, 2.0**-25)
same = np.full(4096, values[comm.rank], np.float32)  # only the order of the additions can make elements differ
comm.Allreduce(MPI.IN_PLACE, same)
if comm.rank == 0:
    print("kinds", len(np.unique(same)))
"""


def kinds_of_sums(mpi, library):
    """How many different results the library's all-reduce has for elements that are all alike, on 8 ranks."""
    env = runtimes.environment("by hand", "/tmp", 8, 1 << 20, library)
    command = mpi.command(8, [sys.executable, "-m", "mpi4py", "-c", SUMS])
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=env, check=True)
    return int(next(line for line in done.stdout.splitlines() if line.startswith("kinds")).split()[1])


def test_a_forced_ring_is_a_ring(mpi):
    """In a ring every chunk is added up in another order; in the others all elements are added up in the same one."""
    assert kinds_of_sums(mpi, "ring") > 1
    assert kinds_of_sums(mpi, "recursive_doubling") == 1
    assert kinds_of_sums(mpi, "halving_doubling") == 1


def test_who_is_alone_in_the_world_leaves_no_shared_memory(mpi):
    """A library under another one's launcher is such a world; Open MPI then forgets to delete its file."""
    before = set(os.listdir("/dev/shm"))
    program = "from core.run.mpi import MpiGroup; import os; print(MpiGroup().size, os.getpid())"
    env = runtimes.environment("alone", "/tmp", 1, 8)
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=runtimes.ROOT, capture_output=True, text=True, timeout=60, env=env, check=True)
    assert done.stdout.split()[0] == "1"
    left = {name for name in set(os.listdir("/dev/shm")) - before if name.startswith(processes.SHARED)}
    assert not left & {os.path.basename(path) for path in processes.of_nobody(0)}


def test_what_the_launcher_is_told_to_do_is_written_beside_the_result(mpi, monkeypatch):
    """Settings that a person chose reach the ranks; what mpiexec leaves in their environment is not taken for one."""
    chosen = "self,sm" if mpi.version >= "5" else "self,vader"
    monkeypatch.setenv("OMPI_MCA_btl", chosen)
    job = launch.submit(Request(2, (Method("ring"),), (1024,), repeats=1, seconds=0.2, trace=False), "a test")
    assert job.wait(60)
    assert job.state == "done", job.error
    settings = job.result["about"]["settings"]
    assert settings["OMPI_MCA_btl"] == chosen
    assert not [name for name in settings if "wdir" in name or "INFO" in name or "num_procs" in name]
    assert "\n" not in job.versions["MPI"]
    assert "," not in job.versions["MPI"]


def marked(mark):
    """The living processes with this word in their environment."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (place / "environ").read_bytes() and processes.started(int(place.name)):
                found.append(int(place.name))
        except OSError:
            continue
    return found


def in_the_end(wanted, seconds=20.0):
    """Wait until this is so; is it?"""
    until = time.monotonic() + seconds
    while not (so := wanted()) and time.monotonic() < until:
        time.sleep(0.1)
    return so


@pytest.mark.usefixtures("mpi")
def test_when_the_app_is_killed_its_runs_leave_no_process_and_no_shared_memory():
    mark = uuid.uuid4().hex
    words = ("-n", "2", "--through", "memory", "--bytes", "64K", "--seconds", "60", "--repeats", "1000")
    command = [sys.executable, "-m", "core.run", *words]
    env = {**os.environ, "TEST_MARK": mark}
    with subprocess.Popen(command, cwd=runtimes.ROOT, env=env, stderr=subprocess.PIPE, text=True) as app:
        try:
            assert any("timing" in line for line in app.stderr)
            names = processes.shared_memory(marked(mark))
        finally:
            app.kill()
        app.wait()
    assert in_the_end(lambda: not marked(mark))
    assert in_the_end(lambda: not [name for name in names if os.path.exists(name)], 1.0)
