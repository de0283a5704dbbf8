"""The networks that were found inside a machine, built from measured numbers, for the simulator.

Ranks on the processors of one machine do not have cables: they share a memory. That is a star whose centre carries
only what the memory carries. GPUs are wired two by two, or through a switch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from core.run.hardware import Survey
from core.topologies.switches import crossbar, full_mesh, star
from core.topology import Topology

ALIKE = 0.8  # pairs of GPUs whose slowest has this share of the fastest one's bandwidth are on one switch
Builder = Callable[[int], Topology]


def networks(survey: Survey) -> dict[str, tuple[Builder, int]]:
    """{name: (builder, most ranks it has room for; 0: any number)}, the most interesting one first."""
    found: dict[str, tuple[Builder, int]] = {}
    gpus = survey.found("gpus")
    measured = [gpu for gpu in gpus.get("gpus", []) if "copy" in gpu]
    if len(measured) > 1:
        found[f"{len(measured)} GPUs"] = (lambda ranks: _wired(gpus, ranks), len(measured))
    if measured:
        found["virtual ranks on one GPU"] = (lambda ranks: _on_one_gpu(measured[0], ranks), 0)
    if survey.found("memory"):
        found["ranks in this machine's memory"] = (lambda ranks: _in_memory(survey, ranks), 0)
    return found


def _in_memory(survey: Survey, ranks: int) -> Topology:
    """A message is a copy: as fast as one processor copies, all together as fast as the memory allows."""
    memory, mpi = survey.found("memory"), survey.found("mpi")
    latency = mpi.get("latency", memory["handover"])
    one, together = memory["copy_one"], max(memory["copy_one"], memory["copy_all"])
    how = "a small MPI message" if "latency" in mpi else "a hand-over between threads"
    return replace(
        star(ranks, latency, one, together, kind="memory"),
        name="this machine's memory",
        names=(*(f"rank {r}" for r in range(ranks)), "memory, in", "memory, out"),
        gamma=1 / memory["add_one"],
        source=f"measured here, {survey.date}: copies and additions of numpy, latency of {how}",
    )


def _on_one_gpu(gpu: dict, ranks: int) -> Topology:
    return replace(
        star(ranks, gpu["latency"], gpu["copy"], gpu["copy"], kind="GPU memory"),
        name=f"memory of one {gpu['name']}",
        names=(*(f"rank {r}" for r in range(ranks)), "memory, in", "memory, out"),
        source="measured here: copies inside one GPU",
    )


def _wired(gpus: dict, ranks: int) -> Topology:
    """The first `ranks` GPUs: on one switch where all pairs are alike, else with a cable for each pair."""
    links = [link for link in gpus["links"] if max(link["src"], link["dst"]) < ranks and "bandwidth" in link]
    links.sort(key=lambda link: (link["src"], link["dst"]))  # the order in which full_mesh takes its cables
    rate, delay = (np.array([link[name] for link in links]) for name in ("bandwidth", "latency"))
    kinds = [link["kind"] for link in links]
    about = {"source": "measured here: copies between every two GPUs"}
    if ranks > 2 and set(kinds) == {"NVLink"} and rate.min() >= ALIKE * rate.max():
        wires = crossbar(ranks, float(np.median(delay)), float(np.median(rate)), kind="NVLink", hub="NVSwitch", **about)
    elif ranks > 1:
        wires = replace(full_mesh(ranks, delay, rate, **about), kind=tuple(kinds))
    else:
        wires = crossbar(ranks, gpus["gpus"][0]["latency"], gpus["gpus"][0]["copy"], kind="GPU memory", **about)
    names = tuple(f"GPU {r}" for r in range(ranks))
    return replace(wires, name=f"{ranks} GPUs of this machine", names=names + wires.names[ranks:])
