"""Lab: Live sweep

Which algorithm wins at which size, on this very machine? Calibrate, predict, measure, and compare.
"""

import streamlit as st

from core.algorithms import ALGORITHMS
from core.collective import ALL_REDUCE
from core.run import calibrate, lines
from core.run.request import Method, Request
from lessons.parts import live, live_compare, live_menu, live_sweep
from lessons.parts.facts import compact
from lessons.parts.links import linked, some_of, whole

SPANS = {
    "8 B to 64 KiB": [8 << (2 * i) for i in range(7)],
    "8 B to 1 MiB": [8, 128, 1 << 10, 8 << 10, 64 << 10, 256 << 10, 1 << 20],
    "8 B to 16 MiB": [8, 1 << 10, 16 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20],
    "1 MiB to 64 MiB": [1 << 20, 4 << 20, 16 << 20, 64 << 20],
}
USUAL = ["ring", "recursive_doubling", "halving_doubling", "binomial_tree"]
MOST = 6


def main() -> None:
    compact("Live sweep", "Which algorithm wins at which size, on this very machine?")
    request = choose()
    st.subheader("1. Calibrate and predict", divider="gray")
    st.markdown(
        "Five kinds of step are timed at nine sizes. From these alone, every algorithm's time can be predicted."
    )
    live.start(calibrate.request(request.world_size, request.backend, through(request)), "", "calibrate", "Calibrate")
    live.follow("calibrate")
    learned = live_sweep.known(request)
    if learned:
        live_sweep.predicted(learned, request)
    st.subheader("2. Guess, then measure", divider="gray")
    live_sweep.guess(request)
    live.start(request, lines.alone(request), "sweep", "Run the sweep")
    done = live.follow("sweep")
    fresh = done if done is not None and done.state == "done" else None
    if fresh:
        live_sweep.show(fresh, learned)
    with st.expander("From a terminal, or on a cluster", key="sweep.elsewhere"):
        live.elsewhere(request, page="sweep")
    live_compare.compare(fresh)


def through(request: Request) -> str:
    return request.methods[0].through


def choose() -> Request:
    names = [name for name, algorithm in ALGORITHMS.items() if algorithm.collective is ALL_REDUCE]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        ranks = field(st.number_input, "Ranks", "ranks", 2, read=whole, step=1, min_value=2, max_value=32, width=120)
        backend = live_menu.backend("sweep")
        exchange = live_menu.exchange("sweep", backend)
        span = live_menu.menu("sweep", "Sizes", "sizes", "8 B to 16 MiB", tuple(SPANS), 180)
    several = {"read": some_of(names), "write": ",".join, "options": names, "max_selections": MOST, "width": 760}
    chosen = field(st.multiselect, "Algorithms", "algorithms", USUAL, **several)
    fitting = [name for name in chosen if not ALGORITHMS[name].refuse(ranks)]
    for name in set(chosen) - set(fitting):
        st.info(f"{name} is left out: {ALGORITHMS[name].refuse(ranks)}.")
    if not fitting:
        st.warning("Choose at least one algorithm that works with so many ranks.")
        st.stop()
    methods = tuple(Method(name, through=exchange) for name in fitting)
    how = {"backend": backend, "repeats": 5, "seconds": 1.0, "time_limit": 90.0, "trace": False}
    return Request(ranks, methods, tuple(SPANS[span]), **how)


def field(widget, label: str, name: str, default, **more):
    return linked(widget, label, key=f"sweep.{name}", name=name, default=default, **more)


main()
