"""Threads of one process, each a rank: works everywhere, with nothing but numpy (which lets threads add at once).

A receiver fetches what its sender offers: one copy, no messages. Slow for small buffers (a hand-over between threads
takes tens of microseconds), a fair fight for large ones.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections import defaultdict
from collections.abc import Callable
from functools import partial

import numpy as np

from core.run.backend import Call, Group, Link
from core.run.plan import Piece


class Hall:
    """Where the threads of one run meet."""

    def __init__(self, size: int):
        self.size = size
        self.barrier = threading.Barrier(size)
        self.values: list = [None] * size
        self.offers = defaultdict(queue.SimpleQueue)  # (link, piece) -> what its sender offers
        self.taken = defaultdict(queue.SimpleQueue)  # (link, piece) -> a sign that it was fetched
        self.halls: dict[int, Hall] = {}
        self.lock = threading.Lock()

    def first(self, size: int) -> Hall:
        with self.lock:
            return self.halls.setdefault(size, Hall(size))

    def boxes(self, key: tuple[int, int]) -> tuple[queue.SimpleQueue, queue.SimpleQueue]:
        with self.lock:
            return self.offers[key], self.taken[key]


class ThreadLink(Link):
    def __init__(self, hall: Hall, number: int):
        self.hall, self.number = hall, number

    def receive(self, piece: Piece, view: np.ndarray) -> tuple[Call, Call]:
        offered, taken = self.hall.boxes((self.number, piece.number))

        def fetch() -> None:
            np.copyto(view, offered.get())
            taken.put(None)

        return _nothing, fetch

    def send(self, piece: Piece, view: np.ndarray) -> tuple[Call, Call]:
        offered, taken = self.hall.boxes((self.number, piece.number))
        return partial(offered.put, view), taken.get

    def close(self) -> None:
        """Nothing was taken that has to be given back."""


def _nothing() -> None:
    """A receiver need not say beforehand where a piece shall arrive."""


class ThreadGroup(Group):
    def __init__(self, hall: Hall, rank: int):
        self.hall, self.rank, self.size, self.links = hall, rank, hall.size, 0

    def barrier(self, idle: bool = False) -> None:
        self.hall.barrier.wait()

    def gather(self, value) -> list | None:
        self.hall.values[self.rank] = value
        self.hall.barrier.wait()
        found = list(self.hall.values) if self.rank == 0 else None
        self.hall.barrier.wait()
        return found

    def share(self, value):
        if self.rank == 0:
            self.hall.values[0] = value
        self.hall.barrier.wait()
        found = self.hall.values[0]
        self.hall.barrier.wait()
        return found

    def first(self, size: int) -> ThreadGroup | None:
        return ThreadGroup(self.hall.first(size), self.rank) if self.rank < size else None

    def link(self) -> ThreadLink:
        self.links += 1  # everyone makes its links in the same order: the same number is the same link
        return ThreadLink(self.hall, self.links)

    def native(self, data: np.ndarray, op: str) -> Call | None:
        return None  # there is no library whose all-reduce one could compare with

    def versions(self) -> dict[str, str]:
        return {"threads": f"CPython {sys.version.split()[0]}"}

    def abort(self, code: int) -> None:
        os._exit(code)


def run_threads(size: int, one: Callable[[Group], int], group: Callable[[Hall, int], Group] = ThreadGroup) -> int:
    """Call one(group) in `size` threads; the largest of their exit codes."""
    hall, codes = Hall(size), [1] * size

    def body(rank: int) -> None:
        codes[rank] = one(group(hall, rank))

    others = [threading.Thread(target=body, args=(rank,), daemon=True) for rank in range(1, size)]
    for thread in others:
        thread.start()
    body(0)
    for thread in others:
        thread.join()
    return max(codes)
