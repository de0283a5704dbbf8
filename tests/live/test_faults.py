"""A hundred faults over MPI and gloo: each run ends with a sentence that names who and why, and leaves nothing.

The same cases by the same code as in benchmarks/fault_matrix.py, which prints the times. Here nothing depends on how
fast this machine is: a run that takes a minute to end counts as one that never does.
"""

import tempfile
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks.fault_matrix import KINDS, cases, matrix, memory_left, table
from core.run import processes

pytestmark = pytest.mark.live
COUNT, AT_ONCE = 100, 4


def test_the_cases_are_what_they_claim_to_be():
    chosen = cases(COUNT, seed=1)
    assert {(case.kind, case.backend) for case in chosen} == {(k, b) for k in KINDS for b in ("mpi", "gloo")}
    assert min(Counter((case.kind, case.backend) for case in chosen).values()) >= COUNT // 2 // len(KINDS)
    assert {case.rank for case in chosen} == {0, 1, 2, 3}
    assert chosen == cases(COUNT, seed=1) != cases(COUNT, seed=2)
    assert not any(case.request().refuse() for case in chosen)


@pytest.mark.usefixtures("mpi")
def test_a_hundred_of_a_hundred(without, tmp_path, monkeypatch):
    if find_spec("torch") is None:
        without("these tests need torch: pip install torch")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # for the programs that start a run and are killed
    since = time.time()
    found = matrix(cases(COUNT, seed=1), AT_ONCE)
    wrong = [f"{one.case}: {one.problem}" for one in found if one.problem]
    assert not wrong, "\n".join([*wrong, table(found)])
    assert len(found) == COUNT
    assert list(Path(tmp_path).glob(f"{processes.FOLDER}*")) == []
    assert memory_left(since) == set()
