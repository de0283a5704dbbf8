"""Prove that a schedule does what its collective promises, or say where it goes wrong.

Instead of numbers, every vertex holds counts: held[vertex, chunk, origin] says how many times `origin`'s input
has been added into that copy of the chunk. A finished chunk has each input exactly once.

The proof is exact, in two halves: bit sets show quickly which chunks are clearly right (core.bitsets), counting decides
about the others (core.lanes), and what is wrong is explained (core.blame). core.fingerprint is quicker still, but only
almost certain.
"""

from __future__ import annotations

import numpy as np

from core.bitsets import unproved_chunks
from core.blame.explain import explain
from core.blame.report import Report
from core.blame.structure import malformed
from core.collective import Collective
from core.schedule import Schedule


class WrongSchedule(Exception):
    """Says which step goes wrong, and which rank ends with what. `report` has the same as data."""

    def __init__(self, report: Report):
        super().__init__(report.sentence)
        self.report = report


def verify(schedule: Schedule, collective: Collective) -> Report:
    """Is the schedule right, and if not, why? Never raises on a wrong schedule.

    Explaining takes a few hundredths of a second at 16 ranks. The search for repairs has a budget, so that it takes
    some seconds at the most at 1000 ranks; Report.searched_all says whether that was enough.

    >>> from core.algorithms.ring import ring
    >>> from core.collective import ALL_REDUCE
    >>> verify(ring(4), ALL_REDUCE).sentence
    "ring: proved. Every rank ends with the sum of everyone's buffers."
    """
    report = malformed(schedule)
    if report is None:
        doubtful = unproved_chunks(schedule, collective)
        report = explain(schedule, collective, doubtful) if len(doubtful) else None
    return report or Report(right=True, sentence=f"{schedule.name}: proved. {collective.promise}")


def check(schedule: Schedule, collective: Collective) -> None:
    """Raise WrongSchedule unless every rank ends with what it needs."""
    report = verify(schedule, collective)
    if not report.right:
        raise WrongSchedule(report)


def initial_counts(schedule: Schedule, collective: Collective) -> np.ndarray:
    """held at the start, int32 [num_vertices, num_slots, world_size]: switches and scratch buffers have nothing."""
    rank, chunk, origin = np.ogrid[: schedule.world_size, : schedule.num_chunks, : schedule.world_size]
    held = np.zeros((schedule.num_vertices, schedule.num_slots, schedule.world_size), np.int32)
    held[: schedule.world_size, : schedule.num_chunks] = collective.starts(rank, chunk, origin)
    return held
