"""Runs that are broken on purpose: the guess, what happened, who waited for whom."""

from __future__ import annotations

import streamlit as st

from core import trace
from core.run.faults import KINDS
from core.run.hardware_backends import missing
from core.run.launch import Job
from core.run.mishaps import outcome
from core.run.request import Request
from core.units import show_seconds
from lessons.parts import live_menu
from lessons.parts.facts import grid_of_facts
from lessons.parts.player import player
from lessons.parts.surveyed import last

PATIENCE = 3.0  # seconds without a sign of life before a run is ended
LATE = 0.05  # seconds
OUTCOMES = {
    "right": "All end, with the right result",
    "wrong": "All end, some with a wrong result, and nobody is told",
    "error": "It ends with an error",
    "hang": "Somebody waits for ever",
}
WHY = {
    "send_first": "MPI_Send may return as soon as the library has put the data aside. Small messages are put aside, "
    "large ones wait for their receiver: a program that worked for years hangs when its buffers grow, or under another "
    "library: Intel MPI puts even 64 MiB aside.",
    "missing_call": "A collective call ends when everybody has made it. Those who did wait, without an error.",
    "other_count": "The standard forbids it, and libraries need not notice. Who notices gets an error; the others wait "
    "for a message that never comes.",
    "other_dtype": "The bytes fit, so nothing is noticed: they are only added as if they were other numbers.",
    "other_order": "Calls are matched by their order, not by their buffers: two different sums were mixed up.",
    "short_buffer": "The receiver says how much room there is; a message that does not fit is an error there. The "
    "sender never hears of it.",
    "kill": "The launcher sees that a process is gone, and ends the others: without it they would wait for ever.",
    "freeze": "A frozen process is not gone, only silent. Nobody can tell it from a slow one; only a time limit helps.",
    "raise": "Python would end one process and leave the others waiting; `python -m mpi4py` ends all of them.",
    "late": "Nothing breaks, but everybody ends late: look at who waits for whom.",
}
LIBRARIES = ("mpi", "gloo")
WITH_GLOO = {  # where gloo does otherwise
    "kill": "The system closes the connections of a process that is gone, and gloo tells its neighbours at once. Who "
    "waits for somebody else hears nothing: whoever started the processes has to end them.",
    "raise": "The process ends with its error, and its connections with it: gloo tells the neighbours as after a kill.",
}


def why(request: Request) -> str:
    """What is behind the outcome."""
    name = name_of(request)
    return WITH_GLOO.get(name, WHY[name]) if request.backend == "gloo" else WHY[name]


def instead(request: Request) -> str:
    """What a reader can do where the library is missing."""
    others = [name for name in LIBRARIES if name != request.backend and not missing(name, last())]
    choose = f"{live_menu.TITLES[others[0]]} work: choose them above. " if request.fault and others else ""
    return f"{choose}A recorded run with a late rank is kept on the page Live run."


def name_of(request: Request) -> str:
    return request.mishap or request.fault["kind"]


def about_fault(kind: str) -> str:
    told = KINDS[kind].format(rank=1, seconds=LATE)
    return f"A ring all-reduce, in which {told}."


def guess(request: Request) -> None:
    st.segmented_control("What will happen?", list(OUTCOMES), format_func=OUTCOMES.get, key="break.guess", wrap=True)


def show(job: Job) -> None:
    """The outcome against the guess, and what each process was at."""
    found = outcome(job.state, job.saw, job.where)
    if job.state == "cancelled":
        st.info("The run was cancelled.")
        return
    guessed, said = st.session_state.get("break.guessed"), OUTCOMES[found]
    ended = f"{said} [measured here, after {show_seconds(job.seconds)}]."
    if guessed is None or guessed == found:
        st.success(ended if guessed is None else f"Right. {ended}")
    else:
        st.info(f"You guessed: {OUTCOMES[guessed][0].lower() + OUTCOMES[guessed][1:]}. {ended}")
    if job.error:
        st.markdown(f"What the launcher says: {job.error}.")
    st.markdown(why(job.request))
    _processes(job)
    if job.traces:
        measured = trace.load(job.traces[0]["data"])
        st.query_params["clock"] = "time"
        player(measured, key="break.player", title="measured here")


def _processes(job: Job) -> None:
    saw = {one["rank"]: one["text"] for one in job.saw}
    at = {int(line.split(" ")[1]): " ".join(line.split(" ")[2:]) for line in job.where}
    if not saw and not at:
        return
    ranks = range(job.request.num_processes)
    rows = [(f"process {rank}", saw.get(rank, "nothing"), at.get(rank, "had ended")) for rank in ranks]
    grid_of_facts("[measured here]", ("", "what it saw", "where it was when the run was ended"), rows)
