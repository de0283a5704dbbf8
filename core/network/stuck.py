"""Why an all-reduce never ends: who waits for whom, back to the cause."""

from __future__ import annotations

import numpy as np

from core.network.plan import Plan, data_edges


class Stuck(RuntimeError):
    """A dead rank or a cut link has stopped everything behind it. `str()` of it tells the story."""

    def __init__(self, cause: str, chain: list[tuple[int, int, int]], finished: int, total: int, names: list[str]):
        self.cause = cause  # one sentence
        self.chain = chain  # (who waits, for whom, in which step, from 0), the last victim first
        self.finished, self.total = finished, total  # messages
        self.names = names  # of the vertices, by number
        self.start = self.end = np.zeros(0)  # of every transfer, seconds; infinity for never
        super().__init__(self._story())

    def _story(self) -> str:
        links = [f"{self.names[who]} waits for {self.names[whom]} (step {step + 1})" for who, whom, step in self.chain]
        if len(links) > 6:
            links = [*links[:2], f"... {len(links) - 5} more ...", *links[-3:]]
        story = f"This never ends: {self.cause}. {self.finished} of {self.total} messages arrive"
        return story + (f"; {', '.join(links)}." if links else ".")


def diagnose(plan: Plan, start: np.ndarray, end: np.ndarray, about: dict) -> Stuck:
    """Walk from a message that never arrives back to what stopped it. Times of messages, infinity for never."""
    if about["model"] == "lockstep":
        return _at_the_barrier(plan, end)
    needs = data_edges(plan, about["slots"], most=1 << 24) if about["send"] != "rendezvous" else None
    message = int(np.flatnonzero(np.isinf(end))[-1])
    names = _names(plan)
    chain, seen = [], set()
    while message not in seen:
        seen.add(message)
        cause = _broken(plan, start, message, names)
        before = None if cause else _blocked_by(plan, end, message, needs)
        if before is None:
            break
        if needs is None or before in needs[message]:  # else it is the sender's own port that is stuck
            waits = _whose_turn(plan, message, before)
            whom = int(plan.src[before] if plan.src[before] != waits else plan.dst[before])
            if chain and chain[-1][:2] == (waits, whom):
                chain.pop()  # of several messages in a row the first one tells
            chain.append((waits, whom, int(plan.step[before])))
        message = before
    finished = int(np.isfinite(end).sum())
    return Stuck(cause or "its messages wait for each other in a circle", chain, finished, len(plan), names)


def _names(plan: Plan) -> list[str]:
    return [plan.network.name(vertex) for vertex in range(plan.network.num_vertices)]


def _at_the_barrier(plan: Plan, end: np.ndarray) -> Stuck:
    """In lock-step everybody waits for the first thing that is broken."""
    late, names = plan.network.late, _names(plan)
    dead = np.isinf(late[plan.src]) | np.isinf(late[plan.dst])
    first = int(np.argmax(dead | np.isinf(plan.beta)))
    cause = _broken(plan, np.zeros(len(plan)), first, names)
    finished = int(np.isfinite(end).sum())
    return Stuck(f"{cause}; all others wait at the barrier", [], finished, len(plan), names)


def _broken(plan: Plan, start: np.ndarray, message: int, names: list[str]) -> str:
    """What is broken about this very message, or "": a rank that never came, a link that is cut."""
    src, dst, step = (int(column[message]) for column in (plan.src, plan.dst, plan.step))
    for vertex in (src, dst):
        if np.isinf(plan.network.late[vertex]):
            return f"{names[vertex]} never enters"
    if np.isfinite(start[message]) and np.isinf(plan.beta[message]):
        path = plan.paths[message]
        cut = next(link for link in path.tolist() if plan.network.bandwidth[link] == 0)
        a, b = plan.network.link_ends(cut)
        way = f"the link from {a} to {b} is cut"
        return f"{way}, and step {step + 1} sends from {names[src]} to {names[dst]} over it"
    return ""


def _blocked_by(plan: Plan, end: np.ndarray, message: int, needs: list[list[int]] | None) -> int | None:
    """An earlier message that never arrives and that this one waits for."""
    never = np.isinf(end)
    if needs is None:  # rendezvous: any message of an earlier step at either end
        mine = np.isin(plan.src, (plan.src[message], plan.dst[message]))
        mine |= np.isin(plan.dst, (plan.src[message], plan.dst[message]))
        found = np.flatnonzero(never & mine & (plan.step < plan.step[message]))
    else:
        found = np.array([other for other in needs[message] if never[other]], int)
        if not len(found):  # a message that blocks the port
            same = plan.out_port == plan.out_port[message]
            found = np.flatnonzero(never & same & (np.arange(len(plan)) != message) & (plan.step <= plan.step[message]))
    return int(found[-1]) if len(found) else None


def _whose_turn(plan: Plan, message: int, before: int) -> int:
    """The vertex that both messages have in common: it is the one that waits."""
    ends = {int(plan.src[before]), int(plan.dst[before])}
    return next((int(v) for v in (plan.src[message], plan.dst[message]) if int(v) in ends), int(plan.src[message]))
