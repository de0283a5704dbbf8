import pytest

from core.run import processes, runtimes


@pytest.fixture(scope="session")
def mpi(without):
    """MPI can be started. On the build machine its absence is a failure, elsewhere a reason to skip."""
    try:
        return runtimes.launcher()
    except runtimes.Missing as missing:
        return without(f"these tests need MPI: {missing}")


@pytest.fixture
def nothing_left():
    """Call it with a run's mark: no process may carry it."""

    def look(run_id):
        assert processes.of_run(run_id) == []

    return look
