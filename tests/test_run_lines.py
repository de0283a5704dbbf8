"""The command lines of a page, and what a process makes of the launcher that started it."""

import os
import shlex
from dataclasses import replace

import pytest

from core.run import lines
from core.run.__main__ import main
from core.run.arguments import parser, request_of
from core.run.nccl_settings import Setting
from core.run.report import complain, typed
from core.run.request import MAX_CLUSTER, Method, Request
from core.run.started import MPI_HERE, MPI_RANKS, MPI_SIZES, TORCHRUN, Started, started, stay_here

RING = (Method("ring", {"direction": -1}, 4),)
REQUESTS = [
    Request(2, RING, (1024,)),
    Request(4, (Method("ring", through="memory"), Method("direct", through="memory")), (8, 1024), library="plain"),
    Request(4, RING, (1 << 20,), backend="gloo", dtype="float64", op="avg", repeats=3, seconds=0.5, native=False),
    Request(3, (Method("sharp"),), (1024,), backend="threads", time_limit=20.0),
    Request(3, RING, (1024,), backend="virtual", device="cpu"),
    Request(8, RING, (1024,), backend="nccl", nccl=Setting("tree", "ll128").as_dict()),
    Request(2, RING, (1024,), backend="nccl", nccl=Setting(shared=True).as_dict()),
]


def read(words):
    """The request that the words after `-m core.run` mean."""
    options = parser().parse_args(words)
    found = request_of(options, options.ranks)
    return replace(found, nccl=found.nccl if any(found.nccl.values()) else {})


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request.backend)
@pytest.mark.parametrize("out", ["", "trace.arl"])
def test_the_arguments_mean_the_request(request_, out):
    assert request_.refuse() == ""
    assert read(lines.arguments(request_, out)) == replace(request_, trace=bool(out))


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request.backend)
def test_every_launcher_starts_as_many_processes_as_there_are_vertices(request_):
    for nodes in lines.spreads(request_):
        for line in lines.elsewhere(request_, nodes):
            words = shlex.split(line.command)
            after = words[words.index("core.run") + 1 :]
            assert read([word for word in after if word != "--worker"]) == replace(request_, trace=False)
            assert launched(words) == request_.num_processes
            assert nodes == 1 or any(mark in line.command for mark in ("NODE1", "SLURM", "--nodes="))


def launched(words):
    """How many processes a line starts."""
    before = words[: words.index("core.run")]
    given = dict(word.split("=") for word in before if word.startswith("--") and word.count("=") == 1)
    if "torchrun" in before:
        return int(given["--nproc-per-node"]) * int(given.get("--nnodes", 1))
    return int(given.get("--ntasks") or before[before.index("-n") + 1])


def test_what_is_one_process_needs_no_launcher_and_what_shares_memory_no_second_machine():
    by_backend = {request.backend: request for request in REQUESTS}
    assert lines.elsewhere(by_backend["threads"]) == lines.elsewhere(by_backend["virtual"]) == []
    assert lines.spreads(REQUESTS[1]) == lines.spreads(REQUESTS[-1]) == [1]
    assert lines.spreads(REQUESTS[2]) == [1, 2, 4]


@pytest.fixture
def nobody(monkeypatch):
    """A process that no launcher started."""
    for name in (*MPI_RANKS, *MPI_SIZES, *MPI_HERE, *TORCHRUN, "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GLOO_SOCKET_IFNAME"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def as_torchrun(monkeypatch, rank=1, size=4, local=2):
    values = {"RANK": rank, "WORLD_SIZE": size, "LOCAL_RANK": rank % local, "LOCAL_WORLD_SIZE": local}
    for name, value in (values | {"MASTER_ADDR": "a", "MASTER_PORT": 1}).items():
        monkeypatch.setenv(name, str(value))


def test_who_started_this_process(nobody):
    assert started("gloo") == Started("")
    as_torchrun(nobody)
    assert started("gloo") == started("mpi") == Started("torchrun", 1, 4, 1, 2)
    nobody.setenv("PMI_RANK", "0")  # srun sets it, too
    nobody.setenv("PMI_SIZE", "2")
    assert started("nccl").by == started("threads").by == "torchrun"
    assert started("mpi") == Started("mpiexec", 0, 2, 0, 2)
    nobody.setenv("MPI_LOCALNRANKS", "1")
    assert started("mpi").local_size == 1


@pytest.mark.parametrize("name", ["RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "PMI_RANK", "SLURM_NTASKS"])
@pytest.mark.parametrize("value", ["", "two", "-1", "1e3", "\u00b2", "9" * 5000])
def test_what_no_launcher_writes_is_one_sentence(nobody, capsys, name, value):
    as_torchrun(nobody)
    if name in ("PMI_RANK", "SLURM_NTASKS"):
        nobody.setenv("PMI_RANK", "0")
    nobody.setenv(name, value)
    assert main(["--backend", "threads", "-n", "0"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"core.run: {name} is ")
    assert f"unset {name}" in said
    assert (said.count("\n"), len(said) < 200) == (1, True)


@pytest.mark.parametrize("name", ["WORLD_SIZE", "LOCAL_WORLD_SIZE"])
def test_no_world_is_empty(nobody, name):
    as_torchrun(nobody)
    nobody.setenv(name, "0")
    with pytest.raises(ValueError, match=f"{name} is '0' in the environment"):
        started("gloo")


def test_torchrun_needs_all_its_names(nobody):
    nobody.setenv("RANK", "0")
    nobody.setenv("WORLD_SIZE", "2")
    assert started("gloo").by == ""


@pytest.mark.parametrize(
    ("world", "backend", "says"),
    [
        (Started("torchrun", 0, 2), "mpi", "add --backend gloo or --backend nccl, or start MPI with mpiexec or srun"),
        (Started("torchrun", 0, 2), "threads", "threads is one process: start it alone"),
        (Started("mpiexec", 0, 2), "gloo", "gloo ranks meet through torchrun"),
        (Started("mpiexec", 0, 0), "virtual", "virtual is one process"),
        (Started("mpiexec", 0, 1), "gloo", ""),
        (Started("torchrun", 0, 2), "nccl", ""),
        (Started("mpiexec", 0, 2), "mpi", ""),
        (Started(""), "threads", ""),
    ],
)
def test_a_backend_under_the_wrong_launcher_is_refused(world, backend, says):
    assert says in world.refuse(backend)
    assert bool(says) == bool(world.refuse(backend))


def test_a_world_of_the_wrong_size_names_both_numbers_and_the_cure():
    said = Started("torchrun", 0, 2).wrong_size(8, 8)
    assert said.startswith("asked for 8 ranks, torchrun started 2: nodes times --nproc-per-node must be 8")
    assert "(9 processes with the switches)" in Started("torchrun", 0, 2).wrong_size(8, 9)
    assert Started("torchrun", 0, 8).wrong_size(8, 8) == Started("mpiexec", 0, 2).wrong_size(8, 8) == ""


def test_one_process_complains_for_all(capsys):
    assert complain("it is broken", 3) == 0  # torchrun ends all at the first failure: it must be the one that is heard
    assert capsys.readouterr().err == ""
    assert complain("it is broken", 0) == 2
    assert capsys.readouterr().err == "core.run: it is broken\n"


def test_a_trace_names_the_launcher(monkeypatch):
    monkeypatch.setattr("sys.argv", ["core/run/__main__.py", "--bytes", "1K"])
    assert typed(Started("torchrun", 0, 8, 0, 4).launcher()) == (
        "torchrun --nnodes=2 --nproc-per-node=4 -m core.run --bytes 1K"
    )
    assert typed(Started("").launcher()) == "python -m core.run --bytes 1K"


def test_one_machine_needs_no_network(nobody):
    stay_here(Started("torchrun", 0, 4, 0, 2))
    assert "GLOO_SOCKET_IFNAME" not in os.environ
    stay_here(Started("torchrun", 0, 2, 0, 2))
    assert os.environ["GLOO_SOCKET_IFNAME"].startswith("lo")


def test_a_cluster_may_have_more_processes_than_one_machine():
    many = Request(64, (Method("ring"),), (1024,))
    assert "a live run takes 1 to 32" in many.refuse()
    assert many.refuse(MAX_CLUSTER) == ""
    assert "takes 1 to 1024" in Request(2000, (Method("ring"),), (1024,)).refuse(MAX_CLUSTER)
