"""python -m core.run, as a person types it: alone, under mpiexec, and killed in the middle."""

import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec

import pytest

from core import trace
from core.run import lines, processes, runtimes
from core.run.request import Method, Request

pytestmark = pytest.mark.live

ENOUGH = ("--repeats", "2", "--seconds", "0.3")


def command(*words, **env):
    full = [sys.executable, "-m", "core.run", *words]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PMI")}
    return subprocess.run(
        full, cwd=runtimes.ROOT, capture_output=True, text=True, timeout=60, env={**clean, **env}, check=False
    )


@pytest.mark.skipif(not hasattr(signal, "SIGCHLD"), reason="only POSIX tells of ended processes by a signal")
def test_how_a_rank_ended_is_known_though_whoever_began_ignores_the_ends_of_processes(without):
    if find_spec("torch") is None:
        without("these tests need torch: pip install torch")
    begin = "import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
    begin += "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    words = ("-m", "core.run", "--backend", "gloo", "-n", "2", "--bytes", "1K", "--fault", "kill:1", *ENOUGH)
    full = [sys.executable, "-c", begin, *words]
    done = subprocess.run(full, cwd=runtimes.ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert "core.run: process 1 was ended by signal 9 (SIGKILL), so the run was ended" in done.stderr


@pytest.mark.usefixtures("mpi")
def test_a_run_prints_a_table_and_writes_a_trace(tmp_path):
    done = command("-n", "2", "--algorithm", "ring", "--bytes", "64K", "--out", str(tmp_path / "t.arl"), *ENOUGH)
    assert done.returncode == 0, done.stderr
    assert "64 KiB  ring" in done.stdout
    assert "measured here" in done.stdout
    assert trace.load((tmp_path / "t.arl").read_bytes()).about["command"].startswith("python -m core.run -n 2")


@pytest.mark.usefixtures("mpi")
def test_a_trace_that_cannot_be_written_is_told_after_the_result(tmp_path):
    (tmp_path / "file").write_text("in the way")
    done = command("-n", "2", "--bytes", "1K", "--out", str(tmp_path / "file" / "t.arl"), *ENOUGH)
    assert done.returncode == 1
    assert "cannot be written" in done.stderr
    assert "1 KiB  ring" in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("mpi")
def test_json_and_several_methods(tmp_path):
    out = str(tmp_path / "t.arl")
    done = command("-n", "2", "--algorithm", "ring,direct", "--bytes", "1K", "--json", "--out", out, *ENOUGH)
    result = json.loads(done.stdout)
    assert [row["label"] for row in result["rows"]] == ["ring", "direct", "native"]
    assert sorted(os.listdir(tmp_path)) == ["t-direct-1024.arl", "t-ring-1024.arl"]


@pytest.mark.usefixtures("mpi")
def test_a_trace_file_is_a_schedule_to_run_again(tmp_path):
    first, second = tmp_path / "a.arl", tmp_path / "b.arl"
    assert command("-n", "2", "--algorithm", "direct", "--bytes", "1K", "--out", str(first), *ENOUGH).returncode == 0
    done = command("-n", "2", "--schedule", str(first), "--bytes", "2K", "--out", str(second), *ENOUGH)
    assert done.returncode == 0, done.stderr
    assert trace.load(second.read_bytes()).schedule.name == "direct"


def test_bad_input_is_one_sentence_and_exit_code_2():
    done = command("-n", "0")
    assert (done.returncode, done.stderr) == (2, "core.run: world_size is 0: a live run takes 1 to 32\n")


THREADS = ("--backend", "threads", "-n", "2", "--bytes", "1K", *ENOUGH)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a device that is always full")
def test_a_full_disk_costs_nothing_but_what_does_not_fit(tmp_path):
    full = [sys.executable, "-m", "core.run", *THREADS, "--out", str(tmp_path / "t.arl")]
    how = {"cwd": runtimes.ROOT, "text": True, "timeout": 60, "check": False}
    with open("/dev/full", "w") as device:
        no_out = subprocess.run(full, stdout=device, stderr=subprocess.PIPE, **how)
        no_err = subprocess.run(full, stderr=device, stdout=subprocess.PIPE, **how)
        refused = subprocess.run([*full, "-n", "0"], stderr=device, **how)
    assert no_out.returncode == 1
    assert no_out.stderr.splitlines()[-1] == "core.run: the result cannot be written: No space left on device"
    assert "Traceback" not in no_out.stderr
    assert trace.load((tmp_path / "t.arl").read_bytes()).schedule.name == "ring"
    assert no_err.returncode == 0
    assert "1 KiB  ring" in no_err.stdout
    assert refused.returncode == 2


def test_a_reader_that_has_gone_and_an_old_encoding_are_no_errors():
    full = [sys.executable, "-m", "core.run", *THREADS]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(full, cwd=runtimes.ROOT, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(writer)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "core.run: the result cannot be written: Broken pipe"
    assert "Traceback" not in done.stderr
    ascii_only = command("--algorithm", "\N{COLLISION SYMBOL}", PYTHONIOENCODING="ascii")
    assert "there is no algorithm '\\U0001f4a5'" in ascii_only.stderr


def under(mpi, count, *words):
    program = [sys.executable, "-m", "core.run", *words]
    env = runtimes.environment("by hand", tempfile.gettempdir(), count, 1024)
    how = {"capture_output": True, "text": True, "timeout": 60, "check": False}
    return subprocess.run(mpi.command(count, program), cwd=runtimes.ROOT, env=env, **how)


def test_under_mpiexec_without_the_app(mpi, tmp_path):
    out = str(tmp_path / "t.arl")
    done = under(mpi, 3, "--worker", "-n", "2", "--algorithm", "sharp", "--bytes", "1K", "--out", out, *ENOUGH)
    assert done.returncode == 0, done.stderr
    assert "1 KiB  sharp" in done.stdout
    assert trace.load((tmp_path / "t.arl").read_bytes()).schedule.world_size == 2


def test_under_mpiexec_the_flag_is_not_needed_and_the_world_says_how_many(mpi):
    done = under(mpi, 3, "--algorithm", "sharp", "--bytes", "1K", "--json", *ENOUGH)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"][0]["label"] == "sharp"


def test_a_world_of_the_wrong_size(mpi):
    done = under(mpi, 2, "--worker", "-n", "4", "--bytes", "1K", *ENOUGH)
    assert done.returncode != 0
    assert "asked for 4 processes, but the mpi world has 2" in done.stderr


@pytest.mark.usefixtures("mpi")
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_when_the_parent_is_killed_nothing_is_left(sign):
    words = ["-n", "2", "--bytes", "1M", "--seconds", "60", "--repeats", "1000"]
    parent = subprocess.Popen(
        [sys.executable, "-m", "core.run", *words],
        cwd=runtimes.ROOT,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a test run in the background ignores it
    )
    try:
        line = next(line for line in parent.stderr if "timing" in line)
        assert line
        marks = {run_mark(pid) for pid in of_parent(parent.pid)}
        assert len(marks) == 1
        parent.send_signal(sign)
        parent.wait(10)
        until = time.monotonic() + 5
        while processes.of_run(next(iter(marks))) and time.monotonic() < until:
            time.sleep(0.05)
        assert processes.of_run(next(iter(marks))) == []
    finally:
        parent.kill()
        parent.stderr.close()


def of_parent(pid):
    """The children of a process."""
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        direct = [int(word) for word in file.read().split()]
    threads = os.listdir(f"/proc/{pid}/task")
    for thread in threads:
        with open(f"/proc/{pid}/task/{thread}/children") as file:
            direct += [int(word) for word in file.read().split()]
    return set(direct)


def run_mark(pid):
    with open(f"/proc/{pid}/environ", "rb") as file:
        return next(word for word in file.read().split(b"\0") if word.startswith(b"ALLREDUCE_RUN=")).decode()[14:]


def test_the_line_that_the_page_writes_runs(mpi, tmp_path):
    """As it stands, except for the programs: those of this Python."""
    request = Request(2, (Method("ring", through="memory"),), (4096,), library="ring", repeats=2, seconds=0.3)
    line = lines.elsewhere(request, 1, str(tmp_path / "t.arl"))[0].command
    _, _, number, _, *program = shlex.split(line)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PMI")}
    how = {"cwd": runtimes.ROOT, "env": clean, "capture_output": True, "text": True, "timeout": 90, "check": False}
    done = subprocess.run(mpi.command(int(number), [sys.executable, *program]), **how)
    assert done.returncode == 0, done.stderr
    about = trace.load((tmp_path / "t.arl").read_bytes()).about
    assert about["label"] == "ring (through memory)"
    assert about["settings"]["MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM"] == "ring"  # set before MPI was loaded
