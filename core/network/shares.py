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
        self.inside = inside
        self.bandwidth = np.append(network.bandwidth, np.inf)

    def together(self, load: Load) -> np.ndarray:
        """Seconds to drain each message if all of the step drain at the same time, float64 [num_messages]."""
        pattern = load.pattern
        if not load.even:
            return self._drain(pattern, load.nbytes)
        if "share" not in pattern.notes:
            pattern.notes["share"] = self._drain(pattern, np.ones(len(pattern)))
        return _times(load.nbytes, pattern.notes["share"])

    def one_by_one(self, load: Load) -> np.ndarray:
        """The same when ports take their messages one after another, so that only links inside are shared."""
        own = _times(load.nbytes, load.pattern.beta)
        if not self.inside:
            return own
        ports, links = (self._busiest(at, load.nbytes) for at in (self._ports(load.pattern), load.pattern.paths))
        with np.errstate(invalid="ignore"):
            return own * np.fmax(links / ports, 1.0)

    def _drain(self, pattern: Pattern, nbytes: np.ndarray) -> np.ndarray:
        busiest = self._busiest(pattern.paths if self.inside else self._ports(pattern), nbytes)
        return np.maximum(_times(nbytes, pattern.beta), busiest)

    def _busiest(self, links: np.ndarray, nbytes: np.ndarray) -> np.ndarray:
        """Seconds that the busiest of each message's `links` needs for all that the step sends over it."""
        carried = np.bincount(links.ravel(), np.repeat(nbytes, links.shape[1]), len(self.bandwidth))
        with np.errstate(divide="ignore", invalid="ignore"):
            seconds = np.where(self.bandwidth > 0, carried / self.bandwidth, np.inf)
        return along(np.maximum, seconds, links)

    def _ports(self, pattern: Pattern) -> np.ndarray:
        """The two ports of each message, int64 [num_messages, 2]; a path of one link has only one."""
        nothing = len(self.bandwidth) - 1
        second = np.where(pattern.in_port == pattern.out_port, nothing, pattern.in_port)
        return np.stack([pattern.out_port, second], axis=1)


def _times(nbytes: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """nbytes * beta, where nothing passes a cut link, not even an empty message."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isinf(beta), np.inf, nbytes * beta)
