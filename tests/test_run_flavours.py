"""MPICH, Open MPI and Intel MPI, as far as they can be told apart without being there: imitations of their mpiexec."""

import os
from pathlib import Path

import pytest

from core.run import runtimes

SAYS = {  # the first lines of `mpiexec --version`
    "mpich": ("HYDRA build details:\n    Version:      5.0.2\n    Release Date: Fri Sep 25 20:45:26 UTC 2026", "5.0.2"),
    "openmpi": ("mpiexec (Open MPI) 5.0.11\n\nReport bugs to https://www.open-mpi.org/community/help/", "5.0.11"),
    "intel": ("Intel(R) MPI Library for Linux* OS, Version 2021.18.1 Build 20260626 (id: b44796a)", "2021.18.1"),
}
OLD = ("mpiexec (OpenRTE) 4.1.4\n\nReport bugs to http://www.open-mpi.org/community/help/", "4.1.4")
ROOT_FLAGS = [[], ["--allow-run-as-root"]]


def imitation(folder: Path, says: str) -> Path:
    path = folder / "bin" / "mpiexec"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{says}\nEND\n")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def nothing_chosen(monkeypatch):
    for name in ("ALLREDUCE_MPIEXEC", "MPI4PY_LIBMPI"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("flavour", "says", "version"), [*((name, *both) for name, both in SAYS.items()), ("openmpi", *OLD)]
)
def test_a_launcher_is_known_by_what_it_says(tmp_path, flavour, says, version):
    found = runtimes._asked(str(imitation(tmp_path, says)))
    assert (found.flavour, found.version) == (flavour, version)


@pytest.mark.parametrize("root", [False, True])
@pytest.mark.parametrize("flavour", SAYS)
def test_only_open_mpi_has_to_be_allowed_what_the_others_do_anyway(monkeypatch, flavour, root):
    monkeypatch.setattr(runtimes, "_is_root", lambda: root)
    command = runtimes.Launcher("/x/mpiexec", flavour, "1").command(8, ["python", "a.py"])
    extra = ["--oversubscribe", *ROOT_FLAGS[root]] if flavour == "openmpi" else []
    assert command == ["/x/mpiexec", *extra, "-n", "8", "python", "a.py"]
    env = runtimes.environment("mark", "/x", 8, 1024)
    assert ("OMPI_ALLOW_RUN_AS_ROOT" in env, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM" in env) == (root, root)


@pytest.mark.skipif(os.name != "posix", reason="the imitation is a shell script")
def test_the_launcher_beside_the_library_that_is_asked_for(tmp_path, monkeypatch):
    mine = imitation(tmp_path / "mine", SAYS["openmpi"][0])
    for lib in ("lib", "lib64", "lib/x86_64-linux-gnu"):
        monkeypatch.setenv("MPI4PY_LIBMPI", str(tmp_path / "mine" / lib / "libmpi.so.40"))
        assert runtimes.mpiexec() == str(mine)
    assert runtimes.launcher().flavour == "openmpi"


def test_a_library_without_a_launcher_beside_it_takes_the_path_s_and_not_python_s(tmp_path, monkeypatch):
    other = imitation(tmp_path / "other", SAYS["openmpi"][0])
    monkeypatch.setattr("sys.executable", str(imitation(tmp_path / "venv", SAYS["mpich"][0]).parent / "python"))
    monkeypatch.setenv("PATH", str(other.parent))
    assert runtimes.mpiexec() == str(tmp_path / "venv" / "bin" / "mpiexec")
    for elsewhere in (tmp_path / "a" / "b" / "c" / "libmpi.so.40", "libmpi.so.40"):
        monkeypatch.setenv("MPI4PY_LIBMPI", str(elsewhere))
        assert runtimes.mpiexec() == str(other)
    monkeypatch.setenv("ALLREDUCE_MPIEXEC", str(tmp_path / "venv" / "bin" / "mpiexec"))
    assert runtimes.mpiexec() == str(tmp_path / "venv" / "bin" / "mpiexec")


@pytest.mark.parametrize("name", runtimes.FORCED)
def test_what_is_forced_is_forced_in_every_library(name):
    forced = runtimes.tuning(2, 8, name)
    chosen = (
        forced["MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM"],
        forced["OMPI_MCA_coll_tuned_allreduce_algorithm"],
        forced["I_MPI_ADJUST_ALLREDUCE"],
    )
    assert chosen == runtimes.FORCED[name]
    assert forced["OMPI_MCA_coll_tuned_use_dynamic_rules"] == "1"  # without it Open MPI ignores the number


def test_crowded_processes_of_intel_mpi_are_told_to_let_each_other_run(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert runtimes.tuning(3, 8)["I_MPI_THREAD_YIELD"] == "3"
    assert "I_MPI_THREAD_YIELD" not in runtimes.tuning(2, 8)
    assert runtimes.tuning(3, 8, "plain") == {}


def test_what_a_person_chose_reaches_the_processes_and_what_a_launcher_left_does_not(monkeypatch):
    chosen = {"OMPI_MCA_btl": "self,tcp", "OMPI_MCA_coll_tuned_allreduce_algorithm": "2", "I_MPI_FABRICS": "shm"}
    left = {"OMPI_COMM_WORLD_RANK": "1", "OMPI_MCA_orte_hnp_uri": "x", "OMPI_MCA_ess": "y", "PMIX_RANK": "1"}
    for name, value in {**chosen, **left}.items():
        monkeypatch.setenv(name, value)
    env = runtimes.environment("mark", "/x", 2, 8, "ring")
    assert chosen.items() <= env.items()
    assert not left.keys() & env.keys()


def test_settings_beside_a_result_are_those_that_steer_not_what_mpiexec_wrote_down(monkeypatch):
    steering = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "I_MPI_ADJUST_ALLREDUCE": "8", "UCX_TLS": "sm"}
    noise = {"OMPI_MCA_initial_wdir": "/home/somebody", "OMPI_MCA_num_procs": "2", "I_MPI_PIN_INFO": "x0", "HOME": "/"}
    noise["FI_PROVIDER_PATH"] = "/home/somebody/lib"  # where things lie is no setting, and a trace is passed on
    for name, value in {**steering, **noise}.items():
        monkeypatch.setenv(name, value)
    found = runtimes.settings()
    assert steering.items() <= found.items()
    assert not noise.keys() & found.keys()
