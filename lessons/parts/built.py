"""Schedules, proofs and times, made once and shared between sessions: they are read only."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.algorithms import ALGORITHMS
from core.algorithms.base import Algorithm
from core.blame.report import Report
from core.cost import Cost, Volumes, measure, volumes
from core.machines import Machine
from core.schedule import Schedule
from core.trace import Trace, lockstep
from core.verify import verify


@dataclass(frozen=True, eq=False)
class Built:
    """A schedule, how it was asked for, and what counting it gave."""

    algorithm: Algorithm
    key: tuple  # (name, world_size, options as sorted pairs)
    schedule: Schedule
    cost: Cost  # counted; in units of all chunks together
    moved: Volumes  # counted, in the same units
    scale: float  # all chunks together, in units of S (1 for an all-reduce)

    def nbytes(self, size: float) -> int:
        """Bytes of all chunks together for a buffer of `size` bytes."""
        return round(size * self.scale)

    def seconds(self, size: float, machine: Machine) -> float:
        """The counted cost, for a buffer of `size` bytes."""
        return self.cost.seconds(size * self.scale, machine)


def build(algorithm: Algorithm, world_size: int, options: dict) -> Built:
    """The schedule with its counted cost; the last few are kept. Ask lessons.parts.picker.refusal first."""
    return _build(algorithm.name, world_size, tuple(sorted(options.items())))


def timed(built: Built, size: int, machine: Machine) -> Trace:
    """The lock-step trace for a buffer of `size` bytes."""
    return _timed(*built.key, size, machine)


def rebuilt(name: str, world_size: int, options: tuple) -> Built:
    """What `build` made of these, by its key."""
    return _build(name, world_size, options)


def proved(built: Built) -> Report:
    return _proved(*built.key)


@st.cache_resource(max_entries=24, show_spinner="Building the schedule")
def _build(name: str, world_size: int, options: tuple) -> Built:
    algorithm = ALGORITHMS[name]
    schedule = algorithm(world_size, **dict(options))
    return Built(
        algorithm=algorithm,
        key=(name, world_size, options),
        schedule=schedule,
        cost=measure(schedule),
        moved=volumes(schedule),
        scale=algorithm.collective.buffers(world_size),
    )


@st.cache_resource(max_entries=12, show_spinner=False)
def _timed(name: str, world_size: int, options: tuple, size: int, machine: Machine) -> Trace:
    built = _build(name, world_size, options)
    return lockstep(built.schedule, built.nbytes(size), machine)


@st.cache_resource(max_entries=256, show_spinner="Proving the schedule")
def _proved(name: str, world_size: int, options: tuple) -> Report:
    built = _build(name, world_size, options)
    return verify(built.schedule, built.algorithm.collective)
