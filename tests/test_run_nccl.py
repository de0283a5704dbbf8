"""NCCL without a GPU: its log, its settings, and the executor against an imitation of torch.distributed."""

import queue
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from core import trace
from core.algorithms import ALGORITHMS
from core.replay import reduce_buffers
from core.run import launch, nccl_group, nccl_sweep, runtimes
from core.run.nccl_group import NcclGroup, open_group
from core.run.nccl_log import Choice, choices, rings, trees
from core.run.nccl_settings import Place, Setting, environment, explain, impossible, obeyed
from core.run.plan import pieces, program
from core.run.request import Method, Request
from core.run.runtimes import Missing
from core.run.threads import Hall, ThreadGroup
from core.run.torch_executor import OneStream, TorchExecutor
from core.run.torch_group import TorchGroup
from core.run.virtual_device import Device
from core.run.worker import Worker

torch = pytest.importorskip("torch")
PATIENCE = 20  # seconds after which the imitation calls it a deadlock
LOGS = {
    "host:11:42 [0] NCCL INFO 1048576 Bytes -> Algo 1 proto 2 time 43.2": Choice(
        "", 1048576, "ring", "simple", predicted=43.2e-6
    ),
    "host:11:42 [0] NCCL INFO AllReduce: 256 Bytes -> Algo 0 proto 0 time 8.5": Choice(
        "AllReduce", 256, "tree", "ll", predicted=8.5e-6
    ),
    "host:11:42 [3] NCCL INFO AllReduce: 65536 Bytes -> Algo RING proto LL128 channel{Lo..Hi}={0..7}": Choice(
        "AllReduce", 65536, "ring", "ll128", channels=8
    ),
    "NCCL INFO AllReduce: 8388608 Bytes -> Algo NVLS_TREE proto SIMPLE channel{Lo..Hi}={2..17}": Choice(
        "AllReduce", 8388608, "nvls_tree", "simple", channels=16
    ),
    "NCCL INFO ReduceScatter: 64 Bytes -> Algo NVLSTree proto Simple channel{Lo..Hi}={0..0}": Choice(
        "ReduceScatter", 64, "nvls_tree", "simple", channels=1
    ),
    "NCCL INFO AllReduce [Symmetric]: 4096 Bytes -> Kernel AllReduce_AGxLLMC_R nchannels 12 nthreads 512": Choice(
        "AllReduce", 4096, "", "", "AllReduce_AGxLLMC_R", 12
    ),
    "NCCL INFO AllGather: 4096 Bytes -> Algo 9 proto 2 time 1.0": Choice(
        "AllGather", 4096, "number 9", "simple", predicted=1e-6
    ),
}


@pytest.mark.parametrize("line", LOGS)
def test_every_era_of_the_log_is_read(line):
    found = choices(f"host:1:1 [0] NCCL INFO Bootstrap: Using eth0\n{line}\nhost:1:1 [0] NCCL INFO comm 0x1 rank 0\n")
    assert len(found) == 1
    assert found[0] == LOGS[line]


def test_what_is_no_choice_is_passed_over():
    assert choices("") == []
    assert choices("AllReduce: opCount 3 sendbuff 0x7f\n12 Bytes received\nAllReduce: -> Algo RING\n") == []
    assert [c.nbytes for c in choices("\n".join(LOGS))] == [choice.nbytes for choice in LOGS.values()]


def test_rings_and_trees_of_nccl_itself():
    log = (
        "h:1:2 [0] NCCL INFO Channel 00/04 :    0   3   2   1\n"
        "h:1:2 [0] NCCL INFO Channel 01/04 :    0   1   2   3\n"
        "h:1:2 [0] NCCL INFO Trees [0] 1/-1/-1->0->-1 [1] -1/-1/-1->0->2\n"
        "h:1:3 [1] NCCL INFO Trees [0] 2/3/-1->1->0 [1] -1/-1/-1->1->2\n"
        "h:1:3 [1] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM\n"
    )
    assert rings(log) == {0: [0, 3, 2, 1], 1: [0, 1, 2, 3]}
    assert trees(log) == {0: {1: 0}, 1: {0: 2, 1: 2}}


def test_the_log_says_whether_nccl_obeyed():
    asked = Setting("tree", "ll")
    ring = Choice("AllReduce", 1 << 20, "ring", "simple", channels=2)
    tree = Choice("AllReduce", 1 << 20, "tree", "ll", channels=2)
    assert obeyed(asked, [tree]) == "AllReduce of 1 MiB: tree, protocol ll, 2 channels"
    assert obeyed(asked, [tree, ring]).endswith("ring, protocol simple, 2 channels (asked for: NCCL tree ll)")
    assert obeyed(Setting(), [ring]) == str(ring)
    assert obeyed(asked, [Choice("Broadcast", 8, "ring", "ll")]) == ""


def test_settings_in_the_words_of_each_version():
    new = environment(Setting("ring", "ll128"), (2, 27, 3), "/x")
    assert (new["NCCL_ALGO"], new["NCCL_PROTO"]) == ("allreduce:ring", "allreduce:ll128")
    old = environment(Setting("collnet_chain", "simple"), (2, 20, 5), "/x")
    assert (old["NCCL_ALGO"], old["NCCL_PROTO"]) == ("CollNetChain", "Simple")
    own = environment(Setting(), (2, 29, 7), "/x")
    assert not own.keys() & {"NCCL_ALGO", "NCCL_PROTO", "NCCL_MULTI_RANK_GPU_ENABLE"}
    assert "TUNING" in own["NCCL_DEBUG_SUBSYS"]
    assert environment(Setting("multimem"), (2, 29, 7), "/x").keys() == own.keys()
    shared = environment(Setting("ring", shared=True), (2, 30, 7), "/x")
    assert shared["NCCL_MULTI_RANK_GPU_ENABLE"] == "1"
    assert int(shared["NCCL_MAX_CTAS"]) <= 4


def test_nonsense_is_refused_before_anything_starts():
    assert Setting("ring", "ll").refuse() == Setting("nvls", "simple").refuse() == Setting().refuse() == ""
    assert "no NCCL algorithm 'ring;rm'" in Setting("ring;rm").refuse()
    assert "no NCCL protocol 'x'" in Setting("", "x").refuse()
    assert "only works with the protocol simple" in Setting("nvls", "ll").refuse()
    assert "turns NVLS off" in Setting("nvls", shared=True).refuse()
    asked = Request(2, (Method("ring"),), (8,), backend="nccl", nccl=Setting("nvls", "ll").as_dict())
    assert "only works with" in asked.refuse()


@pytest.mark.parametrize(
    ("setting", "place", "sentence"),
    [
        (Setting("ring"), Place((2, 29, 7), 4, 4), ""),
        (Setting("ring"), Place((2, 29, 7), 1, 2), "2 ranks need as many GPUs, and there are 1"),
        (Setting(shared=True), Place((2, 29, 7), 1, 2), "need NCCL 2.30, and this is 2.29.7"),
        (Setting(shared=True), Place((2, 30, 7), 1, 2), ""),
        (Setting("nvls"), Place((2, 30), 8, 8, 1, (8, 0), True), "GPUs of the Hopper generation"),
        (Setting("multimem"), Place((2, 30), 8, 8, 1, (9, 0), False), "an NVLink switch that adds"),
        (Setting("nvls"), Place((2, 30), 8, 8, 1, (9, 0), True), ""),
        (Setting("nvls_tree"), Place((2, 30), 8, 8, 1, (9, 0), True), "several machines, and this is one"),
        (Setting("nvls_tree"), Place((2, 30), 8, 16, 2, (9, 0), True), ""),
        (Setting("collnet_direct"), Place((2, 30), 8, 8), "network switches that add (SHARP)"),
    ],
)
def test_impossible_choices_are_explained(setting, place, sentence):
    found = impossible(setting, place)
    assert sentence in found
    assert bool(sentence) == bool(found)


def test_errors_of_nccl_become_sentences():
    assert "refuses: choose fewer" in explain("Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 4b000")
    assert "turn on sharing" in explain("init.cc:1055 WARN Multiple Ranks are using the same GPU/Partition. Set ...")
    assert "no such combination" in explain("Error : no algorithm/protocol available for function AllReduce")
    assert "until its time was up" in explain("[Rank 1] Watchdog caught collective operation timeout: WorkNCCL(...)")
    assert explain("something\nnobody has seen\n\n") == "NCCL failed: nobody has seen"
    assert explain("") == "NCCL failed and did not say why"


class World:
    """What the imitations of torch.distributed in the threads of one test have in common."""

    def __init__(self, size):
        self.size, self.lock = size, threading.Lock()
        self.halls = {None: Hall(size)}
        self.mail = {}  # (group, src, dst) -> queue of (tensor, sign that it was taken): no tags

    def hall(self, key, size):
        with self.lock:
            return self.halls.setdefault(key, Hall(size))

    def box(self, *key):
        with self.lock:
            return self.mail.setdefault(key, queue.Queue())


class Dist:
    """torch.distributed as NCCL makes it, seen from one rank: batches, one work for each, order per pair only.

    A message is handed over when both sides are there: the sender's memory is read by the receiver's wait.
    """

    ReduceOp = SimpleNamespace(SUM=torch.add, PRODUCT=torch.mul, MAX=torch.maximum, MIN=torch.minimum)

    def __init__(self, world, rank):
        self.world, self.rank, self.groups, self.batches = world, rank, 0, 0

    def P2POp(self, op, tensor, peer, group=None):
        assert tensor.numel() > 0
        return SimpleNamespace(op=op, tensor=tensor, peer=peer, group=group)

    def isend(self): ...

    def irecv(self): ...

    def batch_isend_irecv(self, batch):
        self.batches += 1
        signs = []
        for message in batch:
            if message.op == self.isend:
                signs.append(threading.Event())
                self.world.box(message.group, self.rank, message.peer).put((message.tensor, signs[-1]))

        def wait():
            for message in batch:
                if message.op == self.irecv:
                    box = self.world.box(message.group, message.peer, self.rank)
                    tensor, sign = box.get(timeout=PATIENCE)
                    assert tensor.shape == message.tensor.shape, "a message was mistaken for another one"
                    message.tensor.copy_(tensor)
                    sign.set()
            assert all(sign.wait(PATIENCE) for sign in signs), "nobody takes what was sent"

        return [SimpleNamespace(wait=wait)]

    def new_group(self, ranks=None, backend=None, timeout=None):
        self.groups += 1
        size = self.world.size if ranks is None else len(ranks)
        self.world.hall(self.groups, size)
        return self.groups

    def seat(self, group):
        return ThreadGroup(self.world.halls[group], self.rank)

    def barrier(self, group=None):
        self.seat(group).barrier()

    def gather_object(self, value, values, dst, group=None):
        found = self.seat(group).gather(value)
        if found is not None:
            values[:] = found

    def broadcast_object_list(self, box, src, group=None):
        box[0] = self.seat(group).share(box[0])

    def all_reduce(self, tensor, op, group=None):
        everyone = self.seat(group).share(self.seat(group).gather(tensor.clone()))
        total = everyone[0].clone()
        for other in everyone[1:]:
            total = op(total, other)
        tensor.copy_(total)


def on_every_rank(size, work, patience=60):
    """work(rank) in `size` threads; what they return. The first error is raised."""
    results, errors = [None] * size, []

    def body(rank):
        try:
            results[rank] = work(rank)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=body, args=(rank,), daemon=True) for rank in range(size)]
    for thread in threads:
        thread.start()
    until = time.monotonic() + patience
    for thread in threads:
        while thread.is_alive() and not errors and time.monotonic() < until:
            thread.join(0.02)
    if errors:
        raise errors[0]
    assert not any(thread.is_alive() for thread in threads), "the ranks wait for each other for ever"
    return results


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
    monkeypatch.setitem(globals(), "PATIENCE", 0.2)
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


def test_findings_come_from_the_log(tmp_path):
    (tmp_path / "nccl.host.1.log").write_text("\n".join([*LOGS, "Channel 00/02 : 0 2 1"]))
    group = NcclGroup(None, Device(), 0, 1)
    group.setting, group.folder = Setting("ring"), str(tmp_path)
    found = group.findings()["nccl"]
    assert found["asked"] == "NCCL ring"
    assert found["did"].startswith("AllReduce of 4 KiB: kernel AllReduce_AGxLLMC_R")
    assert len(found["choices"]) == len(LOGS)
    assert found["rings"] == {"0": [0, 2, 1]}


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


def test_a_machine_without_gpus_says_so():
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(Missing, match="NCCL needs an NVIDIA GPU"):
        nccl_group.run_nccl(Request(2, (Method("ring"),), (8,), backend="nccl"), lambda group: 0)
