"""NCCL without a GPU: the executor and the worker against an imitation of torch.distributed, and against gloo."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from core import trace
from core.algorithms import ALGORITHMS
from core.replay import reduce_buffers
from core.run import runtimes
from core.run.plan import pieces, program
from core.run.request import Method, Request
from core.run.torch_executor import TorchExecutor
from core.run.torch_group import TorchGroup
from core.run.virtual_device import Device
from core.run.worker import Worker
from tests import imitation
from tests.imitation import Dist, World, on_every_rank


def carried_out(schedule, inputs, op="sum"):
    """The buffers of all ranks after a run through the imitation, and how many batches rank 0 handed in."""
    world, size = World(schedule.num_vertices), inputs.shape[1]
    cut = pieces(schedule, size)

    def work(rank):
        dist = Dist(world, rank)
        mine = program(schedule, rank, cut, size, op, inputs.itemsize)
        kind = (inputs.dtype.name, op, schedule.world_size)
        executor = TorchExecutor(mine, cut, dist, None, Device(), kind)
        if rank < schedule.world_size:
            executor.load(inputs[rank])
        executor.run()
        return executor.data[:size].copy(), dist.batches

    results = on_every_rank(schedule.num_vertices, work)
    return np.stack([data for data, _ in results[: schedule.world_size]]), results[0][1]


def rounding_inputs(schedule):
    size = 5 * schedule.num_chunks
    return (np.random.default_rng(2).random((schedule.world_size, size)) * 9 + 1).astype(np.float32)


@pytest.mark.parametrize("world_size", [2, 3, 4, 8])
def test_every_algorithm_to_the_bit(world_size):
    names = [name for name, algorithm in ALGORITHMS.items() if not algorithm.refuse(world_size)]
    assert len(names) > 20
    for name in names:
        schedule = ALGORITHMS[name](world_size)
        inputs = rounding_inputs(schedule)
        right = reduce_buffers(schedule, inputs)[:world_size]
        assert carried_out(schedule, inputs)[0].tobytes() == right.tobytes(), name


def test_every_step_is_one_batch():
    schedule = ALGORITHMS["ring"](4)
    assert carried_out(schedule, rounding_inputs(schedule))[1] == schedule.num_steps == 6


def test_single_messages_instead_of_batches_would_hang(monkeypatch):
    """The imitation has the danger that batches avoid: opposite messages, each waited for before the next."""
    monkeypatch.setattr(imitation, "PATIENCE", 0.2)
    schedule = ALGORITHMS["recursive_doubling"](2)

    def one_by_one(self, batch):
        for message in sorted(batch, key=lambda m: m.op == self.dist.irecv):  # everyone sends first
            for work in self.dist.batch_isend_irecv([message]):
                work.wait()

    monkeypatch.setattr(TorchExecutor, "_exchange", one_by_one)
    with pytest.raises(AssertionError, match="nobody takes what was sent"):
        carried_out(schedule, rounding_inputs(schedule))


def worked(request, **more):
    """(result, events) of the whole worker on the imitation."""
    world, events = World(request.num_processes), []

    def work(rank):
        dist = Dist(world, rank)
        group = TorchGroup(dist, Device(), rank, request.num_processes, None, dist.new_group(backend="gloo"))
        watch = SimpleNamespace(cut=[], phase="")
        return Worker(request, group, events.append, watch, "a test").work()

    return on_every_rank(request.num_processes, work)[0], events


@pytest.mark.parametrize("op", ["sum", "avg", "max", "prod"])
def test_the_worker_checks_times_and_records(op):
    methods = (Method("ring"), Method("sharp"), Method("direct", segments=2))
    how = {"backend": "nccl", "op": op, "repeats": 1, "seconds": 0.1}
    result, events = worked(Request(3, methods, (8, 2400), **how))
    assert [row["label"] for row in result["rows"]] == [*(m.label for m in methods), "native"] * 2
    traces = [trace.load(event["data"]) for event in events if event["ev"] == "trace"]
    assert len(traces) == 6
    assert all(found.origin == "measured: NCCL ranks" and found.seconds > 0 for found in traces)
    assert all(found.about["clock"]["impossible"] == 0 for found in traces)


REAL = """
import sys
import torch.distributed as dist
from core.run.request import Method, Request
from core.run.torch_group import TorchGroup, run_ranks
from core.run.virtual_device import Device
from core.run.worker import Worker
from types import SimpleNamespace

REQUEST = Request(2, (Method("ring"), Method("direct")), (2400,), backend="nccl", repeats=1, seconds=0.1)

def one(rank, size, meet):
    dist.init_process_group("gloo", init_method=meet, rank=rank, world_size=size)
    group = TorchGroup(dist, Device(), rank, size, None, dist.new_group(backend="gloo"))
    if len(sys.argv) > 1 and rank == 1:
        raise SystemExit(3)
    result = Worker(REQUEST, group, lambda event: None, SimpleNamespace(cut=[], phase=""), "a test").work()
    if rank == 0:
        print([row["label"] for row in result["rows"]])
    group.barrier()
    dist.destroy_process_group()
    return 0

if __name__ == "__main__":
    sys.exit(run_ranks(2, one))
"""


@pytest.mark.live
@pytest.mark.parametrize("words", [(), ("fail",)])
def test_against_the_real_torch_distributed(tmp_path, words):
    """The same executor and group over gloo on the CPU: the calls exist, and mean what the imitation says."""
    (tmp_path / "real.py").write_text(REAL)
    env = runtimes.environment("a test", str(tmp_path), 2, 2400)
    command = [sys.executable, str(tmp_path / "real.py"), *words]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=90, check=False)
    if words:
        assert done.returncode != 0
    else:
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == "['ring', 'direct', 'native']"
