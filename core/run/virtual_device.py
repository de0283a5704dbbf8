"""The device that virtual ranks live on: the CPU, where calls happen one after another, or a GPU with its streams.

A device gives lists of calls for three things: go on as another vertex, leave a sign, wait for a sign. The GPU's were
written from torch's documentation; they have not yet been run on a GPU.
"""

from __future__ import annotations

import time
from functools import partial

import numpy as np

from core.run.backend import Call


class Device:
    """The CPU: a call is over when it returns, so nothing has to be waited for."""

    name = "cpu"

    def on(self, vertex: int) -> list[Call]:
        """What to call before the next calls belong to this vertex."""
        return []

    def mark(self, vertex: int, sign: tuple[str, int]) -> list[Call]:
        """Leave a sign that others can wait for."""
        return []

    def after(self, vertex: int, sign: tuple[str, int]) -> list[Call]:
        """Make this vertex wait for a sign."""
        return []

    def settle(self) -> None:
        """Wait until everything that was launched is over."""

    def anchor(self) -> None:
        """Relate this device's clock to the host's, where it has one of its own."""

    def stamp(self, vertex: int, times: list) -> Call:
        return lambda: times.append(time.perf_counter_ns())

    def nanoseconds(self, times: list) -> np.ndarray:
        return np.array(times, np.int64)


class Gpu(Device):
    """A stream for every vertex, an event for every sign."""

    def __init__(self, torch, name: str, num_vertices: int):
        self.cuda, self.name = torch.cuda, name
        self.home = self.cuda.default_stream(name)
        self.streams = [self.cuda.Stream(name) for _ in range(num_vertices)]
        self.events: dict[tuple[str, int], object] = {}
        self.began = None

    def on(self, vertex: int) -> list[Call]:
        return [partial(self.cuda.set_stream, self.streams[vertex])]

    def mark(self, vertex: int, sign: tuple[str, int]) -> list[Call]:
        event = self.events.setdefault(sign, self.cuda.Event())
        return [partial(event.record, self.streams[vertex])]

    def after(self, vertex: int, sign: tuple[str, int]) -> list[Call]:
        return [partial(self.streams[vertex].wait_event, self.events[sign])]

    def settle(self) -> None:
        self.cuda.synchronize(self.name)
        self.cuda.set_stream(self.home)

    def stamp(self, vertex: int, times: list) -> Call:
        def record() -> None:
            event = self.cuda.Event(enable_timing=True)
            event.record(self.streams[vertex])
            times.append(event)

        return record

    def nanoseconds(self, times: list) -> np.ndarray:
        """The streams of one GPU read one clock: everything counts from the first stamp."""
        return np.array([times[0].elapsed_time(event) * 1e6 for event in times]).astype(np.int64)


def device_of(name: str, num_vertices: int) -> Device:
    """The CPU, or a GPU ("cuda", "cuda:1"); "" takes a GPU if there is one."""
    import torch

    if name == "cpu" or (not name and not torch.cuda.is_available()):
        return Device()
    return Gpu(torch, name or "cuda", num_vertices)
