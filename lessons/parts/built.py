"""Schedules, proofs and times, made once and shared between sessions: they are read only."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property

import streamlit as st

from core.algorithms import ALGORITHMS
from core.algorithms.base import Algorithm
from core.blame.report import Report
from core.cost import Cost, Volumes, measure, volumes
from core.machines import Machine
from core.schedule import Schedule
from core.trace import Trace, lockstep
from core.verify import verify

LARGE = 200_000  # transfers that take so long that a spinner says what is going on


@dataclass(frozen=True, eq=False)
class Built:
    """A schedule, how it was asked for, and what counting it gave."""

    algorithm: Algorithm
    key: tuple  # (name, world_size, options as sorted pairs)
    schedule: Schedule
    scale: float  # all chunks together, in units of S (1 for an all-reduce)

    @cached_property
    def cost(self) -> Cost:
        """Counted; in units of all chunks together."""
        return measure(self.schedule)

    @cached_property
    def moved(self) -> Volumes:
        """Counted, in the same units."""
        return volumes(self.schedule)

    @property
    def label(self) -> str:
        """The name, and the options that are not the defaults."""
        name, _, options = self.key
        changed = [f"{key} {value}" for key, value in options if value != self.algorithm.options[key].default]
        return f"{name} ({', '.join(changed)})" if changed else name

    def nbytes(self, size: float) -> int:
        """Bytes of all chunks together for a buffer of `size` bytes."""
        return round(size * self.scale)

    def seconds(self, size: float, machine: Machine) -> float:
        """The counted cost, for a buffer of `size` bytes."""
        return self.cost.seconds(size * self.scale, machine)


def build(algorithm: Algorithm, world_size: int, options: dict) -> Built:
    """The schedule with its counted cost; the last few are kept. Ask lessons.parts.picker.refusal first."""
    with _patience("Building the schedule", algorithm.cost(world_size, **options).messages * world_size):
        return _build(algorithm.name, world_size, tuple(sorted(options.items())))


def timed(built: Built, size: int, machine: Machine) -> Trace:
    """The lock-step trace for a buffer of `size` bytes."""
    return _timed(*built.key, size, machine)


def rebuilt(name: str, world_size: int, options: tuple) -> Built:
    """What `build` made of these, by its key."""
    return _build(name, world_size, options)


def proved(built: Built) -> Report:
    with _patience("Proving the schedule", built.schedule.num_transfers):
        return _proved(*built.key)


def _patience(words: str, transfers: float) -> AbstractContextManager:
    """A spinner where there is something to wait for; it costs two messages, even where all is made already."""
    return st.spinner(words) if transfers > LARGE else nullcontext()


@st.cache_resource(max_entries=24, show_spinner=False)
def _build(name: str, world_size: int, options: tuple) -> Built:
    algorithm = ALGORITHMS[name]
    schedule = algorithm(world_size, **dict(options))
    return Built(
        algorithm=algorithm,
        key=(name, world_size, options),
        schedule=schedule,
        scale=algorithm.collective.buffers(world_size),
    )


@st.cache_resource(max_entries=12, show_spinner=False)
def _timed(name: str, world_size: int, options: tuple, size: int, machine: Machine) -> Trace:
    built = _build(name, world_size, options)
    return lockstep(built.schedule, built.nbytes(size), machine)


@st.cache_resource(max_entries=256, show_spinner=False)
def _proved(name: str, world_size: int, options: tuple) -> Report:
    built = _build(name, world_size, options)
    return verify(built.schedule, built.algorithm.collective)
