"""Probes never hang and never stay: whatever they do, what comes back is what they found, or a sentence."""

import json
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from core.run import hardware, probes_gpu, probes_memory, processes, runtimes
from core.run.hardware import PROBES, Probe, Survey, look
from core.run.hardware_backends import gpu_memory


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


class Wire:
    """Two ranks of an MPI that takes GPU memory (`aware`), or that sends nothing."""

    def __init__(self, rank, sent, aware=True):
        self.rank, self.sent, self.aware = rank, sent, aware

    def Send(self, word, other):
        self.sent.append(word.value)

    def Recv(self, word, other):
        if self.aware:
            word.value = self.sent.pop()

    def bcast(self, value, root):
        self.sent.append(value) if self.rank == root else None
        return value if self.rank == root else self.sent[-1]


class Word:
    def __init__(self, value):
        self.value = value

    def item(self):
        return self.value


TORCH = SimpleNamespace(
    full=lambda shape, value, dtype, device: Word(value), int32=None, cuda=SimpleNamespace(synchronize=lambda: None)
)


@pytest.mark.parametrize("aware", [True, False])
def test_mpi_is_asked_whether_it_takes_the_memory_of_a_gpu(aware):
    probes_gpu.through_mpi(TORCH, Wire(0, sent := [0], aware))
    assert probes_gpu.through_mpi(TORCH, Wire(1, sent, aware)) == {"aware": aware}


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ({"found": {"aware": True}}, "takes GPU memory as it is"),
        ({"found": {"aware": False}}, "loses what it reads from GPU memory"),
        ({"problem": "the probe ended with code 139"}, "needs copies in the host's memory: sent from a GPU, the probe"),
        ({"missing": "no driver of a GPU answers"}, ""),
    ],
)
def test_an_mpi_that_dies_of_a_gpu_needs_copies(answer, sentence):
    said_of_it = gpu_memory(SimpleNamespace(answers={"gpu_mpi": answer}))
    assert said_of_it.startswith(sentence)
    assert bool(said_of_it) == bool(sentence)


def test_a_probe_that_a_gpu_kills_is_a_no(monkeypatch):
    program(monkeypatch, "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    answers = {"gpu_mpi": look(next(probe for probe in PROBES if probe.name == "gpu_mpi"))}
    assert "needs copies" in gpu_memory(SimpleNamespace(answers=answers))
