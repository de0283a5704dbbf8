"""The command lines that start a run without the page: alone, under mpiexec and srun, under torchrun.

Every word comes from a Request, which holds nothing but choices from lists and bounded numbers. What only the reader
knows, the names of the machines, stands in capitals.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from core.run.request import Request

PORT = 29500  # where the processes of torchrun find each other; any free port does
USUAL = Request(2, (), ())  # what core.run takes where nothing is said


@dataclass(frozen=True)
class Line:
    title: str  # where it is typed
    command: str


def alone(request: Request, out: str = "") -> str:
    """The line for one machine: the program starts its processes itself."""
    return f"python {_program(request, out)}"


def elsewhere(request: Request, nodes: int = 1, out: str = "") -> list[Line]:
    """The lines for the launchers of a cluster, on so many machines; none for what is one process anyway."""
    each = request.num_processes // nodes
    if request.backend == "mpi":
        return _mpi(request, nodes, each, out)
    if request.backend in ("gloo", "nccl"):
        return _torchrun(_program(request, out), nodes, each)
    return []


def spreads(request: Request) -> list[int]:
    """On how many machines the processes can be spread evenly."""
    if request.backend not in ("mpi", "gloo", "nccl"):
        return [1]
    memory = any(method.through == "memory" for method in request.methods)
    if memory or request.nccl.get("shared"):
        return [1]
    processes = request.num_processes
    return [nodes for nodes in range(1, processes + 1) if processes % nodes == 0]


def _program(request: Request, out: str) -> str:
    return shlex.join(["-m", "core.run", *arguments(request, out)])


def _mpi(request: Request, nodes: int, each: int, out: str) -> list[Line]:
    program = f"python -m mpi4py {shlex.join(['-m', 'core.run', '--worker', *arguments(request, out)])}"
    count = each * nodes
    names = [f"NODE{i}" for i in range(1, nodes + 1)]
    mpich = f" -ppn {each} -hosts {','.join(names)}" * (nodes > 1)
    openmpi = f" --host {','.join(f'{name}:{each}' for name in names)}" * (nodes > 1)
    srun = f"srun --kill-on-bad-exit=1 --nodes={nodes} --ntasks={count}"  # or the others wait for one that died
    found = [Line("MPICH, Intel MPI", f"mpiexec -n {count}{mpich} {program}")]
    if nodes > 1:
        found.append(Line("Open MPI", f"mpiexec -n {count}{openmpi} {program}"))
    found.append(Line("Slurm, with MPICH or Intel MPI", f"{srun} --mpi=pmi2 {program}"))
    return [*found, Line("Slurm, with Open MPI 5", f"{srun} --mpi=pmix {program}")]


def _torchrun(program: str, nodes: int, each: int) -> list[Line]:
    if nodes == 1:
        return [
            Line("torchrun, on one machine", f"torchrun --standalone --nproc-per-node={each} {program}"),
            Line(
                "Slurm, on one machine",
                f"srun --nodes=1 --ntasks-per-node=1 torchrun --standalone --nproc-per-node={each} {program}",
            ),
        ]
    shape = f"torchrun --nnodes={nodes} --nproc-per-node={each} --rdzv-backend=c10d"
    first = '"$(scontrol show hostnames | head -n 1)'
    return [
        Line(
            f"torchrun, the same line on each of the {nodes} machines",
            f"{shape} --rdzv-id=1 --rdzv-endpoint=NODE1:{PORT} {program}",
        ),
        Line(
            "Slurm, inside sbatch or salloc",
            f"srun --nodes={nodes} --ntasks-per-node=1 {shape} "
            f'--rdzv-id="$SLURM_JOB_ID" --rdzv-endpoint={first}:{PORT}" {program}',
        ),
    ]


def arguments(request: Request, out: str = "") -> list[str]:
    """What follows `python -m core.run`: only what differs from what is taken anyway, and what a reader looks for."""
    method = request.methods[0]
    words = ["--backend", request.backend, "-n", str(request.world_size)]
    words += ["--algorithm", ",".join(each.algorithm for each in request.methods)]
    for name, value in method.options.items():
        words += ["--option", f"{name}={value}"]
    words += ["--segments", str(method.segments)] * (method.segments > 1)
    words += ["--through", method.through] * (method.through != "messages")
    words += ["--library", request.library] * (request.library != "tuned")
    words += ["--device", request.device] * bool(request.device)
    words += _nccl(request.nccl)
    words += ["--bytes", ",".join(map(str, request.sizes)), "--dtype", request.dtype, "--op", request.op]
    for name in ("repeats", "seconds", "time_limit"):
        value = getattr(request, name)
        words += [f"--{name.replace('_', '-')}", f"{value:g}"] * (value != getattr(USUAL, name))
    words += ["--no-native"] * (not request.native)
    return [*words, *(["--out", out] if out else ["--json"])]


def _nccl(nccl: dict) -> list[str]:
    forced = f"{nccl.get('algorithm', '')}:{nccl.get('protocol', '')}"
    return ["--nccl", forced] * (forced != ":") + ["--share-gpu"] * bool(nccl.get("shared"))
