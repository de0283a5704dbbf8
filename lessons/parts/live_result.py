"""What a live run measured, beside what the model says; and traces that come from a file."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core import trace
from core.blame.report import Report
from core.collective import ALL_REDUCE, COLLECTIVES, Collective
from core.container import BadFile
from core.run.launch import Job
from core.run.report import provenance
from core.schedule import Schedule
from core.trace import Trace, lockstep
from core.units import digits, show_bytes, show_rate, show_seconds
from core.verify import verify
from lessons.parts.facts import Fact, facts, listed, small
from lessons.parts.links import linked, one_of, plain
from lessons.parts.live import AGAINST_LIBRARY, LIBRARY, MODEL, guesses, noise
from lessons.parts.live_sweep import known
from lessons.parts.player import player

RECORDED = Path(__file__).resolve().parents[2] / "assets" / "recorded"
LIMIT = 32 << 20  # bytes of a file that is opened here
PROVED_RANKS, PROVED_TRANSFERS = 1024, 200_000  # larger traces are played without a proof
TIE = 0.1  # closer than this is no difference


def show(job: Job) -> None:
    """Medians, the verdict on the guess, and the measured trace in the player."""
    rows = {row["label"]: row for row in job.result["rows"]}
    method = job.request.methods[0]
    ours, native = rows[method.label], rows.get("native")
    measured = _loaded(job.traces[0]["data"])
    promise = method.promises()
    st.subheader(f"{method.label.replace('_', ' ')}, {show_bytes(ours['nbytes'])}, {job.request.world_size} ranks")
    _numbers(job, measured, ours, native)
    noise(ours["foreign"])
    model = lockstep(measured.schedule, measured.nbytes, MODEL)
    _verdict(guesses(job.request), ours["median"], native["median"] if native else model.seconds)
    if st.session_state.get("live.shown") is not job:  # measured times are worth seeing as such, unless turned off
        st.session_state["live.shown"] = job
        st.query_params["clock"] = "time"
    player(measured, key="live.player", collective=promise, ghost=model, title="measured here")
    about(measured)
    st.download_button(
        "Trace file (.arl)",
        job.traces[0]["data"],
        f"{method.algorithm}-{job.request.world_size}-{job.request.backend}.arl",
        key="live.download",
        on_click="ignore",
    )


def _numbers(job: Job, measured: Trace, ours: dict, native: dict | None) -> None:
    model = lockstep(measured.schedule, measured.nbytes, MODEL).seconds
    spread = f"{show_seconds(ours['best'])} to {show_seconds(ours['worst'])} in {ours['rounds']} rounds"
    found = [
        Fact("Median time", show_seconds(ours["median"]), "measured here", spread),
        Fact("Bus bandwidth", show_rate(ours["busbw"]), "measured here", "nccl-tests factor"),
        Fact("Model", show_seconds(model), "formula", f"alpha-beta-gamma of “{MODEL.name}”"),
        Fact("Model / measured", f"{digits(model / ours['median'])} x", "formula", "1 x would be a perfect model"),
    ]
    if calibration := known(job.request):
        predicted = calibration.predict(measured.schedule, measured.nbytes)
        note = f"from the calibration of Live sweep; {digits(predicted / ours['median'])} x of what was measured"
        found.append(Fact("Calibrated", show_seconds(predicted), "formula", note))
    if native:
        ratio = f"{digits(ours['median'] / native['median'])} x"
        found[1:1] = [
            Fact(
                "Library's own",
                show_seconds(native["median"]),
                "measured here",
                f"{LIBRARY[job.request.backend]}, same rounds",
            ),
            Fact("Ours / library", ratio, "measured here", "below 1 x: this schedule is faster"),
        ]
    facts(*found)


def _verdict(choices: dict[str, str], ours: float, other: float) -> None:
    """The guess that was made before the run, and what came out. `other`: the library's time, or the formula's."""
    if choices is AGAINST_LIBRARY:
        winner = "tie" if abs(ours / other - 1) <= TIE else "ours" if ours < other else "native"
    else:
        winner = "near" if 0.5 <= ours / other <= 2 else "sooner" if ours < other else "later"
    guessed = st.session_state.get("live.guessed")
    said = _inside_a_sentence(choices[winner])
    if guessed not in choices:
        st.caption(f"Came out: {said} [measured here].")
    elif guessed == winner:
        st.success(f"Your guess was right: {said}.")
    else:
        st.info(
            f"You guessed: {_inside_a_sentence(choices[guessed])}. It came out: {said}. "
            "Small buffers are about the number of steps and what each costs, large ones about copies of memory."
        )


def _inside_a_sentence(text: str) -> str:
    return text[0].lower() + text[1:]


def about(measured: Trace) -> None:
    """Where, when and how a trace was measured."""
    listed(provenance(measured.about))


def from_a_file() -> None:
    """Play a trace that was recorded elsewhere."""
    st.subheader("Play a trace file", divider="gray")
    file = st.file_uploader(
        "A trace that this program saved, here or on a cluster (.arl)", type=["arl"], key="live.file"
    )
    if file is None:
        return
    if file.size > LIMIT:
        st.error(plain(f"{file.name} has {show_bytes(file.size)}: up to {show_bytes(LIMIT)} are opened here."))
        return
    data = file.getvalue()
    try:
        found = trace.load(data)
    except BadFile as problem:
        st.error(plain(f"{file.name}: {problem}."))
        return
    _play(found, data, "live.file.player", f"{file.name}, {found.origin}")


PREDICTED = {"formula": "formula", "simulated": "simulated"}  # what an opened file may hold instead of a measurement


def recorded() -> None:
    """Runs of other machines that come with this program."""
    files = sorted(RECORDED.glob("*.arl"))
    if not files:
        return
    st.subheader("Recorded runs", divider="gray")
    names = {file.stem: file for file in files}
    chosen = linked(
        st.selectbox,
        "Measured elsewhere, kept with this program [recorded]",
        key="live.recorded",
        name="recorded",
        default=None,
        read=one_of(names),
        write=lambda name: name or "",
        options=list(names),
        index=None,
        placeholder="Choose one",
    )
    if chosen:
        data = names[chosen].read_bytes()
        found = _loaded(data)
        _play(found, data, "live.recorded.player", f"recorded, {found.origin}")


def _play(found: Trace, data: bytes, key: str, title: str) -> None:
    """Show a trace; `data` is the file that it comes from."""
    median = found.about.get("median")
    median = median if isinstance(median, float) and 0 < median <= trace.MAX_SECONDS else None
    told = found.origin.partition(":")[0]
    pairs = [
        Fact("Length of this run", show_seconds(found.seconds), PREDICTED.get(told, "recorded"), found.origin),
        Fact("Buffer", show_bytes(found.nbytes), "recorded"),
    ]
    if median is not None:  # a predicted trace has none
        pairs.append(Fact("Median time", show_seconds(median), "recorded", "of many runs"))
    facts(*pairs)
    promise = COLLECTIVES.get(str(found.about.get("collective")))
    if promise is None:
        small("The file does not say which collective this is: it is played as an all-reduce.")
    report = _proof(found.schedule, data, promise)
    if report and not report.right:
        st.error(plain(report.sentence))
    player(found, key=key, collective=promise or ALL_REDUCE, title=title, linked=False, report=report)
    about(found)


def _proof(schedule: Schedule, data: bytes, promise: Collective | None) -> Report | None:
    """What the proof says of a file's schedule; None if it is too large or its promise is not known."""
    if promise is None or schedule.world_size > PROVED_RANKS or schedule.num_transfers > PROVED_TRANSFERS:
        return None
    return _proved(data, schedule, promise)


@st.cache_resource(max_entries=64, show_spinner="Proving the schedule")
def _proved(data: bytes, _schedule: Schedule, _promise: Collective) -> Report:
    return verify(_schedule, _promise)


@st.cache_resource(max_entries=16, show_spinner=False)
def _loaded(data: bytes) -> Trace:
    return trace.load(data)
