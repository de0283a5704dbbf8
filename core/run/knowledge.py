"""What every vertex knows about the others, from nothing but the pieces that it got, and what it may do because of it.

A piece of step s says that its sender has completed all steps before s, and it passes on what the sender knew then. So
a sender often knows, without asking, that a place in its receiver's memory is free: nobody will read there what was
there before. Then it may write there itself, while what it sends is still in its own cache. (The other way, the
receiver fetches it: from another processor's cache, which is slow, and after a wait.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter

import numpy as np

from core.run.places import Places
from core.run.plan import Piece, in_place


class Knowledge:
    """Of one run, for all its vertices; the same in every process.

    `completed[s][v, u]`: how many steps u has completed, for all that v knows when it begins step s (-1: u may not have
    begun). `written`: the numbers of the pieces that their senders write where they belong.
    """

    def __init__(self, cut: list[Piece], num_vertices: int):
        self.completed: dict[int, np.ndarray] = {}
        self.written: set[int] = set()
        self._seen = [Places() for _ in range(num_vertices)]  # of (vertex that reads or writes there, step)
        now = np.full((num_vertices, num_vertices), -1)
        for step, group in groupby(cut, attrgetter("step")):
            pieces = list(group)
            np.fill_diagonal(now, step)
            self.completed[step] = now
            self.written.update(piece.number for piece in self._free(pieces))
            now = now.copy()
            for src, dst in {(piece.src, piece.dst) for piece in pieces}:
                np.maximum(now[dst], self.completed[step][src], out=now[dst])
            self._note(pieces)

    def _free(self, pieces: list[Piece]) -> Iterator[Piece]:
        """Those of one step that their senders may write; not where receivers would share the work of one sender."""
        out, into = (Counter(map(attrgetter(side), pieces)) for side in ("src", "dst"))
        for dst in into:
            incoming = [piece for piece in pieces if piece.dst == dst]
            homes = in_place(incoming, [piece for piece in pieces if piece.src == dst])
            for piece in incoming:
                if piece.number in homes and out[piece.src] <= into[dst] and self._known_to_be_free(piece, homes):
                    yield piece

    def _known_to_be_free(self, piece: Piece, homes: dict) -> bool:
        known, home = self.completed[piece.step][piece.src], homes[piece.number]
        if known[piece.dst] < 0:
            return False
        return all(known[who] > step for who, step in self._seen[piece.dst].touching(home.first, home.last))

    def _note(self, pieces: list[Piece]) -> None:
        for piece in pieces:
            self._seen[piece.src].add(piece.first, piece.last, (piece.dst, piece.step))
            for write in piece.writes:
                self._seen[piece.dst].add(write.target, write.target + write.size, (piece.dst, piece.step))
