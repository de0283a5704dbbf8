"""Time several ways of doing the same thing so that their ratios can be believed.

In every round each of them has its turn: all processes meet, each does its calls, the slowest process counts. Rounds
in which other programs took more than a small share of the processors are left out as long as enough others remain.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from core.run.backend import Call, Group

BATCH = 0.02  # seconds of calls between two meetings: long against the meeting itself
MOST_CALLS = 2000
BEAT = 1.0  # seconds between two signs of life
FOREIGN = 0.06  # share of the processors that other programs may take in a round that counts
TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


@dataclass(frozen=True)
class Times:
    """What was measured of one contender, in seconds for one call."""

    median: float
    best: float
    worst: float
    rounds: int  # that count
    calls: int  # in each round

    @classmethod
    def of(cls, seconds: list[float], calls: int) -> Times:
        return cls(statistics.median(seconds), min(seconds), max(seconds), len(seconds), calls)


def compete(
    group: Group, contenders: list[Call | None], rounds: int, budget: float, progress: Callable[[int, int], None]
) -> tuple[list[Times], float | None] | None:
    """On process 0: the times of each contender, and the mean share of other programs. None elsewhere.

    A contender that is None leaves this process idle. `progress` is told (rounds done, rounds wanted).
    """
    done, told = 0, time.perf_counter()

    def alive() -> None:
        """Between two turns: say now and then that something happens."""
        nonlocal told
        if time.perf_counter() - told > BEAT:
            told = time.perf_counter()
            progress(min(done, rounds), rounds)

    calls = _how_often(group, contenders, rounds, budget, alive)
    began, kept = time.perf_counter(), []
    while True:
        kept.append(_round(group, contenders, calls, alive))
        done = sum(foreign is None or foreign <= FOREIGN for _, foreign in kept) if group.rank == 0 else 0
        late = time.perf_counter() - began > budget
        progress(min(done, rounds), rounds)
        if group.share(done >= rounds or late):
            break
    if group.rank:
        return None
    counted = quiet_rounds(kept)
    times = [Times.of([seconds[i] for seconds in counted], calls[i]) for i in range(len(contenders))]
    shares = [foreign for _, foreign in kept if foreign is not None]
    return times, statistics.mean(shares) if shares else None


def quiet_rounds(kept: list[tuple[list[float], float | None]]) -> list[list[float]]:
    """The rounds that count: the quiet ones, or the quietest half where those are fewer than three."""
    quiet = [seconds for seconds, foreign in kept if foreign is None or foreign <= FOREIGN]
    if len(quiet) >= min(3, len(kept)):
        return quiet
    by_noise = sorted(kept, key=lambda round_: round_[1])
    return [seconds for seconds, _ in by_noise[: max(3, len(kept) // 2)]]


def _how_often(
    group: Group, contenders: list[Call | None], rounds: int, budget: float, alive: Callable[[], None]
) -> list[int]:
    """Warm up, and choose how many calls of each contender make one batch."""
    slowest = []
    for contender in contenders:
        turn(group, contender, 1)
        slowest.append(turn(group, contender, 2)[0])
        alive()
    everyone = group.gather(slowest)
    if group.rank:
        return group.share(None)
    batch = min(BATCH, budget / rounds / max(1, len(contenders)))
    return group.share([max(1, min(MOST_CALLS, int(batch / max(times, 1e-9)))) for times in map(max, zip(*everyone))])


def turn(group: Group, contender: Call | None, calls: int) -> tuple[float, float]:
    """(seconds for one call, processor seconds of this process) in one turn of one contender."""
    group.barrier()
    busy, began = time.process_time(), time.perf_counter()
    if contender:
        for _ in range(calls):
            contender()
    seconds = (time.perf_counter() - began) / calls if contender else 0.0
    group.barrier(idle=contender is None)
    return seconds, time.process_time() - busy


def _round(
    group: Group, contenders: list[Call | None], calls: list[int], alive: Callable[[], None]
) -> tuple[list[float], float | None]:
    """Everyone's turn once: the slowest process's times, and the share of other programs (on process 0)."""
    before, began = processor_seconds(), time.perf_counter()
    turns = []
    for contender, often in zip(contenders, calls):
        turns.append(turn(group, contender, often))
        alive()
    wall, after = time.perf_counter() - began, processor_seconds()
    everyone = group.gather(turns)
    if everyone is None:
        return [], None
    slowest = [max(seconds for seconds, _ in column) for column in zip(*everyone)]
    if before is None or after is None:
        return slowest, None
    own = sum(busy for row in everyone for _, busy in row)
    return slowest, max(0.0, after - before - own) / ((os.cpu_count() or 1) * wall)


def processor_seconds() -> float | None:
    """Seconds that all processors of this machine have been busy; None where the system does not say."""
    try:
        with open("/proc/stat") as lines:
            user, nice, system, _, _, interrupt, soft, steal = map(int, lines.readline().split()[1:9])
    except (OSError, ValueError):
        return None
    return (user + nice + system + interrupt + soft + steal) / TICKS
