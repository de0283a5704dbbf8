"""Lab: Hardware

What this machine has, which ways of running a schedule work on it, and its own network for the simulator.
"""

import json

import streamlit as st

from core.algorithms.base import Algorithm
from core.figures.wiring import Wiring
from core.figures.wiring import wiring as wired
from core.network import BadTopology, Stuck, meet, simulate
from core.run.hardware import PROBES, Survey
from core.run.hardware_backends import backends, gpu_memory
from core.run.hardware_topology import networks
from core.run.launch import Refused
from core.topology import Topology
from core.trace import Trace
from core.units import show_bytes, show_rate, show_seconds
from lessons.parts import live
from lessons.parts.built import build
from lessons.parts.chart import chart, is_dark
from lessons.parts.facts import Fact, compact, facts, listed
from lessons.parts.links import linked, one_of, size_field
from lessons.parts.picker import pick_algorithm
from lessons.parts.player import player
from lessons.parts.surveyed import keeper

NOISE = 0.1  # share of the processors that other programs may take before the numbers are doubtful
MOST_RANKS = 64  # the picture stays readable, and the simulation quick


def main() -> None:
    compact("Hardware", "What is here, what works and what brings the rest; then this machine as a simulated network.")
    kept = keeper()
    survey = head(kept)
    if survey is None:
        return
    if not survey.over:
        follow(survey)
        return
    if survey.error:
        st.warning(f"{survey.error[0].upper()}{survey.error[1:]}: what is missing below was not looked at.")
    show_machine(survey)
    show_backends(survey)
    show_network(survey)


def head(kept: dict[str, Survey]) -> Survey | None:
    """The buttons; the survey there is, running or not."""
    survey = kept.get("survey")
    with st.container(horizontal=True, vertical_alignment="center"):
        label = "Look again" if survey else "Look at this machine"
        refusal, busy = live.refusal(), survey is not None and not survey.over
        if st.button(label, key="hardware.look", type="primary", disabled=busy or bool(refusal)):
            try:
                survey = kept["survey"] = Survey().start()
            except Refused as refused:
                st.warning(str(refused))
        if survey and survey.over:
            data = json.dumps(survey.as_dict(), indent=1)
            st.download_button("Save as JSON", data, "hardware.json", "application/json", key="hardware.save")
            st.markdown(f":small[Looked at {survey.date.replace('T', ' ')}.]")
    if refusal:
        st.warning(refusal)
    elif survey is None:
        st.markdown(
            f"Takes about ten seconds and starts {len(PROBES)} small programs, one after another, each with a time "
            "limit: they ask the operating system, copy and add in memory, exchange messages between two MPI "
            "processes, load torch and look for graphics processors. Nothing is installed or changed."
        )
    return survey


@st.fragment(run_every=0.3)
def follow(survey: Survey) -> None:
    """Progress, until the survey is over; then the whole page is made again."""
    if survey.over:
        st.rerun()
    waiting = f" ({survey.position} runs are before this one)" if survey.position else ""
    st.progress(survey.done, f"{survey.text}{waiting}")
    if st.button("Cancel", key="hardware.cancel"):
        survey.cancel()


def show_machine(survey: Survey) -> None:
    st.subheader("This machine", divider="gray")
    system, memory, mpi = (survey.found(name) for name in ("system", "memory", "mpi"))
    shown = []
    if system:
        physical = f"{system['physical']} physical" if system["physical"] else "as the system counts"
        shown.append(Fact("Processors", str(system["usable"]), "counted", physical))
        if system["memory"]:
            shown.append(Fact("Memory", show_bytes(system["memory"]), "counted"))
    if memory:
        threads = memory["threads"]
        for name, what in (("copy", "Copying"), ("add", "Adding")):
            shown.append(Fact(f"{what}, one processor", show_rate(memory[f"{name}_one"]), "measured here"))
            shown.append(Fact(f"{what}, all {threads}", show_rate(memory[f"{name}_all"]), "measured here"))
        shown.append(Fact("Hand-over between threads", show_seconds(memory["handover"]), "measured here"))
    if mpi:
        shown.append(Fact("Small MPI message", show_seconds(mpi["latency"]), "measured here", "one way"))
        shown.append(Fact("Large MPI message", show_rate(mpi["bandwidth"]), "measured here", "one way"))
    facts(*shown)
    if survey.foreign() > NOISE:
        st.warning(
            f"Other programs took {survey.foreign():.0%} of the processors while this was measured: "
            "end them, and look again."
        )
    show_gpus(survey.found("gpus"))
    listed(notes(survey))


def show_gpus(found: dict) -> None:
    for nth, gpu in enumerate(found.get("gpus", [])):
        shown = [Fact(f"GPU {nth}", gpu["name"], "counted"), Fact("Memory", show_bytes(gpu["memory"]), "counted")]
        if gpu.get("nvlinks"):
            shown.append(Fact("NVLinks", str(gpu["nvlinks"]), "counted"))
        if "copy" in gpu:
            shown.append(Fact("Copying inside it", show_rate(gpu["copy"]), "measured here"))
        facts(*shown)


def notes(survey: Survey) -> dict[str, str]:
    """Small print: what the numbers mean, and what could not be found out."""
    system, memory, torch = (survey.found(name) for name in ("system", "memory", "torch"))
    lines = {"Processor": f"{system['processor']}, {system['system']}" if system else survey.trouble("system")}
    if memory:
        cache = f", the last cache holds {show_bytes(memory['cache'])}" if memory["cache"] else ""
        lines["Memory"] = (
            f"bytes of result per second, best of many passes over arrays of {show_bytes(memory['array'])}{cache}. A "
            "copy moves 2 bytes through the memory for each of these, an addition 3"
        )
    else:
        lines["Memory"] = survey.trouble("memory")
    if torch:
        nccl = f"NCCL {torch['nccl']}" if torch["nccl"] else "no NCCL in this build"
        lines["torch"] = f"{torch['torch']}, {nccl}, gloo's interface: {torch['gloo'] or 'none'}"
    lines["MPI and GPUs"] = gpu_memory(survey)
    lines["Graphics processors"] = survey.trouble("gpus") or "; ".join(survey.found("gpus").get("notes", []))
    return lines


def show_backends(survey: Survey) -> None:
    st.subheader("Ways to run a schedule here", divider="gray")
    for backend in backends(survey):
        badge = ":green-badge[works]" if backend.works else ":orange-badge[missing]"
        if backend.works:
            command = f"python -m core.run --backend {backend.name} -n 2 --algorithm ring --bytes 1M"
            st.markdown(f"{badge} **{backend.title}**: {backend.does}. :small[{backend.version}] `{command}`")
        else:
            reason, colon, command = backend.why_not.rpartition(": ")
            why = f"{reason}: `{command}`" if colon and command.startswith("pip ") else backend.why_not
            st.markdown(f"{badge} **{backend.title}**: {why}. :small[It would do: {backend.does}.]")


def show_network(survey: Survey) -> None:
    st.subheader("This machine as a network", divider="gray")
    found = networks(survey)
    if not found:
        st.info(f"There is nothing to build a network from: {survey.trouble('memory')}.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = linked(
            st.selectbox,
            "Network",
            key="hardware.network",
            name="network",
            default=next(iter(found)),
            read=one_of(found),
            options=list(found),
            width=215,
        )
        usual = min(4, next(iter(found.values()))[1] or 4)
        algorithm, world_size, options = pick_algorithm("hardware", ranks=usual, max_ranks=MOST_RANKS)
        nbytes = size_field("hardware.size", "1 MiB", width=120)
    make, room = found[name]
    if room and world_size > room:
        st.error(f"{world_size} ranks do not fit: there are {room} GPUs. Choose {room} ranks or fewer.")
        return
    topology = make(world_size)
    left, right = st.columns([2, 3])
    with left:
        from core.figures.hardware import wiring

        chart(wiring(topology, dark=is_dark()))
        st.markdown(f":small[{topology.source[0].upper()}{topology.source[1:]}. Wider is faster.]")
    with right:
        play(algorithm, world_size, options, nbytes, topology, survey.date)


def play(algorithm: Algorithm, world_size: int, options: dict, nbytes: int, topology: Topology, date: str) -> None:
    built = build(algorithm, world_size, options)
    try:
        trace, wires = timed(built.schedule, built.nbytes(nbytes), topology, (*built.key, topology.name, date))
    except (BadTopology, Stuck) as problem:
        st.error(str(problem))
        return
    note = "from the numbers measured here"
    facts(
        Fact("Time on this network", show_seconds(trace.seconds), "simulated", note),
        Fact("Steps", str(built.schedule.num_steps), "counted"),
    )
    title = f"{algorithm.name}, {topology.name}"
    player(trace, key="hardware.player", collective=algorithm.collective, title=title, wiring=wires)


@st.cache_resource(max_entries=12, show_spinner="Simulating")
def timed(_schedule, nbytes: int, _topology: Topology, key: tuple) -> tuple[Trace, Wiring]:
    return simulate(_schedule, nbytes, _topology), wired(_schedule, meet(_topology, _schedule))


main()
