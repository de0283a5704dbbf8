"""Probes never hang, never stay and never break the page; what they find becomes backends, a network and a picture."""

import json
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.algorithms import ALGORITHMS
from core.figures.hardware import wiring
from core.network import simulate
from core.run import hardware, probes_gpu, probes_memory, processes, request, runtimes
from core.run.hardware import PROBES, Probe, Survey, look
from core.run.hardware_backends import backends
from core.run.hardware_topology import networks

PAGE = Path(__file__).parents[1] / "lessons" / "24_hardware.py"
SYSTEM = {"processor": "a chip", "cores": 8, "usable": 8, "physical": 4, "sockets": 1, "memory": 1 << 34}
SYSTEM |= {"free": 1 << 33, "cache": 1 << 25, "python": "3.11.7", "system": "Linux"}
MEMORY = {"threads": 8, "array": 1 << 27, "cache": 1 << 25, "handover": 4e-6}
MEMORY |= {"copy_one": 8e9, "copy_all": 20e9, "add_one": 5e9, "add_all": 12e9}
MPI = {"MPI": "MPICH 5.0.2", "mpi4py": "4.1.2", "standard": "5.0", "latency": 1e-6, "bandwidth": 9e9}
TORCH = {"torch": "2.13.0", "cuda": "", "gloo": "lo", "nccl": ""}
FULL = {"system": SYSTEM, "memory": MEMORY, "mpi": MPI, "torch": TORCH}


def gpus(count, kind="NVLink", rate=lambda i, j: 300e9):
    pairs = [(i, j) for i in range(count) for j in range(count) if i != j]
    links = [{"src": i, "dst": j, "kind": kind, "bandwidth": rate(i, j), "latency": 2e-6} for i, j in reversed(pairs)]
    one = {"name": "a GPU", "memory": 80 << 30, "copy": 1.5e12, "latency": 3e-6, "nvlinks": 18}
    return {"gpus": [dict(one) for _ in range(count)], "links": links, "driver": "580", "notes": []}


def surveyed(**found):
    """A survey that is over: what is None there was missing."""
    survey = Survey()
    for name, answer in found.items():
        survey.answers[name] = {"missing": f"no {name}: pip install {name}"} if answer is None else {"found": answer}
    survey.close("done")
    return survey


def program(monkeypatch, text):
    """Make every probe run this Python text instead."""
    monkeypatch.setattr(hardware, "_program", lambda probe: [sys.executable, "-c", text])


def test_an_answer_is_found_among_other_lines(monkeypatch):
    program(monkeypatch, "print('a library says hello'); print('{\"found\": {\"a\": 1}}'); print('[1]'); print('bye')")
    answer = look(Probe("x", "looking", 20))
    assert answer["found"] == {"a": 1}
    assert 0 < answer["seconds"] < 20
    assert answer["foreign"] is None or 0 <= answer["foreign"] <= 1.5


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("raise SystemExit('it broke')", "ended with code 1 and said nothing: it broke"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "ended with code -11 and said nothing"),
        ("print('{\"found\": ')", "ended with code 0 and said nothing"),
    ],
)
def test_a_probe_that_fails_becomes_a_sentence(monkeypatch, text, sentence):
    program(monkeypatch, text)
    assert sentence in look(Probe("x", "looking", 20))["problem"]


def test_a_probe_that_hangs_is_ended_with_everything_it_started(monkeypatch):
    runs = []
    kept = runtimes.environment
    monkeypatch.setattr(runtimes, "environment", lambda run_id, *rest: runs.append(run_id) or kept(run_id, *rest))
    child = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], "
    program(monkeypatch, child + "start_new_session=True); time.sleep(60)")
    began = time.monotonic()
    answer = look(Probe("x", "looking", 1.5))
    assert "no answer within 1.5 s, so the probe was ended" in answer["problem"]
    assert time.monotonic() - began < 8
    assert processes.of_run(runs[0]) == []


def test_a_program_that_is_not_there_becomes_a_sentence(monkeypatch):
    monkeypatch.setattr(hardware, "_program", lambda probe: ["/nowhere/python"])
    assert look(Probe("x", "looking", 5))["problem"].startswith("the probe could not be started")
    monkeypatch.setattr(hardware, "_program", lambda probe: runtimes.launcher().command(2, []))
    monkeypatch.setenv("ALLREDUCE_MPIEXEC", "/nowhere/mpiexec")
    assert "no mpiexec was found" in look(Probe("mpi", "starting", 5, 2))["missing"]


def test_a_survey_can_be_cancelled_in_the_middle(monkeypatch):
    program(monkeypatch, "import time; time.sleep(60)")
    survey = Survey((Probe("a", "first", 60), Probe("b", "second", 60))).start()
    until = time.monotonic() + 10
    while survey.text != "first" and time.monotonic() < until:
        time.sleep(0.01)
    survey.cancel()
    assert survey.wait(10)
    assert survey.state == "cancelled"
    assert survey.trouble("a") == "the survey was cancelled"
    assert survey.trouble("b") == "nobody has looked yet"


@pytest.mark.live
def test_this_machine_is_looked_at():
    survey = Survey().start()
    assert survey.wait(120)
    assert survey.state == "done"
    assert survey.found("system")["usable"] >= 1
    memory = survey.found("memory")
    assert 1e8 < memory["copy_one"] < 1e13
    assert memory["threads"] == survey.found("system")["usable"]
    for name in ("mpi", "torch", "gpus"):  # found, or a sentence that says why not
        assert survey.found(name) or len(survey.trouble(name)) > 20
    assert json.loads(json.dumps(survey.as_dict()))["probes"]["memory"]["found"] == memory


def test_the_app_process_loads_neither_torch_nor_mpi():
    text = (
        "import sys, core.run.hardware, core.run.hardware_backends, core.run.hardware_topology; "
        "print([name for name in ('torch', 'mpi4py.MPI', 'pynvml') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", text], cwd=runtimes.ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_memory_rates_count_bytes_of_result(monkeypatch):
    monkeypatch.setattr(probes_memory, "LEAST", 1 << 20)
    monkeypatch.setattr(probes_memory, "last_cache", lambda: 1 << 20)
    monkeypatch.setattr(probes_memory, "_best", lambda work, size, threads: 0.5 / threads)
    found = probes_memory.measure()
    assert found["array"] == 1 << 20
    assert found["copy_one"] == (1 << 20) / 0.5
    assert found["add_all"] == found["threads"] * found["add_one"]
    assert 0 < found["handover"] < 0.1


def test_every_way_to_run_is_described():
    assert {backend.name for backend in backends(surveyed(**FULL))} == set(request.BACKENDS)
    works = {backend.name: backend.works for backend in backends(surveyed(**FULL, gpus=None))}
    assert works == {name: name != "nccl" for name in request.BACKENDS}


def test_what_is_missing_says_why_and_what_brings_it():
    nothing = dict.fromkeys(("system", "memory", "mpi", "torch", "gpus"))
    found = {backend.name: backend for backend in backends(surveyed(**nothing))}
    assert found["threads"].works
    assert found["mpi"].why_not == "no mpi: pip install mpi"
    assert found["virtual"].why_not == "no torch: pip install torch"
    built_without = {backend.name: backend for backend in backends(surveyed(**FULL, gpus=gpus(2)))}
    assert "was built without NCCL" in built_without["nccl"].why_not
    with_cuda = FULL | {"torch": TORCH | {"nccl": "2.29.7", "cuda": "13.0"}}
    nccl = backends(surveyed(**with_cuda, gpus=gpus(2)))[-1]
    assert (nccl.works, nccl.why_not) == (True, "")
    assert nccl.version == "NCCL 2.29.7, torch 2.13.0, 2 GPUs"
    blind = gpus(2) | {"gpus": [{"name": "a GPU", "memory": 1}], "notes": ["torch finds no GPU"]}
    assert backends(surveyed(**with_cuda, gpus=blind))[-1].why_not == "torch finds no GPU"


def test_ranks_in_one_memory_share_what_the_memory_carries():
    make, room = networks(surveyed(**FULL))["ranks in this machine's memory"]
    topology = make(4)
    assert room == 0
    assert topology.bandwidth[topology.link(4, 5)] == 20e9  # all together
    assert topology.bandwidth[topology.link(0, 4)] == 8e9  # one of them
    assert topology.gamma == 1 / 5e9
    path = topology.paths(np.array([0]), np.array([3]))[0]
    assert topology.latency[path].sum() == pytest.approx(1e-6)
    assert "measured here" in topology.source
    ring = ALGORITHMS["ring"](4)
    seconds = simulate(ring, 1 << 26, topology).seconds
    assert seconds >= 4 * 2 * 3 / 4 * (1 << 26) / 20e9  # 4 ranks send 3/2 of the buffer each through one memory


def test_without_mpi_the_hand_over_of_threads_counts():
    make, _ = networks(surveyed(**(FULL | {"mpi": None})))["ranks in this machine's memory"]
    assert make(2).latency.max() == 2e-6
    assert "threads" in make(2).source


def test_gpus_that_are_all_alike_hang_on_one_switch():
    make, room = networks(surveyed(**FULL, gpus=gpus(8)))["8 GPUs"]
    assert room == 8
    topology = make(8)
    assert topology.names[-1] == "NVSwitch"
    assert topology.num_links == 16
    assert set(topology.bandwidth) == {300e9}


def test_gpus_that_differ_keep_their_own_cables():
    rates = {frozenset(pair): 1e9 * (1 + sum(pair)) for pair in ((0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3))}
    make, _ = networks(surveyed(**FULL, gpus=gpus(4, "PCIe", lambda i, j: rates[frozenset((i, j))])))["4 GPUs"]
    for ranks in (2, 3, 4):
        topology = make(ranks)
        for i in range(ranks):
            for j in set(range(ranks)) - {i}:
                assert topology.bandwidth[topology.link(i, j)] == rates[frozenset((i, j))]
    assert make(1).world_size == 1


def test_one_gpu_is_one_memory():
    found = networks(surveyed(**FULL, gpus=gpus(1)))
    assert list(found) == ["virtual ranks on one GPU", "ranks in this machine's memory"]
    assert found["virtual ranks on one GPU"][0](8).bandwidth.max() == 1.5e12


def test_a_gpu_that_only_the_driver_knows_has_no_network():
    blind = gpus(2) | {"gpus": [{"name": "a GPU", "memory": 1}] * 2}
    assert list(networks(surveyed(**FULL, gpus=blind))) == ["ranks in this machine's memory"]


class Nvml:
    """An imitation of the driver's library, with two GPUs."""

    class NVMLError(Exception): ...

    NVML_NVLINK_MAX_LINKS, NVML_FEATURE_ENABLED, NVML_P2P_CAPS_INDEX_NVLINK, NVML_P2P_STATUS_OK = 4, 1, 2, 0
    NVML_TOPOLOGY_NODE = 40
    linked = True

    def __getattr__(self, name):
        answers = {
            "nvmlDeviceGetCount": lambda: 2,
            "nvmlSystemGetDriverVersion": lambda: b"580.1",
            "nvmlDeviceGetName": lambda handle: f"GPU {handle}",
            "nvmlDeviceGetMemoryInfo": lambda handle: SimpleNamespace(total=100),
            "nvmlDeviceGetPciInfo": lambda handle: SimpleNamespace(busId=b"0:1"),
            "nvmlDeviceGetMaxPcieLinkWidth": lambda handle: 16,
            "nvmlDeviceGetMaxPcieLinkGeneration": lambda handle: 5,
            "nvmlDeviceGetTopologyCommonAncestor": lambda one, other: 50,
            "nvmlDeviceGetHandleByIndex": lambda i: i,
        }
        return answers.get(name, lambda *rest: None)

    def nvmlDeviceGetNvLinkState(self, handle, link):
        if link > 2:
            raise self.NVMLError("not there")
        return 1

    def nvmlDeviceGetP2PStatus(self, one, other, what):
        return 0 if self.linked else 3


def test_the_driver_is_asked_for_the_wiring(monkeypatch):
    nvml = Nvml()
    monkeypatch.setitem(sys.modules, "pynvml", nvml)
    found = {"gpus": [], "links": [], "driver": "", "notes": []}
    probes_gpu._ask_driver(found)
    assert found["driver"] == "580.1"
    assert [gpu["nvlinks"] for gpu in found["gpus"]] == [3, 3]
    assert found["gpus"][0]["pcie"] == pytest.approx(63e9, rel=0.01)
    assert found["links"] == [{"src": 0, "dst": 1, "kind": "NVLink"}, {"src": 1, "dst": 0, "kind": "NVLink"}]
    nvml.linked = False
    probes_gpu._ask_driver(found)
    assert found["links"][0]["kind"] == "PCIe and processors"


def test_the_picture_says_what_it_draws():
    make, _ = networks(surveyed(**FULL))["ranks in this machine's memory"]
    figure = wiring(make(4))
    alt = figure.layout.meta["alt"]
    assert alt.startswith("this machine's memory: 4 ranks, 9 links in one direction each.")
    assert "1 x backplane: 20 GB/s" in alt
    assert "8 x memory: 8 GB/s, 500 ns at most" in alt
    widths = {trace.text[0]: trace.line.width for trace in figure.data if trace.mode == "lines"}
    assert (
        widths["memory, in to memory, out: backplane, 20 GB/s, 0 s"]
        > widths["rank 0 to memory, in: memory, 8 GB/s, 500 ns"]
    )
    assert [name for trace in figure.data if trace.mode == "markers+text" for name in trace.text] == list(make(4).names)
    assert wiring(make(1), dark=True).layout.meta["alt"]


@pytest.fixture
def forgetful():
    """The page has seen nothing before, and what it sees stays here."""
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()


def opened(monkeypatch, answers):
    """The page after a click on its button, with these answers instead of probes."""
    monkeypatch.setattr(
        hardware, "look", lambda probe, cancelled: answers[probe.name] | {"seconds": 0.1, "foreign": 0.3}
    )
    page = AppTest.from_file(PAGE, default_timeout=60).run()
    assert [button.label for button in page.button] == ["Look at this machine"]
    page.button(key="hardware.look").click().run()
    until = time.monotonic() + 20
    while not page.get("download_button") and time.monotonic() < until:
        page.run()
    assert [error.message for error in page.exception] == []
    return page


def said(page):
    kinds = (page.markdown, page.warning, page.error, page.info, page.get("html"))
    return " ".join(str(element.value) for kind in kinds for element in kind)


@pytest.mark.usefixtures("forgetful")
def test_the_page_shows_what_was_found(monkeypatch):
    page = opened(monkeypatch, {name: {"found": found} for name, found in (FULL | {"gpus": gpus(2)}).items()})
    words = said(page)
    assert "8 GB/s<small>measured here" in words
    assert "Other programs took 30% of the processors" in words
    assert "simulated, from the numbers measured here" in words
    assert words.count("green-badge") == len(request.BACKENDS) - 1  # torch is there, its NCCL is not
    assert page.selectbox(key="hardware.network").options[0] == "2 GPUs"
    page.number_input(key="hardware.ranks").set_value(4).run()
    assert "there are 2 GPUs. Choose 2 ranks or fewer" in said(page)
    page.selectbox(key="hardware.network").select("ranks in this machine's memory").run()
    assert [error.value for error in page.error] == []


@pytest.mark.usefixtures("forgetful")
def test_the_page_survives_when_nothing_is_found(monkeypatch):
    answers = {probe.name: {"missing": f"no {probe.name}: pip install it"} for probe in PROBES}
    words = said(opened(monkeypatch, answers))
    assert words.count("orange-badge") == len(request.BACKENDS) - 1  # threads need nothing
    assert "no mpi: `pip install it`" in words
    assert "There is nothing to build a network from: no memory" in words


@pytest.mark.usefixtures("forgetful")
def test_a_server_for_everybody_starts_nothing(monkeypatch):
    from lessons.parts import live

    monkeypatch.setattr(live, "refusal", lambda: "this server starts nothing")
    page = AppTest.from_file(PAGE, default_timeout=60).run()
    assert page.button(key="hardware.look").disabled
    assert "this server starts nothing" in said(page)
