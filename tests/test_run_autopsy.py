"""What is said about a run that ended badly: who, how, and who only saw it."""

import io
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from core.run import autopsy, child, keeper, launch, processes
from core.run.autopsy import Traces, of_death

GONE = "process {}: RuntimeError: Connection closed by peer"


def said(ended=(), errors=None, output="", starter="the launcher (mpiexec)", code=0):
    return of_death(Traces(list(ended), errors or {}, output, starter, code))


def test_a_signal_is_the_cause_and_the_others_are_witnesses():
    errors = {0: GONE.format(0), 2: GONE.format(2)}
    told = said([(0, 1), (1, -9), (2, 1)], errors)
    assert told.startswith(
        "process 1 was ended by signal 9 (SIGKILL), so the run was ended: start it again (process 0:"
    )
    assert "process 2: RuntimeError" in told
    assert said([(1, -9), (0, -11)]).startswith("process 0 was ended by signal 11 (SIGSEGV) and process 1 was ended by")
    assert "signal 99," in said([(1, -99)])


def test_who_leaves_without_a_word_is_the_cause():
    assert said([(0, 1), (1, 7)], {0: GONE.format(0)}).startswith("process 1 ended with code 7, so the run was ended")


def test_an_error_of_ones_own_comes_before_what_the_others_saw():
    errors = {0: GONE.format(0), 1: "process 1: ValueError: no"}
    assert said([(0, 1), (1, 1), (2, 1)], errors) == "process 1: ValueError: no"
    assert said([(0, 1)], {0: GONE.format(0)}) == GONE.format(0)  # better than nothing
    assert said([(0, 3), (1, 3)], {0: "ring: wrong by 1"}) == "ring: wrong by 1"  # all gave up together
    assert said([(1, 1)]).startswith("process 1 ended with code 1")


def test_the_launcher_itself_can_die():
    assert said(code=-9).startswith("the launcher (mpiexec) was ended by signal 9 (SIGKILL)")


def test_without_a_keeper_the_launcher_is_believed():
    mpich = "=   PID 77 RUNNING AT here\n=   EXIT CODE: 9\nTERMINATED WITH THE EXIT STRING: Killed (signal 9)\n"
    assert said(output=mpich, code=9).startswith("a process was ended by signal 9 (SIGKILL)")
    assert said(output="=   EXIT CODE: 9\n", code=9).startswith("a process ended with code 9")
    openmpi = "prterun noticed that process rank 2 with PID 5 on node here exited on signal 11 (Segmentation fault)."
    assert said(output=openmpi, code=139).startswith("a process was ended by signal 11 (SIGSEGV)")
    broken = f"{'-' * 74}\nprterun noticed that process rank 1 with PID 5 on node here exited on\nsignal 9 (Killed).\n"
    assert said(output=broken, code=137).startswith("a process was ended by signal 9 (SIGKILL)")
    assert said(output=f"warning\nit broke\n\n{'-' * 74}\n \n", code=1).endswith("it broke")
    assert said(code=1).endswith("nothing was said about why")
    chatter = "[here:7] osc_ucx_component.c:375  Error: OSC UCX component priority set inside component query failed"
    assert said(output=f"it broke\n{chatter}\n", code=1).endswith("it broke")


def test_mpich_under_the_launcher_of_open_mpi_is_told_so_whatever_the_exit_codes():
    words = "check_MPIR_CVAR_PMI_VERSION(167):  Runtime environment uses unsupported PMI version PMIx. Aborting."
    for ended in ([], [(0, 16), (1, 16)]):
        assert "library is MPICH, and the launcher (mpiexec) belongs to Open MPI" in said(ended, output=words, code=16)


def test_the_words_of_gloo_lose_their_address_and_their_advice():
    text = "[../third_party/gloo/pair.cc:553] Connection closed by peer [::1]:7. This is typically caused by a crash."
    assert keeper.error(2, RuntimeError(text))["text"] == "process 2: RuntimeError: Connection closed by peer [::1]:7"


@pytest.mark.parametrize("size", [0, 1, 99, 100, 101, 5000])
def test_of_much_that_was_said_the_first_and_the_last_is_kept(size):
    text = (b"0123456789" * 500)[:size]
    found = child.said(io.BytesIO(text), 100)
    assert found == (text if size <= 100 else text[:50] + b"\n...\n" + text[-50:])


def test_the_cause_is_found_at_the_end_of_a_long_log():
    log = b"chatter\n" * 100_000 + b"EXIT STRING: Killed (signal 9)\n"
    kept = child.said(io.BytesIO(log), launch.LONGEST).decode()
    assert said(output=kept, code=9).startswith("a process was ended by signal 9")


KEPT = """
import os, signal, sys
from core.run import keeper
keeper.AFTER = 0
def rank(do):
    pid = os.fork()
    if not pid:
        do()
        os._exit(0)
    return pid
ways = [lambda: None, lambda: os._exit(5), lambda: os.kill(os.getpid(), signal.SIGKILL)]
sys.exit(keeper.keep({rank(ways[int(n)]): i for i, n in enumerate(sys.argv[1])}))
"""


@pytest.mark.parametrize(
    ("ways", "code", "told"),
    [("00", 0, set()), ("01", 5, {(1, 5)}), ("20", 137, {(0, -9)}), ("121", None, {(0, 5), (1, -9), (2, 5)})],
)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="keepers need a system on which a process can copy itself")
def test_a_keeper_tells_how_each_one_ended(ways, code, told):
    done = subprocess.run([sys.executable, "-c", KEPT, ways], capture_output=True, text=True, timeout=30, check=False)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert {(event["rank"], event["code"]) for event in events} == told
    assert done.returncode in ((code,) if code is not None else (5, 137))


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="only Linux says who is stopped")
def test_a_stopped_process_is_known(tmp_path):
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        process.send_signal(signal.SIGSTOP)
        until = time.monotonic() + 5
        while not processes.stopped(process.pid) and time.monotonic() < until:
            time.sleep(0.01)
        where = autopsy.of_hang(tmp_path, [process.pid, os.getpid()], 0.05)
        process.kill()
    assert where[0] == "process 0 is frozen: a signal has stopped it"
    assert where[1] == "process 1 does not answer: it is frozen, or was never started"
    assert autopsy.frozen(where, os.getpid()) == f"; {where[0]}"
