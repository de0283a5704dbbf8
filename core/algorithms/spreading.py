"""Trees that reach twice as many ranks in each step: binomial ones, and Bine trees, whose partners are Swing's."""

from __future__ import annotations

import numpy as np

from core.algorithms import trees
from core.algorithms.base import Option
from core.algorithms.folds import rounds
from core.algorithms.swing import peers

TREE = Option(
    "binomial",
    "binomial: partners 1, 2, 4, 8 ranks away; bine: 1, 1, 3, 5 ranks away, to either side.",
    ("binomial", "bine"),
)
ORDER = Option("far", "Seen from the root: whether the far partners come first or the near ones.", ("far", "near"))


def refuse(n: int, tree: str, **_) -> str:
    """Why this tree cannot have n ranks, or ""."""
    return (
        f"a Bine tree needs an even number of ranks: choose {n - 1} or {n + 1}"
        if tree == "bine" and n % 2 and n > 1
        else ""
    )


def levels(n: int, tree: str, order: str) -> trees.Levels:
    """The levels of the tree with its root at rank 0."""
    if tree == "binomial":
        return trees.binomial(n) if order == "far" else trees.binomial_near(n)
    steps = range(rounds(n)) if order == "near" else reversed(range(rounds(n)))
    return who_tells_whom(n, [peers(n, step) for step in steps])


def who_tells_whom(n: int, partners: list[np.ndarray]) -> trees.Levels:
    """The tree by which news spreads from rank 0 when, in each step, everyone tells their partner of that step."""
    informed, found = np.arange(n) == 0, []
    for partner in partners:
        child = np.flatnonzero(~informed & informed[partner])
        found.insert(0, (child, partner[child]))
        informed[child] = True
    return found


def below(n: int, found: trees.Levels) -> np.ndarray:
    """bool [n, n]: row r has True for rank r and everyone below it in the tree."""
    family = np.eye(n, dtype=bool)
    for child, parent in found:
        np.logical_or.at(family, parent, family[child])
    return family


def family_sizes(n: int, found: trees.Levels) -> np.ndarray:
    """int64 [n]: how many ranks are in the family of each, itself included."""
    size = np.ones(n, np.int64)
    for child, parent in found:
        np.add.at(size, parent, size[child])
    return size
