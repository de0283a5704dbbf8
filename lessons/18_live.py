"""Lab: Live run

The same schedule, on real processes of this machine: predict, run, and play what was measured.
"""

import streamlit as st

from core.run.request import DTYPES, THROUGH, Method, Request
from core.run.runtimes import LIBRARY, Missing, launcher
from core.units import parse_bytes
from lessons.parts import live, live_result
from lessons.parts.facts import compact
from lessons.parts.links import linked, one_of
from lessons.parts.picker import pick_algorithm

SIZES = ("8 B", "1 KiB", "16 KiB", "256 KiB", "1 MiB", "4 MiB", "16 MiB", "64 MiB", "256 MiB")
SEGMENTS = (1, 2, 4, 8, 16, 32, 64)
WAYS = "Messages: persistent MPI requests. Memory: ranks of one host read each other's buffers, and only raise flags."
OWN = "How MPI_Allreduce is set up: as fast as it gets, as it comes, or forced to one algorithm."
OPS = ("sum", "max", "min", "prod", "avg")


def main() -> None:
    compact("Live run", "The same schedule on real processes of this machine, timed beside the library's own.")
    request = choose()
    command = live.command(request)
    live.guess(request)
    live.start(request, command)
    job = live.follow()
    if job is not None and job.state == "done":
        live_result.show(job)
    with st.expander("From a terminal, or on a cluster", key="live.elsewhere"):
        live.elsewhere(request, command)
    live_result.from_a_file()
    live_result.recorded()


def choose() -> Request:
    """Every choice is from a list or a bounded number: no text of a reader reaches a command line."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        algorithm, world_size, options = pick_algorithm("live", ranks=2, max_ranks=32)
        size = menu("Buffer size", "size", "1 MiB", SIZES)
        backend = menu(
            "Runs on", "backend", usual_backend(), tuple(live.BACKENDS), format_func=live.BACKENDS.get, width=210
        )
        dtype = menu("Numbers", "dtype", "float32", DTYPES)
        op = menu("Operation", "op", "sum", OPS, width=110)
        segments = menu(
            "Segments",
            "segments",
            1,
            SEGMENTS,
            width=110,
            help="Cuts every chunk into pieces that follow each other through the steps, as on an assembly line.",
        )
        through = menu("Exchange", "through", "messages", THROUGH, help=WAYS) if backend == "mpi" else "messages"
        library = menu("MPI's own", "library", "tuned", LIBRARY, width=180, help=OWN) if backend == "mpi" else "tuned"
    nbytes = parse_bytes(size) // 8 * 8  # whole numbers of every dtype
    chosen = {name: value for name, value in options.items() if value != algorithm.options[name].default}
    method = Method(algorithm.name, chosen, segments, through=through)
    return Request(world_size, (method,), (nbytes,), backend=backend, dtype=dtype, op=op, library=library)


def menu(label: str, name: str, default, choices: tuple, width: int = 130, **more):
    return linked(
        st.selectbox,
        label,
        key=f"live.{name}",
        name=name,
        default=default,
        read=one_of(choices),
        options=choices,
        width=width,
        **more,
    )


def usual_backend() -> str:
    """MPI where it is there; what is missing is said below the choice."""
    try:
        launcher()
    except Missing:
        return "threads"
    return "mpi"


main()
