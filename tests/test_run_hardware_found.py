"""What the probes found becomes ways to run, networks and a picture."""

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.figures.hardware import wiring
from core.network import simulate
from core.run import request
from core.run.hardware_backends import backends
from core.run.hardware_topology import networks
from tests.machine import FULL, TORCH, gpus, surveyed


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
