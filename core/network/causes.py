"""What each message waited for, and how much later it could have been: the graph behind a simulated time."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from core.network.plan import Plan, data_edges

LIMIT = 200_000  # messages


@dataclass(frozen=True, eq=False)
class Times:
    """Times of all messages of a plan, float64 [num_messages] each."""

    start: np.ndarray
    gone: np.ndarray  # it has left its sender's port
    end: np.ndarray
    arrive: np.ndarray  # it is at its receiver, who may still have to add it


@dataclass(frozen=True)
class Cause:
    """Why a message could not start earlier."""

    why: str  # "data", "port", "slots", "step", "barrier", "late" or "start"
    before: int | None  # the message it waited for
    release: float  # when that let it go, seconds


def times(plan: Plan, start: np.ndarray, end: np.ndarray) -> Times:
    """Split start and end of messages: additions come last, latency before them."""
    late = plan.network.late[plan.dst]
    arrive = end - plan.added * plan.network.gamma[plan.dst]
    gone = np.maximum(arrive - plan.alpha, start)
    kept = (late > 0) & (arrive <= late * (1 + 1e-12))  # it lay there until its receiver came: nobody knows how long
    gone = np.where(kept, np.minimum(gone, start + plan.nbytes * plan.beta), gone)
    return Times(start, gone, end, arrive)


class Causes:
    def __init__(self, plan: Plan, at: Times, about: dict):
        self.plan, self.at = plan, at
        self.lockstep, self.buffered = about["model"] == "lockstep", about["send"] == "buffered"
        self.before = plan.alpha - np.append(plan.network.latency, 0.0)[plan.in_port]  # until it comes to its in-port
        if self.buffered and not self.lockstep:
            edges = data_edges(plan, about["slots"], most=1 << 24)
            self.needs = edges if edges is not None else [()] * len(plan)

    def of(self, message: int) -> Cause:
        """What released a message last: of everything it waited for, the latest that is not after its start."""
        plan, at = self.plan, self.at
        start, step = float(at.start[message]), plan.step[message]
        vertices = (plan.src[message],) if self.buffered else (plan.src[message], plan.dst[message])
        late = max(float(plan.network.late[v]) for v in vertices)
        found = [Cause("late" if late else "start", None, late)]
        tolerance = 1e-9 * max(start, 1e-9)
        for why, others, release in self._waits(message, step):
            release = np.where(release <= start + tolerance, release, -1.0)
            if len(others) and release.max() >= 0:
                latest = int(np.argmax(release))
                found.append(Cause(why, int(others[latest]), float(release[latest])))
        return max(found, key=lambda cause: cause.release)

    def _waits(self, message: int, step: int):
        plan, at = self.plan, self.at
        if self.lockstep:
            first = int(np.searchsorted(plan.step, step))  # messages are in order of their steps
            others = np.arange(np.searchsorted(plan.step, plan.step[first - 1]) if first else 0, first)
            yield "barrier", others, at.end[others]
        elif self.buffered:
            others = np.array(self.needs[message], int)
            yield "data", others, at.end[others]
            out = self._index("out_port")[int(plan.out_port[message])]
            others = out[plan.step[out] < step]
            yield "port", others, at.gone[others]
            into = self._index("in_port")[int(plan.in_port[message])]
            others = into[plan.step[into] < step]
            yield "port", others, at.gone[others] + self.before[others] - self.before[message]
        else:
            for vertex in (int(plan.src[message]), int(plan.dst[message])):
                for name, release in (("src", at.arrive), ("dst", at.end)):
                    mine = self._index(name)[vertex]
                    others = mine[plan.step[mine] < step]
                    yield "step", others, release[others]

    def _index(self, column: str) -> dict[int, np.ndarray]:
        """The messages that have each value of a column, in order."""
        if column not in self.__dict__:
            values = getattr(self.plan, column)
            order = np.argsort(values, kind="stable")
            keys, first = np.unique(values[order], return_index=True)
            parts = np.split(order, first[1:])
            self.__dict__[column] = defaultdict(lambda: np.zeros(0, int), zip(keys.tolist(), parts))
        return self.__dict__[column]

    def path(self) -> list[tuple[int, Cause]]:
        """The critical path, first message first: each message and what released it."""
        message, found = int(np.argmax(self.at.end)), []
        while message is not None:
            cause = self.of(message)
            found.append((message, cause))
            message = cause.before
        return found[::-1]

    def slack(self) -> np.ndarray:
        """Seconds that each message could be later without any change to the end, float64 [num_messages].

        Everything else is kept as it is, so two messages may share one slack; and how links are shared stays, too.
        """
        plan, at = self.plan, self.at
        spare = np.full(len(plan), float(at.end.max(initial=0.0))) - at.end
        if self.lockstep:
            return self._slack_lockstep(spare)
        ports = {name: np.full(plan.network.num_links + 1, np.inf) for name in ("out_port", "in_port")}
        vertex = np.full(plan.network.num_vertices, np.inf)  # the latest start of any later step
        for step in range(int(plan.step.max(initial=-1)), -1, -1):
            now = slice(*np.searchsorted(plan.step, (step, step + 1)))
            mine = spare[now]
            if self.buffered:
                out, into = plan.out_port[now], plan.in_port[now]
                room = np.minimum(ports["out_port"][out] - at.gone[now], ports["in_port"][into] - self._there(now))
            else:
                src, dst = plan.src[now], plan.dst[now]
                room = np.minimum(vertex[src] - at.arrive[now], vertex[dst] - at.end[now])
            np.maximum(np.minimum(mine, room), 0.0, out=mine)
            latest = at.start[now] + mine
            if self.buffered:
                real = out < plan.network.num_links
                np.minimum.at(ports["out_port"], out[real], latest[real])
                np.minimum.at(ports["in_port"], into[real], (latest + self.before[now])[real])
                self._pass_on(now, latest, spare)
            else:
                np.minimum.at(vertex, src, latest)
                np.minimum.at(vertex, dst, latest)
        return spare

    def _there(self, now: slice) -> np.ndarray:
        """When each message is through its in-port, by that port's clock."""
        return self.at.gone[now] + self.before[now]

    def _pass_on(self, now: slice, latest: np.ndarray, spare: np.ndarray) -> None:
        """Who feeds these messages may not be later than their latest start."""
        strictest: dict[int, tuple[tuple[int, ...], float]] = {}  # many messages share one tuple of needs
        for needs, time in zip(self.needs[now], latest.tolist()):
            if needs and time < strictest.get(id(needs), (needs, np.inf))[1]:
                strictest[id(needs)] = needs, time
        for needs, time in strictest.values():
            others = np.array(needs)
            spare[others] = np.minimum(spare[others], time - self.at.end[others])

    def _slack_lockstep(self, spare: np.ndarray) -> np.ndarray:
        """Every message may use up its step."""
        last = np.zeros(int(self.plan.step.max(initial=0)) + 1)
        np.maximum.at(last, self.plan.step, self.at.end)
        return last[self.plan.step] - self.at.end if len(spare) else spare
