"""python -m core.run as torchrun starts it: on one machine, on two, and in a world of the wrong size."""

import os
import shlex
import socket
import subprocess
import sys
from importlib.util import find_spec

import pytest
from streamlit.testing.v1 import AppTest

from core import trace
from core.run import lines, runtimes, sweep
from core.run.request import Method, Request

pytestmark = pytest.mark.live

RING = (Method("ring"),)
QUICK = {"backend": "gloo", "repeats": 2, "seconds": 0.3}


@pytest.fixture(autouse=True)
def torch_there(without):
    if find_spec("torch") is None:
        without("these tests need torch: pip install torch")


def begin(line, folder, **env):
    """Start a line of the page in `folder`, with the Python of the tests."""
    words = shlex.split(line)
    place = words.index("torchrun")
    words[place : place + 1] = [sys.executable, "-m", "torch.distributed.run"]
    env = {**os.environ, "PYTHONPATH": str(runtimes.ROOT), **env}
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(words, cwd=folder, env=env, **quiet)


def ended(process):
    try:
        out, errors = process.communicate(timeout=240)
    finally:
        process.kill()
    return process.returncode, out, errors


def test_one_machine_writes_a_trace_that_the_app_plays(tmp_path):
    request = Request(2, RING, (65536,), **QUICK)
    code, out, errors = ended(begin(lines.elsewhere(request, 1, "t.arl")[0].command, tmp_path))
    assert code == 0, errors
    assert "64 KiB  ring" in out
    data = (tmp_path / "t.arl").read_bytes()
    measured = trace.load(data)
    assert (measured.source, measured.schedule.world_size) == ("gloo", 2)
    assert measured.about["clock"]["impossible"] == 0
    assert measured.about["command"].startswith("torchrun --nnodes=1 --nproc-per-node=2 -m core.run --backend gloo")
    page = AppTest.from_file(runtimes.ROOT / "app.py", default_timeout=60).run().switch_page("lessons/18_live.py").run()
    page.file_uploader(key="live.file").upload("t.arl", data, "application/octet-stream").run()
    assert [e.message for e in page.exception] + [e.value for e in page.error] == []
    assert page.get("bidi_component")


def test_two_machines_meet_at_the_rendezvous_and_write_a_sweep(tmp_path):
    request = Request(2, (*RING, Method("direct")), (8, 4096), **QUICK)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    line = next(line.command for line in lines.elsewhere(request, 2) if "NODE1" in line.command)
    line = line.replace(f"NODE1:{lines.PORT}", f"127.0.0.1:{port}")
    agents = [begin(line, tmp_path, GLOO_SOCKET_IFNAME="lo") for _ in range(2)]
    results = [ended(agent) for agent in agents]
    assert [code for code, *_ in results] == [0, 0], results
    (out,) = (out for _, out, _ in results if out.strip())
    found = sweep.from_json(out)
    assert found["about"]["world_size"] == 2
    assert {row["label"] for row in found["rows"]} == {"ring", "direct", "native"}


def test_without_a_number_all_that_were_started_take_part(tmp_path):
    line = lines.elsewhere(Request(2, RING, (1024,), **QUICK))[0].command.replace(" -n 2 ", " ")
    code, out, errors = ended(begin(line.replace("--nproc-per-node=2", "--nproc-per-node=3"), tmp_path))
    assert code == 0, errors
    assert sweep.from_json(out)["about"]["world_size"] == 3


CLOCKS = """
import platform, sys
from core.run.gloo import run_gloo

def one(group):
    platform.node = lambda: f"host {group.rank}"
    found = group.clocks()
    if group.rank == 0:
        print([(c["measured"], abs(c["offset"]) <= 2 * c["uncertainty"]) for c in found])
    group.barrier()
    return 0

sys.exit(run_gloo(3, 30, one))
"""


def test_clocks_of_several_machines_are_compared_through_gloo(tmp_path):
    """Three processes that give different names: their clock is the same, and that is what must be found."""
    (tmp_path / "clocks.py").write_text(CLOCKS)
    env = runtimes.environment("a test", str(tmp_path), 3, 8)
    how = {"env": env, "capture_output": True, "text": True, "timeout": 60, "check": False}
    done = subprocess.run([sys.executable, str(tmp_path / "clocks.py")], **how)
    assert done.stdout.strip() == "[(True, True), (True, True), (True, True)]", done.stderr


def test_a_world_of_the_wrong_size_says_so_once_even_if_the_one_who_says_it_is_late(tmp_path):
    """Rank 0 begins two seconds after the others, as it may on a busy machine."""
    late = "import os, time; time.sleep(2 if os.environ.get('RANK') == '0' else 0)\n"
    (tmp_path / "sitecustomize.py").write_text(late)
    line = lines.elsewhere(Request(8, RING, (1024,), **QUICK))[0].command.replace("node=8", "node=2")
    env = {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(runtimes.ROOT)])}
    code, out, errors = ended(begin(line, tmp_path, **env))
    assert code != 0
    assert out == ""
    assert errors.count("asked for 8 ranks, torchrun started 2") == 1
