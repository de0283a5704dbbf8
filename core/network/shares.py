"""How long a message drains when it shares links with the other messages of its step.

Everything that a link carries in the step, divided by its bandwidth, is how long the link is busy; a message takes
as long as the busiest link on its way. Either only its two ports count (a network that never blocks), or every link
(the static loads of a real one).
"""

from __future__ import annotations

import numpy as np

from core.network.conditions import Network
from core.network.steps import Load, Pattern, along


class Shares:
    def __init__(self, network: Network, inside: bool):
        """`inside`: do links other than the two ports count?"""
        self.network, self.inside = network, inside
        self.nothing = network.num_links  # the column that stands for "no link"
        self.bandwidth = np.append(network.bandwidth, np.inf)
        self.work = np.zeros(network.num_links + 1)  # seconds that each link needs for all it was given so far

    def together(self, load: Load) -> np.ndarray:
        """Seconds to drain each message if all of the step drain at the same time, float64 [num_messages]."""
        pattern = load.pattern
        if not load.even:
            return self._drain(load, load.nbytes)
        if self.inside not in pattern.notes:
            pattern.notes[self.inside] = self._drain(load, np.ones(len(pattern)))
        return times(load.nbytes, pattern.notes[self.inside])

    def links(self, load: Load) -> np.ndarray:
        """The links that each message shares with the others, int64 [num_messages, any number]."""
        if "links" not in load.notes:
            load.notes["links"] = load.pattern.paths if self.inside else load.pattern.ports(self.nothing)
        return load.notes["links"]

    def floor(self, load: Load) -> np.ndarray | None:
        """No message of this step has drained before its links could have carried all that was sent over them so far.

        Steps overlap in time, and each step shares links only within itself: this keeps their sum possible.
        None where that is certain anyway, because every link serves one rank only.
        """
        if "work" not in load.notes:
            load.notes["work"] = self.seconds(self.links(load), load.nbytes) if self._mixed(load.pattern) else None
        if load.notes["work"] is None:
            return None
        self.work += load.notes["work"]
        return along(np.maximum, self.work, self.links(load))

    def _mixed(self, pattern: Pattern) -> bool:
        """Can a link of these messages also serve messages between other ranks?"""
        network = self.network
        switches = max(pattern.src.max(initial=0), pattern.dst.max(initial=0)) >= network.world_size
        passing = (
            network.topology.forwards is not None and network.topology.forwards[: network.topology.world_size].any()
        )
        return bool(switches or passing or (self.inside and pattern.paths.shape[1] > 2))

    def _drain(self, load: Load, nbytes: np.ndarray) -> np.ndarray:
        links = self.links(load)
        return np.maximum(times(nbytes, load.pattern.beta), along(np.maximum, self.seconds(links, nbytes), links))

    def seconds(self, links: np.ndarray, nbytes: np.ndarray) -> np.ndarray:
        """Seconds that each link needs for messages of `nbytes` that use `links`, float64 [num_links + 1]."""
        carried = np.bincount(links.ravel(), np.repeat(nbytes, links.shape[1]), len(self.bandwidth))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where((self.bandwidth == 0) & (carried > 0), np.inf, carried / np.maximum(self.bandwidth, 1e-300))


def times(nbytes: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """nbytes * beta, where nothing passes a cut link, not even an empty message."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isinf(beta), np.inf, nbytes * beta)
