"""Lab: Break it

Mistakes that every parallel program makes once, made here on purpose: predict what the library does, then see it.
"""

import streamlit as st

from core.run.hardware_backends import missing
from core.run.mishaps import MISHAPS
from core.run.request import Method, Request
from core.units import parse_bytes
from lessons.parts import live, live_break, live_menu
from lessons.parts.facts import compact
from lessons.parts.links import linked, one_of
from lessons.parts.surveyed import last

SIZES = ("1 KiB", "64 KiB", "1 MiB", "16 MiB")
RANKS = (2, 3, 4)
FAULTS = {
    "kill": "One process is killed",
    "freeze": "One process is frozen",
    "raise": "One process meets an error of its own",
    "late": "One process comes late",
}


def main() -> None:
    compact("Break it", "What really happens when processes do not agree, or one of them is gone?")
    request = choose()
    live_break.guess(request)
    live.start(request, "", "break", "Break it", idle=live_break.PATIENCE, instead=live_break.instead(request))
    job = live.follow("break", sad=False)
    if job is not None:
        live_break.show(job)
    st.caption("Real processes of this machine, ended after a few seconds. Other libraries may do otherwise.")


def choose() -> Request:
    titles = {name: mishap.title for name, mishap in MISHAPS.items()} | FAULTS
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = menu("What goes wrong", "what", "send_first", tuple(titles), 290, format_func=titles.get)
        size = menu("Buffer size", "size", "1 KiB", SIZES, 130)
        ranks = menu("Ranks", "ranks", 3, RANKS, 110)
        backend = "mpi" if name in MISHAPS else fault_backend()
    st.markdown(MISHAPS[name].does if name in MISHAPS else live_break.about_fault(name))
    how = {"repeats": 1, "seconds": 0.5, "time_limit": 20.0}
    if name in MISHAPS:
        return Request(ranks, (Method("ring"),), (parse_bytes(size),), mishap=name, trace=False, **how)
    fault = {"kind": name, "rank": 1} | ({"seconds": live_break.LATE} if name == "late" else {})
    return Request(ranks, (Method("ring"),), (parse_bytes(size),), backend=backend, fault=fault, **how)


def fault_backend() -> str:
    """Mistakes are calls of MPI; a process may fail in other libraries, too."""
    usual = "gloo" if missing("mpi", last()) and not missing("gloo", last()) else "mpi"
    return menu("Runs on", "backend", usual, live_break.LIBRARIES, 190, format_func=live_menu.TITLES.get)


def menu(label: str, name: str, default, choices: tuple, width: int, **more):
    more |= {"default": default, "read": one_of(choices), "options": choices, "width": width}
    return linked(st.selectbox, label, key=f"break.{name}", name=name, **more)


main()
