"""Trees as lists of levels: [(children, their parents), ...] from the leaves up to the root.

One level is one step: its children send up together, or its parents send down together.
"""

from __future__ import annotations

import numpy as np

from core.schedule import COPY, REDUCE, Step, send

Levels = list[tuple[np.ndarray, np.ndarray]]


def binomial(n: int) -> Levels:
    """The parent of v is v with its lowest set bit cleared; level i has the vertices whose lowest set bit is 2**i."""
    return knomial(n, 2)


def knomial(n: int, radix: int) -> Levels:
    """The parent of v is v with its lowest digit that is not zero cleared, digits to the base `radix`."""
    levels, distance = [], 1
    while distance < n:
        digits = np.arange(0, n, distance)
        child = digits[np.arange(len(digits)) % radix > 0]
        levels.append((child, child // (distance * radix) * (distance * radix)))
        distance *= radix
    return levels


def binomial_near(n: int) -> Levels:
    """The parent of v is v with its highest set bit cleared: read downwards, near partners come first."""
    rank = np.arange(n)
    low = [(rank[1 << i : 2 << i], rank[1 << i : 2 << i] - (1 << i)) for i in range((n - 1).bit_length())]
    return low[::-1]


def kary(n: int, arity: int) -> Levels:
    """The complete tree: the children of v are arity*v + 1 .. arity*v + arity."""
    return by_depth((np.arange(n) - 1) // arity)


def by_depth(parent: np.ndarray) -> Levels:
    """The levels of the tree with these parents (-1 at the root), all ranks of one depth in one level."""
    levels, above = [], np.flatnonzero(parent < 0)
    while len(child := np.flatnonzero(np.isin(parent, above))):
        levels.insert(0, (child, parent[child]))
        above = child
    return levels


def up(levels: Levels, **where) -> list[Step]:
    """One REDUCE step a level, from the leaves to the root. `where` is what `send` needs: chunk and perhaps count."""
    return [send(child, parent, **where, op=REDUCE, phase="reduce") for child, parent in levels]


def down(levels: Levels, **where) -> list[Step]:
    """One COPY step a level, from the root to the leaves."""
    return [send(parent, child, **where, op=COPY, phase="broadcast") for child, parent in reversed(levels)]


def knomial_fans(n: int, radix: int) -> list[int]:
    """How many children the root has on each level of the k-nomial tree: nobody has more."""
    distances = [1]
    while distances[-1] < n:
        distances.append(distances[-1] * radix)
    return [min(radix - 1, (n - 1) // distance) for distance in distances[:-1]]
