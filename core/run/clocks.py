"""Bring the clocks of all processes together, so that the times of a trace can be compared.

All processes of one host read the same clock (time.perf_counter_ns). Process 0 asks each of the others for its time
again and again; the quickest answer has the least room for error: the clock was read somewhere between question and
answer, so half the round trip is the uncertainty. Between hosts this gives the offset, once before and once after
the run, with a straight line between the two. On one host it only checks that the clock is shared.
"""

from __future__ import annotations

import time

import numpy as np

ASKED = 60  # times per process, before and again after the run
PATIENCE = 0.3  # seconds for one process


def compare(comm) -> list[dict] | None:
    """On process 0, one dict per process: offset (ns, add it to that process's times), uncertainty (ns), at (ns)."""
    host = comm.gather(_host())
    answers = [_ask(comm, other) for other in range(1, comm.Get_size())] if comm.Get_rank() == 0 else _answer(comm)
    if comm.Get_rank():
        return None
    zero = {"offset": 0.0, "uncertainty": 0.0, "at": time.perf_counter_ns(), "measured": True, "host": host[0]}
    return [zero, *({**best(samples), "host": name} for samples, name in zip(answers, host[1:]))]


def best(samples: list[tuple[int, int, int]]) -> dict:
    """The offset from the quickest of (asked, theirs, answered), all in ns.

    >>> best([(0, 1050, 100), (200, 1205, 210)])["offset"]
    -1000.0
    """
    asked, theirs, answered = min(samples, key=lambda sample: sample[2] - sample[0])
    middle = (asked + answered) / 2
    return {"offset": middle - theirs, "uncertainty": (answered - asked) / 2, "at": theirs, "measured": True}


def corrections(before: list[dict], after: list[dict]) -> list[dict]:
    """For every process how to turn its times into those of process 0: ns added at `at`, and ns more per ns later.

    Processes on the host of process 0 share its clock: nothing is added, and the measured offset is only reported.
    """
    found = []
    for first, last in zip(before, after):
        uncertainty = max(first["uncertainty"], last["uncertainty"])
        shared = not first["measured"] or first["host"] == before[0]["host"]
        span = 1 if shared else max(1, last["at"] - first["at"])
        found.append(
            {
                "at": 0 if shared else first["at"],
                "offset": 0.0 if shared else first["offset"],
                "drift": 0.0 if shared else (last["offset"] - first["offset"]) / span,
                "uncertainty": 0.0 if shared else uncertainty,
                "checked": max(abs(first["offset"]), abs(last["offset"])) <= 2 * uncertainty if shared else None,
            }
        )
    return found


def corrected(times: np.ndarray, correction: dict) -> np.ndarray:
    """`times` (int64 ns of one process) on the clock of process 0, float64 ns."""
    return times + correction["offset"] + correction["drift"] * (times - correction["at"])


def _host() -> str:
    import platform

    return platform.node()


def _ask(comm, other: int) -> list[tuple[int, int, int]]:
    question, theirs = np.ones(1, np.int64), np.empty(1, np.int64)
    samples, until = [], time.perf_counter() + PATIENCE
    while len(samples) < ASKED and (len(samples) < 3 or time.perf_counter() < until):
        asked = time.perf_counter_ns()
        comm.Send(question, other, 1)
        comm.Recv(theirs, other, 1)
        samples.append((asked, int(theirs[0]), time.perf_counter_ns()))
    comm.Send(np.zeros(1, np.int64), other, 1)
    return samples


def _answer(comm) -> None:
    question, mine = np.empty(1, np.int64), np.empty(1, np.int64)
    while True:
        comm.Recv(question, 0, 1)
        if not question[0]:
            return
        mine[0] = time.perf_counter_ns()
        comm.Send(mine, 0, 1)
