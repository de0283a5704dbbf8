"""NCCL without a GPU: how its ranks begin, what they cannot do, and sweeps over its settings."""

import time
from types import SimpleNamespace

import numpy as np
import pytest

from core.run import launch, nccl_group, nccl_sweep
from core.run.nccl_group import NcclGroup, open_group
from core.run.nccl_settings import Setting
from core.run.request import Method, Request
from core.run.runtimes import Missing
from core.run.torch_executor import OneStream
from core.run.virtual_device import Device
from tests.imitation import Dist, World, torch


def test_stamps_of_a_gpu_are_brought_to_the_clock_of_its_host():
    clock = iter(range(100, 2000, 100))  # milliseconds on the GPU, one event after another

    class Event:
        def __init__(self, enable_timing):
            assert enable_timing

        def record(self):
            self.at = next(clock)

        def synchronize(self): ...

        def elapsed_time(self, later):
            return later.at - self.at

    stream = OneStream(SimpleNamespace(cuda=SimpleNamespace(Event=Event, synchronize=lambda name: None)), "cuda:0")
    stamps = []
    before = time.perf_counter_ns()
    stream.anchor()
    after = time.perf_counter_ns()
    for _ in range(2):
        stream.stamp(0, stamps)()
    first, second = stream.nanoseconds(stamps)
    assert second - first == 100_000_000
    assert before <= first - 100_000_000 <= after


class Opened(Dist):
    """One rank's imitation that also opens the world, and remembers how."""

    def __init__(self, fails=""):
        super().__init__(World(1), 0)
        self.fails, self.asked = fails, {}

    def init_process_group(self, backend, **how):
        self.asked = {"backend": backend, **how}
        if self.fails:
            raise RuntimeError(self.fails)

    def all_reduce(self, tensor, op=torch.add, group=None):
        self.asked["warmed up"] = tensor.numel()


@pytest.fixture
def gpu(monkeypatch):
    """An imitation of torch with a GPU, for which the CPU stands in."""
    cuda = SimpleNamespace(synchronize=lambda name: None, get_device_name=lambda name: "a GPU")
    monkeypatch.setattr(nccl_group, "OneStream", lambda torch, name: Device())
    return SimpleNamespace(cuda=cuda, device=lambda name: f"device {name}", zeros=lambda n, device: torch.zeros(n))


def test_the_communicator_is_made_and_used_before_messages(gpu):
    dist = Opened()
    group = open_group(dist, gpu, "cuda:3", (0, 1, "file:///x/meet"))
    assert dist.asked["backend"] == "nccl"
    assert dist.asked["device_id"] == "device cuda:3"
    assert dist.asked["timeout"].total_seconds() <= 20
    assert dist.asked["warmed up"] == 1
    assert group.gather(7) == [7]


def test_a_communicator_that_cannot_be_made_is_explained(gpu):
    with pytest.raises(Missing, match="turn on sharing"):
        open_group(Opened("WARN Multiple Ranks are using the same GPU/Partition."), gpu, "cuda:0", (0, 1, ""))


def test_what_the_switch_cannot_add_is_left_out():
    group = NcclGroup(None, Device(), 0, 1)
    group.setting = Setting("multimem")
    assert group.native(np.zeros(4, np.float64), "sum") is None
    assert group.native(np.zeros(4, np.float32), "max") is None


def test_a_sweep_has_a_line_for_what_is_impossible(monkeypatch):
    def submit(request):
        asked = Setting(**request.nccl)
        if asked.algorithm == "tree":
            raise launch.Refused("tree is refused")
        job = SimpleNamespace(wait=lambda: None, state="failed", error="nvls needs a switch", result=None)
        if asked.algorithm == "ring":
            row = {"label": "native", "nbytes": 8, "median": 2e-6, "busbw": 4e9}
            result = {"rows": [row], "about": {"nccl": {"did": "AllReduce of 8 B: ring, protocol ll"}}}
            job = SimpleNamespace(wait=lambda: None, state="done", result=result)
        return job

    monkeypatch.setattr(launch, "submit", submit)
    request = Request(2, (Method("ring"),), (8,), backend="nccl", trace=False)
    lines = nccl_sweep.sweep(request, nccl_sweep.settings(["ring", "tree", "nvls"], [""]))
    assert [(line.setting, line.seconds) for line in lines] == [
        ("NCCL ring", 2e-6),
        ("NCCL tree", None),
        ("NCCL nvls", None),
    ]
    table = nccl_sweep.table(lines)
    assert "NCCL ring       2 us      4 GB/s  AllReduce of 8 B: ring, protocol ll" in table
    assert "NCCL nvls          -           -  nvls needs a switch" in table


def test_a_sweep_leaves_out_nonsense_and_names_the_unknown(capsys):
    chosen = nccl_sweep.settings(["", "nvls"], ["", "ll"])
    assert [setting.label for setting in chosen] == ["NCCL", "NCCL ll", "NCCL nvls"]
    assert nccl_sweep.main(["--algorithms", "magic"]) == 2
    assert nccl_sweep.main(["--bytes", "many"]) == 2
    assert "no NCCL algorithm 'magic'" in capsys.readouterr().err


def test_a_machine_without_gpus_says_so():
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(Missing, match="NCCL needs an NVIDIA GPU"):
        nccl_group.run_nccl(Request(2, (Method("ring"),), (8,), backend="nccl"), lambda group: 0)
