"""The alpha-beta-gamma cost model, as a formula and by counting, and what no algorithm can beat.

T = steps * alpha  +  traffic * S * beta  +  work * S * gamma

alpha   seconds to get one message going (latency)
beta    seconds to move one byte through one port (1 / bandwidth)
gamma   seconds to reduce one byte
S       size of the buffer being reduced, in bytes

A rank has one port: where it has several messages in one step, it starts them one after another (messages > steps),
unless the machine is multiport.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.machines import Machine
from core.schedule import REDUCE, Messages, Schedule, messages


@dataclass(frozen=True)
class Cost:
    steps: float  # steps, one after another
    traffic: float  # buffers' worth of bytes through the busiest port
    work: float  # buffers' worth of bytes reduced by the busiest rank
    messages: float | None = None  # messages of the busiest rank, one after another; None: one in each step

    def __post_init__(self):
        if self.messages is None:
            object.__setattr__(self, "messages", self.steps)

    def seconds(self, nbytes: float, machine: Machine) -> float:
        starts = self.steps if machine.multiport else self.messages
        return starts * machine.alpha + nbytes * (self.traffic * machine.beta + self.work * machine.gamma)

    def __add__(self, other: Cost) -> Cost:
        """The cost of one after the other."""
        return Cost(
            self.steps + other.steps,
            self.traffic + other.traffic,
            self.work + other.work,
            self.messages + other.messages,
        )

    def scaled(self, share: float) -> Cost:
        """The cost of the same steps on `share` of the buffer."""
        return Cost(self.steps, self.traffic * share, self.work * share, self.messages)


def measure(schedule: Schedule) -> Cost:
    """Count the cost of a schedule, assuming equal chunks and a barrier after every step.

    A rank's port sends and receives at full speed at once; a switch has a port for each neighbour and reduces for free.
    """
    loads = step_loads(schedule)
    return Cost(
        steps=schedule.num_steps,
        traffic=float(loads.moved.sum()) / schedule.num_chunks,
        work=float(loads.reduced.sum()) / schedule.num_chunks,
        messages=int(loads.messages.sum()),
    )


@dataclass(frozen=True, eq=False)
class Volumes:
    """What every vertex moves and adds over a whole schedule, in buffers; float64 [num_vertices] each."""

    sent: np.ndarray
    received: np.ndarray
    added: np.ndarray
    messages: np.ndarray  # how many messages it sends

    @property
    def total(self) -> float:
        """Buffers' worth of bytes over all the links together."""
        return float(self.sent.sum())


def volumes(schedule: Schedule) -> Volumes:
    """Count who moves how much, assuming equal chunks."""
    sent = messages(schedule)
    share = sent.chunks / schedule.num_chunks
    count = schedule.count * (schedule.op == REDUCE) / schedule.num_chunks
    size = schedule.num_vertices
    return Volumes(
        sent=np.bincount(sent.src, share, minlength=size),
        received=np.bincount(sent.dst, share, minlength=size),
        added=np.bincount(schedule.dst, count, minlength=size),
        messages=np.bincount(sent.src, minlength=size),
    )


@dataclass(frozen=True, eq=False)
class StepLoads:
    """What the busiest rank does in each step; float64 [num_steps] each."""

    messages: np.ndarray  # messages through its port, one way
    moved: np.ndarray  # chunks through its port, one way
    reduced: np.ndarray  # chunks it reduces


def step_loads(schedule: Schedule, sent: Messages | None = None) -> StepLoads:
    """`sent` saves grouping the transfers once more, if messages(schedule) are at hand."""
    sent = messages(schedule) if sent is None else sent
    count = _busiest_port(schedule, sent)
    even = len(sent.chunks) > 0 and sent.chunks.min() == sent.chunks.max()
    return StepLoads(
        messages=count,
        moved=count * float(sent.chunks[0]) if even else _busiest_port(schedule, sent, sent.chunks),
        reduced=_busiest(schedule, schedule.step_of, schedule.dst, schedule.count * (schedule.op == REDUCE)),
    )


def _busiest_port(schedule: Schedule, sent: Messages, amount: np.ndarray | None = None) -> np.ndarray:
    """The most `amount` (without one: messages) through one port, one way; float64 [num_steps]."""
    out, into = (_busiest(schedule, sent.step, vertex, amount) for vertex in (sent.src, sent.dst))
    link = np.zeros(schedule.num_steps)  # a switch's ports count one by one
    if amount is None:
        link[sent.step] = 1
    else:
        np.maximum.at(link, sent.step, amount)
    return np.maximum.reduce([out, into, link])


def _busiest(schedule: Schedule, step: np.ndarray, vertex: np.ndarray, amount: np.ndarray | None) -> np.ndarray:
    """The most that any one rank has of `amount` (without one: entries) in each step; switches are left out."""
    shape = schedule.num_steps, schedule.world_size
    place = step * schedule.world_size + vertex
    if schedule.num_vertices > schedule.world_size:
        mine = vertex < schedule.world_size
        place, amount = place[mine], amount if amount is None else amount[mine]
    return np.bincount(place, amount, minlength=shape[0] * shape[1]).reshape(shape).max(axis=1, initial=0)


def lower_bound(world_size: int, nbytes: float, machine: Machine) -> float:
    """Seconds that no all-reduce without in-network reduction can beat: ceil(log2 n) alpha, 2(n-1)/n S beta.

    Nor can it beat one rank's share of the additions, (n-1)/n S gamma. The largest of the three counts, since all may
    overlap. Source: Patarasuk and Yuan 2009; Chan et al. 2007.
    """
    share = (world_size - 1) / world_size
    rounds = (world_size - 1).bit_length()
    if machine.multiport:
        rounds = int(world_size > 1)
    return max(rounds * machine.alpha, share * nbytes * max(2 * machine.beta, machine.gamma))


def bandwidths(nbytes: float, seconds: float, bus_factor: float) -> tuple[float, float]:
    """(algbw, busbw) in bytes per second, as nccl-tests reports them; both 0 when nothing took no time."""
    algbw = nbytes / seconds if seconds > 0 else 0.0
    return algbw, algbw * bus_factor
