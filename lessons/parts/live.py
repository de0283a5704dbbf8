"""Start a live run from a page, follow it, cancel it. Only a click starts one, and only where that is allowed."""

from __future__ import annotations

import os
import shlex
from importlib.util import find_spec

import streamlit as st

from core.run import launch
from core.run.buffers import free_memory
from core.run.launch import Job, Refused
from core.run.memory import needed_bytes
from core.run.request import Request
from core.run.runtimes import GET_MPI, Missing, launcher
from core.units import show_bytes

LOOPBACK = ("127.0.0.1", "localhost", "::1")
BACKENDS = {"mpi": "MPI processes", "gloo": "gloo processes", "threads": "threads of one process"}
LIBRARY = {"mpi": "MPI_Allreduce", "gloo": "torch's all_reduce"}  # what a library calls its own
GUESSES = {
    "ours": "This schedule, by more than 10 %",
    "native": "The library's own all-reduce, by more than 10 %",
    "tie": "Neither: within 10 % of each other",
}


def refusal() -> str:
    """Why this server starts no processes for its readers, or ""."""
    if st.get_option("server.address") in LOOPBACK or os.environ.get("ALLREDUCE_ALLOW_LIVE") == "1":
        return ""
    return (
        "This server can be reached from other machines, so it starts no processes. Whoever runs it can allow that: "
        "set ALLREDUCE_ALLOW_LIVE=1 and start it again, or bind it with --server.address=127.0.0.1."
    )


def place(page: str) -> str:
    """Where this reader's latest run from a page is kept."""
    return f"{page}.job"


def job(page: str = "live") -> Job | None:
    return st.session_state.get(place(page))


def guess(request: Request) -> None:
    """A prediction before the run, if the reader likes; shown beside the result."""
    if request.backend not in LIBRARY or request.methods[0].promises().name != "all-reduce":
        st.session_state.pop("live.guess", None)
        return
    st.segmented_control(
        "Before you press Run: which will be faster?", list(GUESSES), format_func=GUESSES.get, key="live.guess"
    )


def start(request: Request, command: str, page: str = "live", label: str = "Run it now", idle: float = 0.0) -> None:
    """What the run will take, and the button that starts it."""
    free = free_memory()
    processes = request.num_processes
    what = f"{processes} processes" if request.backend in LIBRARY else f"{processes} threads"
    of = f" of {show_bytes(free)} free" if free is not None else ""
    st.caption(
        f"Takes {what}, about {show_bytes(needed_bytes(request))} of memory{of} [counted], usually "
        f"{len(request.sizes) * (request.seconds + 1) + 1:.0f} s and never more than {request.time_limit:.0f} s."
    )
    if problem := refusal() or _missing(request) or launch.refuse(request):
        st.warning(problem)
        return
    if st.button(label, type="primary", key=f"{page}.run"):
        _submit(request, command, page, idle)


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


def _missing(request: Request) -> str:
    if request.backend == "gloo" and find_spec("torch") is None:
        return "gloo comes with torch, which is not installed: pip install torch. Then reload this page."
    if request.backend != "mpi":
        return ""
    try:
        launcher()
    except Missing as missing:
        return f"{missing}. Then reload this page. Threads work without it: choose them above."
    return ""


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


def command(request: Request, out: str = "trace.arl") -> str:
    """The command line that does the same without the page."""
    return shlex.join(["python", "-m", "core.run", *arguments(request, out)])


def arguments(request: Request, out: str) -> list[str]:
    method = request.methods[0]
    words = ["--backend", request.backend, "-n", str(request.world_size), "--algorithm", method.algorithm]
    for name, value in method.options.items():
        words += ["--option", f"{name}={value}"]
    words += ["--segments", str(method.segments)] * (method.segments > 1)
    words += ["--through", method.through] * (method.through != "messages")
    words += ["--library", request.library] * (request.library != "tuned")
    words += ["--bytes", str(request.sizes[0]), "--dtype", request.dtype, "--op", request.op]
    return [*words, "--out", out]


def elsewhere(request: Request, line: str) -> None:
    """Lines to copy. Nothing here is run by the page."""
    st.caption("The same run from a terminal, in the folder of this project:")
    st.code(line, language="bash")
    if request.backend != "mpi":
        return
    worker = shlex.join(["python", "-m", "mpi4py", "-m", "core.run", "--worker", *arguments(request, "trace.arl")])
    count = request.num_processes
    st.caption("On a cluster, without this app; the trace file opens below.")
    st.code(
        f"mpiexec -n {count} {worker}\n"
        f"srun -n {count} --mpi=pmi2 {worker}    # MPICH and Intel MPI\n"
        f"srun -n {count} --mpi=pmix {worker}    # Open MPI 5",
        language="bash",
    )
    st.caption(
        "mpi4py takes the library beside Python first. For the cluster's own: `pip uninstall mpich`, or "
        "`export MPI4PY_LIBMPI=/path/to/libmpi.so`. If every process says the world has 1, launcher and library do "
        f"not belong together. On a laptop: `{GET_MPI}`."
    )
