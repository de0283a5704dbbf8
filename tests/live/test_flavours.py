"""What must hold under whichever MPI is here: MPICH, Open MPI or Intel MPI."""

import subprocess
import sys

import pytest

from core.run import runtimes

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
