"""Which algorithm is fastest where: times against size and against ranks, and the winner of every combination."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.network import meet, simulate
from core.network.engine import SETTINGS
from core.schedule import Schedule
from core.topology import BadTopology, Topology

Maker = Callable[[int], Schedule | None]  # world_size -> a schedule, or None where the algorithm does not apply


def times_by_size(schedule: Schedule, sizes: Sequence[float], topology: Topology, **setup) -> np.ndarray:
    """Simulated seconds for each buffer size, float64 [num_sizes]; `setup` as for `simulate`."""
    settings = {name: setup.pop(name) for name in SETTINGS if name in setup}
    network = meet(topology, schedule, **setup)
    return np.array([simulate(schedule, nbytes, network, **settings).seconds for nbytes in sizes])


@dataclass(frozen=True, eq=False)
class Winners:
    """The fastest algorithm for every size and number of ranks. All times are simulated."""

    names: tuple[str, ...]
    sizes: np.ndarray  # float64 [num_sizes], bytes
    ranks: np.ndarray  # int64 [num_ranks]
    seconds: np.ndarray  # float64 [num_names, num_sizes, num_ranks]; nan: does not apply, or not reached in time
    best: np.ndarray  # int64 [num_sizes, num_ranks], an index into names; -1: nobody, or not reached in time
    complete: bool  # was there time for everything?


def winners(
    makers: Mapping[str, Maker],
    sizes: Sequence[float],
    ranks: Sequence[int],
    network: Callable[[int], Topology],
    *,
    spend: float = 3.0,
    model: str = "links",
    multiport: bool = False,
    **setup,
) -> Winners:
    """Race all algorithms on `network(world_size)`, small numbers of ranks first, for at most `spend` seconds.

    A number of ranks is either raced completely or not at all, so a winner has really met all the others. Placements
    given as a list do not fit several numbers of ranks: use one of the named ones. By default a rank starts its
    messages one after another (multiport=False): else whoever sends most of them at once wins for nothing.
    """
    shape = len(makers), len(sizes), len(ranks)
    seconds, started, complete = np.full(shape, np.nan), time.monotonic(), True
    for column in np.argsort(ranks, kind="stable"):
        if not (complete := time.monotonic() - started < spend):
            break
        setup |= {"model": model, "multiport": multiport}
        race = _race(makers, sizes, int(ranks[column]), network, started + spend, **setup)
        if race is None:
            complete = False
            break
        seconds[:, :, column] = race
    known = np.isfinite(seconds)
    best = np.where(known, seconds, np.inf).argmin(axis=0) if len(makers) else np.zeros(shape[1:], int)
    return Winners(
        tuple(makers),
        np.asarray(sizes, float),
        np.asarray(ranks, int),
        seconds,
        np.where(known.any(axis=0), best, -1),
        complete,
    )


def _race(makers, sizes, world_size, network, until, **setup) -> np.ndarray | None:
    """Seconds of every algorithm for every size, float64 [num_names, num_sizes]; None when time runs out."""
    seconds = np.full((len(makers), len(sizes)), np.nan)
    try:
        topology = network(world_size)
    except BadTopology:
        return seconds
    for row, make in enumerate(makers.values()):
        schedule = make(world_size)
        if schedule is not None and time.monotonic() < until:
            seconds[row] = times_by_size(schedule, sizes, topology, **setup)
    return seconds if time.monotonic() < until else None
