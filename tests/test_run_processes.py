"""What a live run ends and removes: what is its own, and nothing else, whatever lies or runs beside it."""

import errno
import os
import subprocess
import sys
import time
import uuid
from contextlib import suppress

import pytest

from core.run import processes
from core.run.watch import Watch


def test_nothing_but_the_folder_of_a_run_is_ever_removed(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    of_a_run = processes.new_folder("0123456789abcdef").name
    others = (
        "precious",
        f"my-{of_a_run}",
        f"{processes.FOLDER}lab",
        f"{processes.FOLDER}01234567-x",
        f"{of_a_run}.old",
    )
    for name in (*others, of_a_run):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "file").write_text("data")
        processes.remove(tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(others)


def test_the_folders_of_the_dead_are_removed_and_those_of_the_living_stay(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    mine = processes.new_folder("0123456789abcdef")
    assert processes.is_folder(mine, "0123456789abcdef")
    assert not processes.is_folder(mine, "f" * 16)
    with subprocess.Popen([sys.executable, "-c", "pass"]) as gone:
        born = processes.started(gone.pid)
    ours = tmp_path / f"{processes.FOLDER}01234567-{processes.world()}"
    dead = ours.with_name(f"{ours.name}-{gone.pid}-{born or 'x'}-abc")
    reborn = ours.with_name(f"{ours.name}-{os.getpid()}-1-abc")  # the number belongs to another process now
    unknown = ours.with_name(f"{ours.name}-{os.getpid()}--abc")  # of somebody who did not know since when
    stranger = tmp_path / f"{processes.FOLDER}of-somebody-else"
    for folder in (dead, reborn, unknown, stranger):
        folder.mkdir()
    processes.tidy(str(tmp_path))
    assert sorted(tmp_path.iterdir()) == sorted([mine, unknown, stranger])


def test_the_folders_of_other_computers_and_containers_are_not_for_us_to_judge(tmp_path, monkeypatch):
    """They may share the place of temporary files, and their processes are not seen from here."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with monkeypatch.context() as there:
        there.setattr(processes, "world", lambda: "ffffff")
        there.setattr(os, "getpid", lambda: 99_999_999)  # nobody's number here
        there.setattr(processes, "started", lambda pid: "123")
        theirs = processes.new_folder("0123456789abcdef")
    assert processes.world() != "ffffff"
    processes.tidy(str(tmp_path))
    assert theirs.is_dir()
    monkeypatch.setattr(processes, "world", lambda: "ffffff")
    processes.tidy(str(tmp_path))
    assert not theirs.exists()  # it would have gone


NAMES = ("mpich_shm_", "mpich_shar_tmp", "ucx_shm_posix_", "vader_segment.", "sm_segment.", "osc_sm.", "Intel_MPI_")


@pytest.fixture(params=NAMES)
def memory(request):
    """A file of shared memory, called as the MPI libraries call theirs, that this process has open."""
    if not os.path.isdir("/dev/shm"):
        pytest.skip("shared memory has names only on Linux")
    path = f"/dev/shm/{request.param}of_a_test_{uuid.uuid4().hex}"
    with open(path, "wb"):
        yield path
    with suppress(FileNotFoundError):
        os.unlink(path)


def test_shared_memory_that_somebody_has_open_stays_though_other_files_close_meanwhile(memory, monkeypatch):
    listdir = os.listdir
    monkeypatch.setattr(os, "listdir", lambda place: ["999998", *listdir(place), "999999"])  # closed since
    assert memory not in processes.of_nobody(time.time())


def test_who_cannot_look_at_all_processes_finds_no_memory_of_nobody(memory, monkeypatch):
    monkeypatch.setattr(processes, "_open_files", lambda place: set())
    assert memory in processes.of_nobody(time.time())  # if nobody had it open

    def refuse(pid):
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(processes, "_mapped", refuse)
    assert processes.of_nobody(time.time()) == set()
    assert processes.shared_memory([os.getpid()]) == set()


def watch_of(parent, born):
    """A guard that does nothing by itself."""
    watch = object.__new__(Watch)
    watch.parent, watch.born = parent, born
    return watch


def test_who_cannot_be_seen_at_the_moment_is_not_dead(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    mine, me = processes.new_folder("0123456789abcdef"), os.getpid()
    watches = [watch_of(me, processes.started(me)), watch_of(me, "another time"), watch_of(me, ""), watch_of(0, "")]
    assert [watch._alone() for watch in watches] == [False, True, True, False]

    def refuse(*_args):
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(processes, "_state", refuse)
    monkeypatch.setattr(os, "kill", refuse)
    processes.tidy(str(tmp_path))
    assert mine.is_dir()
    assert [watch._alone() for watch in watches[:2]] == [False, False]


@pytest.mark.parametrize(
    ("problem", "told"), [(None, "alive"), (PermissionError, "alive"), (ProcessLookupError, ""), (OverflowError, "")]
)
def test_where_the_system_tells_nothing_a_signal_asks(monkeypatch, problem, told):
    def kill(pid, sign):
        assert sign == 0
        if problem:
            raise problem

    monkeypatch.setattr(os.path, "isdir", lambda path: False)
    monkeypatch.setattr(os, "kill", kill)
    assert processes.started(12345) == told


def test_windows_is_not_asked_by_a_signal_which_is_ctrl_c_there(monkeypatch):
    sent = []
    monkeypatch.setattr(os.path, "isdir", lambda path: False)
    monkeypatch.setattr(os, "kill", lambda *what: sent.append(what))
    monkeypatch.setattr(sys, "platform", "win32")
    assert (processes.started(12345), sent) == ("alive", [])


def test_no_process_belongs_to_a_run_without_a_name(monkeypatch):
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, env={"ALLREDUCE_RUN": ""}) as other:
        processes.force("")
        assert other.poll() is None
        other.communicate(b"\n")
    assert other.returncode == 0


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="only Linux says when a process was started")
def test_a_process_may_be_called_anything():
    strange = "import ctypes; ctypes.CDLL(None).prctl(15, b'\\xff) \\xfe'); print(flush=True); input()"
    how = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", strange], **how) as other:
        other.stdout.readline()
        assert processes.started(other.pid).isdigit()
        assert not processes.stopped(other.pid)
        other.communicate(b"\n")
    assert processes.started(other.pid) == ""
