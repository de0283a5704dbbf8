"""Max-min fair sharing of links, kept up to date as messages come and go.

Every message gets as much as the fullest link on its way allows, and no message could get more without one that has
no more losing some: links fill up together, and when one is full its messages are settled (progressive filling).
When a message comes or goes, only messages connected to it through shared links can change: only those are refilled.
"""

from __future__ import annotations

import heapq

import numpy as np

JOIN, DRAINED, ARRIVE, DONE, ENTER = range(5)  # what an event on the heap is about
LARGE = 48  # messages: above this, numpy fills faster than a loop


class Sharing:
    """Messages that drain at this moment. Times are pushed on the caller's heap as (time, 8 * message + DRAINED)."""

    def __init__(self, paths: list[tuple[int, ...]], cap: list[float], bandwidth: list[float], heap: list):
        self.paths = paths  # for each message the links that it may share with others
        self.cap = cap  # bytes per second that a message could have alone
        self.bandwidth, self.heap = bandwidth, heap
        self.members: list[dict[int, None]] = [{} for _ in bandwidth]  # messages on each link, in order of arrival
        self.full = [False] * len(bandwidth)  # does the link hold back some of its messages?
        self.rate = [0.0] * len(paths)
        self.left = [0.0] * len(paths)  # bytes still to drain
        self.since = [0.0] * len(paths)  # when `left` was right
        self.ends = [-1.0] * len(paths)  # when the message will have drained, if nothing changes
        self.changed: list[int] = []  # links that a message joined or left since the last refill
        self.hops = sum(map(len, paths)) / max(len(paths), 1)
        self.visits = 0.0  # looks at a link of a message so far

    def join(self, message: int, nbytes: float, now: float) -> None:
        self.left[message], self.since[message], self.rate[message] = nbytes, now, 0.0
        links = self.paths[message]
        crowded = False
        for link in links:
            self.members[link][message] = None
            crowded = crowded or len(self.members[link]) > 1
        if crowded:
            self.changed.extend(links)
        else:
            self._set(message, self.cap[message], now)

    def leave(self, message: int) -> None:
        for link in self.paths[message]:
            del self.members[link][message]
            if self.full[link] and self.members[link]:  # only a full link holds others back
                self.changed.append(link)
        self.ends[message] = -1.0

    def refill(self, now: float) -> None:
        """Give every message that may be affected its new rate."""
        todo, seen, rate = self.changed, set(), self.rate
        self.changed = []
        for link in todo:
            if link in seen:
                continue
            messages, links = self._connected(link, seen)
            self.visits += self.hops * len(messages)
            for one in links:
                self.full[one] = False
            if len(messages) < 2:
                settled = [(message, self.cap[message]) for message in messages]
            else:
                settled = (_fill_many if len(messages) > LARGE else _fill_few)(messages, links, self)
            for message, new in settled:
                if abs(new - rate[message]) > 1e-12 * new:
                    self._set(message, new, now)

    def _connected(self, link: int, seen: set[int]) -> tuple[list[int], list[int]]:
        """All messages that share links with those on `link`, directly or through others; and those links."""
        seen.add(link)
        links, messages, paths = [link], {}, self.paths
        for one in links:  # grows while we walk
            for message in self.members[one]:
                if message not in messages:
                    messages[message] = None
                    for other in paths[message]:
                        if other not in seen:
                            seen.add(other)
                            links.append(other)
        return list(messages), links

    def _set(self, message: int, rate: float, now: float) -> None:
        self.left[message] -= self.rate[message] * (now - self.since[message])
        self.since[message], self.rate[message] = now, rate
        if rate > 0:
            end = now + max(self.left[message], 0.0) / rate
            self.ends[message] = end
            heapq.heappush(self.heap, (end, 8 * message + DRAINED))
        else:
            self.ends[message] = -1.0  # a cut link: it never drains


def _fill_few(messages: list[int], links: list[int], net: Sharing) -> list[tuple[int, float]]:
    cap, members, paths = net.cap, net.members, net.paths
    room = {link: net.bandwidth[link] for link in links if members[link]}
    users = {link: len(members[link]) for link in room}
    still, settled = set(messages), []
    narrow = min([cap[m] for m in messages])
    while still:
        level, full = min([(room[link] / users[link], link) for link in room])
        if narrow > level:
            batch = [m for m in members[full] if m in still]
            net.full[full] = True
        else:  # some cannot even take their share
            batch = [m for m in still if cap[m] <= level]
            narrow = min([cap[m] for m in still.difference(batch)], default=np.inf)
        for message in batch:
            rate = min(level, cap[message])
            still.discard(message)
            settled.append((message, rate))
            for link in paths[message]:
                users[link] -= 1
                if users[link]:
                    room[link] = max(room[link] - rate, 0.0)
                else:
                    del room[link]
    return settled


def _fill_many(messages: list[int], links: list[int], net: Sharing) -> list[tuple[int, float]]:
    """The same for many messages: every link that is the fullest among its neighbours settles at once."""
    number = {link: i for i, link in enumerate(links)}
    owner = np.repeat(np.arange(len(messages)), [len(net.paths[m]) for m in messages])
    link = np.array([number[one] for m in messages for one in net.paths[m]])
    room = np.array([net.bandwidth[one] for one in links])
    cap, rate = np.array([net.cap[m] for m in messages]), np.zeros(len(messages))
    open_ = np.ones(len(messages), bool)
    while open_.any():
        mine = open_[owner]
        users = np.bincount(link[mine], minlength=len(links))
        with np.errstate(divide="ignore", invalid="ignore"):
            level = np.where(users > 0, room / users, np.inf)
        lowest = cap.copy()  # what each message could get: the lowest level on its way
        np.minimum.at(lowest, owner[mine], level[link[mine]])
        least = np.full(len(links), np.inf)  # the lowest of these on each link
        np.minimum.at(least, link[mine], lowest[owner[mine]])
        ripe = least >= level * (1 - 1e-12)  # nobody on this link could get less elsewhere
        settle = open_ & (lowest >= cap)
        settle[owner[mine & ripe[link]]] = True
        for one in np.flatnonzero(ripe & (users > 0)):
            net.full[links[one]] = True
        rate[settle] = lowest[settle]
        gone = settle[owner] & mine
        room = np.maximum(room - np.bincount(link[gone], rate[owner[gone]], len(links)), 0.0)
        open_ &= ~settle
    return list(zip(messages, rate.tolist()))
