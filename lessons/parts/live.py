"""Start a live run from a page, follow it, cancel it. Only a click starts one, and only where that is allowed."""

from __future__ import annotations

import os

import streamlit as st

from core.cost import measure
from core.machines import MACHINES
from core.run import launch, lines
from core.run.buffers import free_memory
from core.run.hardware_backends import missing
from core.run.launch import Job, Refused
from core.run.memory import needed_bytes
from core.run.request import Request
from core.run.runtimes import GET_MPI
from core.units import show_bytes, show_seconds
from lessons.parts.links import linked, one_of, plain
from lessons.parts.surveyed import last

LOOPBACK = ("127.0.0.1", "localhost", "::1")
OUT = "trace.arl"
MODEL = MACHINES["Laptop memory"]  # what a run of this machine is compared with
NOISE = 0.25  # share of the processors that other programs may take before the times are doubtful
INSTEAD = "Threads work without it: choose them above."
LIBRARY = {"mpi": "MPI_Allreduce", "gloo": "torch's all_reduce", "nccl": "NCCL's all-reduce"}  # a library's own
AGAINST_LIBRARY = {
    "ours": "This schedule, by more than 10 %",
    "native": "The library's own all-reduce, by more than 10 %",
    "tie": "Neither: within 10 % of each other",
}
AGAINST_MODEL = {
    "sooner": "Less than half of the formula's time",
    "near": "Between half and twice of it",
    "later": "More than twice of it",
}
LAUNCHER_NOTES = {
    "mpi": "mpi4py takes the library beside Python first. For the cluster's own: `pip uninstall mpich`, or "
    "`export MPI4PY_LIBMPI=/path/to/libmpi.so`. If every process says the world has 1, launcher and library do "
    f"not belong together. On a laptop: `{GET_MPI}`.",
    "gloo": "gloo takes the network that the machine's own name leads to. For another one: "
    "`export GLOO_SOCKET_IFNAME=eth0`. If it was told `-n 8` and torchrun starts fewer, it says so.",
    "nccl": "One process for each GPU. NCCL finds its networks by itself (`NCCL_SOCKET_IFNAME` chooses one). Not yet "
    "tried on GPUs.",
}


def refusal() -> str:
    """Why this server starts no processes for its readers, or ""."""
    if st.get_option("server.address") in LOOPBACK or os.environ.get("ALLREDUCE_ALLOW_LIVE") == "1":
        return ""
    return (
        "This server can be reached from other machines, so it starts no processes. Whoever runs it can allow that: "
        "set ALLREDUCE_ALLOW_LIVE=1 and start it again, or bind it with --server.address=127.0.0.1."
    )


def noise(share: float | None) -> None:
    """Say in the open when other programs spoiled what was measured."""
    if share is not None and share > NOISE:
        st.warning(
            f"Other programs took {share:.0%} of the processors meanwhile, so these times say little: end them, and "
            "measure again."
        )


def place(page: str) -> str:
    """Where this reader's latest run from a page is kept."""
    return f"{page}.job"


def job(page: str = "live") -> Job | None:
    return st.session_state.get(place(page))


def guesses(request: Request) -> dict[str, str]:
    """What the reader may predict: against the library's own all-reduce, or against the formula where there is none."""
    whole = request.methods[0].promises().name == "all-reduce"
    return AGAINST_LIBRARY if request.backend in LIBRARY and whole else AGAINST_MODEL


def foretold(request: Request) -> str:
    """What the textbook says, in a sentence."""
    seconds = measure(request.methods[0].schedule(request.world_size)).seconds(request.sizes[0], MODEL)
    return f"The formula for “{MODEL.name}” says {show_seconds(seconds)} [formula]."


def guess(request: Request) -> None:
    """A prediction before the run, if the reader likes; shown beside the result."""
    choices, question = guesses(request), "which will be faster?"
    if choices is AGAINST_MODEL:
        question = f"how long will it take? {foretold(request)}"
    if st.session_state.get("live.guess") not in choices:
        st.session_state.pop("live.guess", None)  # an answer to the other question
    st.segmented_control(
        f"Before you press Run: {question}", list(choices), format_func=choices.get, key="live.guess", wrap=True
    )


def start(request: Request, command: str, page: str = "live", label: str = "Run it now", **how) -> None:
    """What the run will take, and the button that starts it. `how`: idle, as in launch.submit; instead, a sentence."""
    if problem := refusal() or _missing(request, how.get("instead", INSTEAD)) or launch.refuse(request):
        st.warning(problem)
        return
    one = {"threads": "threads", "virtual": "virtual ranks in one process"}.get(request.backend, "processes")
    free, usual = free_memory(), len(request.sizes) * (request.seconds + 1) + 1
    of = f" of {show_bytes(free)} free" if free is not None else ""
    st.caption(
        f"Takes {request.num_processes} {one}, about {show_bytes(needed_bytes(request))} of memory{of} [counted], "
        f"usually {usual:.0f} s and never more than {request.time_limit:.0f} s."
    )
    if st.button(label, type="primary", key=f"{page}.run"):
        _submit(request, command, page, how.get("idle", 0.0))


def _submit(request: Request, command: str, page: str, idle: float) -> None:
    running = job(page)
    if running is not None and not running.over:
        st.warning("Your run is still going: wait for it, or cancel it first.")
        return
    try:
        st.session_state[place(page)] = launch.submit(request, command, idle)
    except Refused as refused:
        st.error(str(refused))
        return
    st.session_state[f"{page}.guessed"] = st.session_state.get(f"{page}.guess")


def _missing(request: Request, instead: str) -> str:
    """Why this machine cannot, what brings it, and what works meanwhile; in Markdown."""
    problem = missing(request.backend, last())
    if not problem:
        return ""
    reason, colon, command = problem.rpartition(": ")
    if colon and command.startswith("pip "):
        problem = f"{plain(reason)}: `{command}`, then reload this page"
    else:
        problem = plain(problem)
    return f"This cannot run here yet: {problem}. {instead}"


def follow(page: str = "live", sad: bool = True) -> Job | None:
    """Show how the reader's run is getting on; the run when it is over. `sad`: say so if it did not end well."""
    running = job(page)
    if running is None:
        return None
    if not running.over:
        _progress(page)
        return None
    if sad and running.state != "done":
        _sad_end(running)
    return running


@st.fragment(run_every=0.3)
def _progress(page: str) -> None:
    running = job(page)
    if running is None or running.over:
        st.rerun()
    ahead = running.position
    text = (
        f"{ahead} runs before yours: they take turns, or they would spoil each other's times" if ahead else running.text
    )
    st.progress(running.done, text=text)
    if st.button("Cancel", key=f"{page}.cancel"):
        running.cancel()


def _sad_end(ended: Job) -> None:
    show = st.info if ended.state == "cancelled" else st.error
    show(ended.error[:1].upper() + ended.error[1:] + ".")
    if ended.where:
        st.markdown("Where everybody was:\n" + "\n".join(f"- {line}" for line in ended.where))


def machines(possible: list[int], page: str) -> int:
    """On how many the processes are spread; nothing is asked where there is only one way."""
    if len(possible) == 1:
        return 1
    if st.query_params.get("machines", "1") not in map(str, possible):
        st.query_params.pop("machines")  # chosen for another number of ranks
    more = {"read": one_of(possible), "options": possible, "required": True}
    key = f"{page}.machines.{possible[-1]}"
    return linked(st.segmented_control, "Machines", key=key, name="machines", default=1, **more)


def elsewhere(request: Request, page: str = "live") -> None:
    """Lines to copy. Nothing here is run by the page. What comes out: a trace (Live run), or a sweep on stdout."""
    out, more = (OUT, "") if request.trace else ("", " > sweep.json")
    st.caption("The same run from a terminal, in the folder of this project:")
    st.code(lines.alone(request, out) + more, language=None, wrap_lines=True)
    if not lines.elsewhere(request):
        st.caption("All ranks are in one process, so there is nothing for mpiexec, srun or torchrun to start.")
        return
    nodes = machines(lines.spreads(request), page)
    st.caption("On a cluster, without this app; its file opens below.")
    for line in lines.elsewhere(request, nodes, out):
        st.code(f"# {line.title}\n{line.command}{more}", language=None, wrap_lines=True)
    st.caption(LAUNCHER_NOTES[request.backend])
