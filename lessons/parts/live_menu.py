"""What can be chosen for a live run: menus and switches only, so no text of a reader reaches a command line."""

from __future__ import annotations

import streamlit as st

from core.run import nccl_settings
from core.run.hardware_backends import missing
from core.run.nccl_settings import MULTIMEM
from core.run.probes_gpu import may_have_gpu
from core.run.request import BACKENDS, DTYPES, THROUGH
from core.run.runtimes import LIBRARY
from lessons.parts.links import linked, one_of
from lessons.parts.surveyed import last

TITLES = {
    "mpi": "MPI processes",
    "gloo": "gloo processes",
    "threads": "threads of one process",
    "virtual": "virtual, one device",
    "nccl": "NCCL, a GPU each",
}
OPS = ("sum", "max", "min", "prod", "avg")
SEGMENTS = (1, 2, 4, 8, 16, 32, 64)
WAYS = "Messages: persistent MPI requests. Memory: ranks of one host read each other's buffers, and only raise flags."
OWN = "How MPI_Allreduce is set up: as fast as it gets, as it comes, or forced to one algorithm."
CUTS = "Cuts every chunk into pieces that follow each other through the steps, as on an assembly line."
NCCL_OWN = "NCCL's own all-reduce, timed beside this schedule: as NCCL chooses, or forced (NCCL_ALGO, NCCL_PROTO)."
SHARE = "Experimental: NCCL 2.30 or later, at most 20 s. All ranks use the first GPU, and its memory instead of links."
DEVICES = {"": "a GPU, if torch finds it", "cpu": "the processor"}
NCCL_ALGORITHMS = {**nccl_settings.ALGORITHMS, MULTIMEM: "the switch (multimem)"}


def backend(page: str) -> str:
    """Which way to run; usually MPI, or threads where it is not there."""
    titles = {name: TITLES[name] for name in BACKENDS}
    usual = "threads" if missing("mpi", last()) else "mpi"
    return menu(page, "Runs on", "backend", usual, tuple(titles), format_func=titles.get, width=205)


def numbers(page: str) -> dict:
    """dtype and op of a request."""
    dtype = menu(page, "Numbers", "dtype", "float32", DTYPES, width=110)
    return {"dtype": dtype, "op": menu(page, "Operation", "op", "sum", OPS, width=95)}


def segments(page: str) -> int:
    return menu(page, "Segments", "segments", 1, SEGMENTS, width=105, help=CUTS)


def exchange(page: str, chosen: str) -> str:
    """How processes of one host hand over data: only MPI has a choice."""
    return menu(page, "Exchange", "through", "messages", THROUGH, help=WAYS) if chosen == "mpi" else "messages"


def steering(page: str, chosen: str) -> dict:
    """The fields of a request that belong to one backend."""
    if chosen == "mpi":
        return {"library": menu(page, "MPI's own", "library", "tuned", LIBRARY, width=180, help=OWN)}
    if chosen == "virtual":
        return {"device": _device(page)}
    return {"nccl": _nccl(page)} if chosen == "nccl" else {}


def _device(page: str) -> str:
    """A GPU where its driver has left a sign; otherwise there is nothing to choose."""
    known = DEVICES if may_have_gpu() else {"cpu": DEVICES["cpu"]}
    return menu(page, "Device", "device", next(iter(known)), tuple(known), format_func=known.get, width=160)


def _nccl(page: str) -> dict:
    names = {"format_func": NCCL_ALGORITHMS.get, "width": 175, "help": NCCL_OWN}
    algorithm = menu(page, "NCCL's algorithm", "nccl_algo", "", tuple(NCCL_ALGORITHMS), **names)
    protocols = nccl_settings.PROTOCOLS
    protocol = menu(page, "NCCL's protocol", "nccl_proto", "", tuple(protocols), format_func=protocols.get, width=165)
    shared = linked(
        st.toggle,
        "All ranks on one GPU",
        key=f"{page}.shared",
        name="shared",
        default=False,
        read=lambda text: one_of(("True", "False"))(text) == "True",
        help=SHARE,
    )
    return {"algorithm": algorithm, "protocol": protocol, "shared": shared}


def menu(page: str, label: str, name: str, default, choices: tuple, width: int = 130, **more):
    more |= {"key": f"{page}.{name}", "name": name, "default": default, "read": one_of(choices), "options": choices}
    return linked(st.selectbox, label, width=width, **more)
