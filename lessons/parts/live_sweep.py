"""Calibration and sweeps on a page: predictions, curves, tables, files."""

from __future__ import annotations

import streamlit as st

from core.cost import lower_bound
from core.machines import Machine
from core.run import calibrate, sweep
from core.run.calibrate import Calibration
from core.run.launch import Job
from core.run.report import provenance
from core.run.request import Request
from core.trace import lockstep
from core.units import digits, show_bytes, show_rate, show_seconds
from lessons.parts import live
from lessons.parts.chart import chart, is_dark
from lessons.parts.facts import Fact, facts, grid_of_facts, listed
from lessons.parts.links import plain

TABLE = "The table of steps"
LEANING = 1.3  # from this factor on, the machine itself has changed its pace, not one algorithm


def learned(job: Job | None) -> Calibration | None:
    """What a finished calibration found."""
    if job is None or job.state != "done":
        return None
    return calibrate.learned(job.result, job.request.world_size)


def known(request: Request) -> Calibration | None:
    """The reader's latest calibration, if it was made under the circumstances of this request."""
    job = live.job("calibrate")
    if job is None or (job.request.world_size, job.request.backend) != (request.world_size, request.backend):
        return None
    return learned(job) if job.request.methods[0].through == request.methods[0].through else None


def predicted(found: Calibration, request: Request) -> None:
    """The textbook numbers, and what the table predicts."""
    machine = found.machine
    bandwidth = show_rate(1 / machine.beta) if machine.beta else "too fast to tell"
    reducing = show_rate(1 / machine.gamma) if machine.gamma else "too fast to tell"
    facts(
        Fact("alpha", show_seconds(machine.alpha), "measured here", "to get one message going"),
        Fact("1/beta", bandwidth, "measured here", "through one rank, while all send"),
        Fact("1/gamma", reducing, "measured here", "adding"),
    )
    names = tuple(show_bytes(size) for size in request.sizes)
    rows = [(label, *(show_seconds(t) for t in times)) for label, times in forecast(found, request).items()]
    grid_of_facts("Predicted from the table of steps [measured here, then formula]", ("algorithm", *names), rows)


def forecast(found: Calibration, request: Request) -> dict[str, list[float]]:
    """{label: predicted seconds at each size}."""
    schedules = {method.label: method.schedule(request.world_size) for method in request.methods}
    return {label: [found.predict(s, size) for size in request.sizes] for label, s in schedules.items()}


def guess(request: Request) -> None:
    """The reader's winner at the smallest and the largest size, before anything is measured."""
    labels = [method.label for method in request.methods] + ["native"] * request.native
    with st.container(horizontal=True):
        for end, size in (("small", min(request.sizes)), ("large", max(request.sizes))):
            st.selectbox(
                f"Fastest at {show_bytes(size)}?",
                labels,
                index=None,
                key=f"sweep.{end}",
                width=260,
                placeholder="Your guess",
            )


def show(job: Job, found: Calibration | None) -> None:
    result, request = job.result, job.request
    live.noise(_noise(result))
    _verdicts(result, request)
    draw(result, found.machine if found else None, request.world_size)
    if found:
        residuals(result, found, request)
    with st.expander("Table in the form of nccl-tests", key="sweep.table"):
        st.code(sweep.nccl_text(result), language=None)
    listed(provenance(result["about"] | {"foreign": _noise(result)}) | sweep.NO_TRACE)
    with st.container(horizontal=True):
        for label, text, ending in (("JSON", sweep.to_json(result), "json"), ("CSV", sweep.to_csv(result), "csv")):
            st.download_button(f"Sweep ({label})", text, f"sweep-{request.world_size}.{ending}", on_click="ignore")


def _noise(result: dict) -> float | None:
    shares = [row["foreign"] for row in result["rows"] if row.get("foreign") is not None]
    return max(shares) if shares else None


def _verdicts(result: dict, request: Request) -> None:
    st.markdown(plain(sweep.summary(result)) + " [measured here]")
    best = sweep.winners(result)
    for end, size in (("small", min(request.sizes)), ("large", max(request.sizes))):
        said = st.session_state.get(f"sweep.{end}")
        if said and said == best[size]:
            st.success(f"Right: {said} is fastest at {show_bytes(size)}.")
        elif said:
            st.info(f"At {show_bytes(size)} you guessed {said}; fastest was {best[size]}.")


def draw(result: dict, machine: Machine | None, world_size: int) -> None:
    from core.figures.curves import Curves, curves

    sizes, seconds = sweep.curves_of(result)
    if not sizes:
        return
    bound = [lower_bound(world_size, size, machine) if machine else 0.0 for size in sizes]
    chart(curves(Curves("Median time [measured here]", sizes, "bytes", seconds, bound), dark=is_dark()))
    if machine:
        st.caption("Shaded: below the bound that alpha, beta and gamma of the calibration give [formula].")


def residuals(result: dict, found: Calibration, request: Request) -> None:
    """Predicted against measured, for both kinds of prediction."""
    table, line, cells = [], [], {}
    for method in request.methods:
        schedule = method.schedule(request.world_size)
        for row in (row for row in result["rows"] if row["label"] == method.label and row["nbytes"]):
            guesses = found.predict(schedule, row["nbytes"]), lockstep(schedule, row["nbytes"], found.machine).seconds
            table.append((guesses[0], row["median"]))
            line.append((guesses[1], row["median"]))
            cells.setdefault(method.label, []).append(f"{digits(guesses[0] / row['median'])} x")
    names = tuple(show_bytes(size) for size in request.sizes if size)
    rows = [(label, *shown) for label, shown in cells.items()]
    grid_of_facts("Predicted / measured: 1 x is perfect [measured here]", ("algorithm", *names), rows)
    for name, pairs in ((TABLE, table), ("The textbook line", line)):
        how = calibrate.errors(pairs)
        st.caption(
            f"{name}: {how['within 35 %']:.0%} of {how['cases']} cases within 35 %, half of them within a factor of "
            f"{digits(how['median factor'])}, the worst {digits(how['worst factor'])} [measured here]."
        )
        if name == TABLE and not 1 / LEANING < how["lean"] < LEANING:
            pace = "quicker" if how["lean"] > 1 else "slower"
            st.caption(
                f"Most of its predictions are off one way: the machine is {pace} now than while it was calibrated. "
                "Both start processes of their own, and between two starts a virtual machine's memory may change its "
                "pace. Calibrate again to see."
            )
