"""Lab: Live run

The same schedule, on real processes of this machine: predict, run, and play what was measured.
"""

import streamlit as st

from core.run import lines
from core.run.request import Method, Request
from core.units import parse_bytes
from lessons.parts import live, live_menu, live_result
from lessons.parts.facts import compact
from lessons.parts.picker import pick_algorithm

SIZES = ("8 B", "1 KiB", "16 KiB", "256 KiB", "1 MiB", "4 MiB", "16 MiB", "64 MiB", "256 MiB")


def main() -> None:
    compact("Live run", "The same schedule on real processes of this machine, timed beside the library's own.")
    request = choose()
    live.guess(request)
    live.start(request, lines.alone(request, live.OUT))
    job = live.follow()
    if job is not None and job.state == "done":
        live_result.show(job)
    with st.expander("From a terminal, or on a cluster", key="live.elsewhere"):
        live.elsewhere(request)
    live_result.from_a_file()
    live_result.recorded()


def choose() -> Request:
    """Every choice is from a list or a bounded number: no text of a reader reaches a command line."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        backend = live_menu.backend("live")
        algorithm, world_size, options = pick_algorithm("live", ranks=2, max_ranks=32)
        size = live_menu.menu("live", "Buffer size", "size", "1 MiB", SIZES, width=115)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        how = live_menu.numbers("live")
        segments, through = live_menu.segments("live"), live_menu.exchange("live", backend)
        how |= live_menu.steering("live", backend)
    nbytes = parse_bytes(size) // 8 * 8  # whole numbers of every dtype
    chosen = {name: value for name, value in options.items() if value != algorithm.options[name].default}
    method = Method(algorithm.name, chosen, segments, through=through)
    return Request(world_size, (method,), (nbytes,), backend=backend, **how)


main()
