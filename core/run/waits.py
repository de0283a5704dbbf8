"""Which waits a sender really needs where ranks read each other's memory.

A message has to be awaited by its sender in any case. A piece that is only read where it lies has not: its sender must
know that it was taken before it writes there again, and no sooner. So every `sent` is put off until then, and left out
where something else already says so: a vertex takes all pieces of a step before it offers or takes one of a later step.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict, deque
from collections.abc import Iterator

from core.run.plan import Instruction, Piece, Span

USES = ("reduce", "copy")
WRITES = (*USES, "fill", "divide")


def thinned(instructions: tuple[Instruction, ...], cut: list[Piece]) -> Iterator[Instruction]:
    """The same program for shared memory, with as few and as late waits of the kind `sent` as are safe."""
    places = defaultdict(list)  # piece -> where its receiver writes because of it
    for do, number, target, _ in instructions:
        if do in (*USES, "receive") and target.area == "data":
            places[number].append(target)
    owed = Owed()
    for instruction in instructions:
        do, number, target, _ = instruction
        if do == "sent":
            continue
        if do == "arrived":  # the other waits come before it, so that the piece can be used from where it lies
            owed.forget(cut[number].src, before=cut[number].step)
            yield from owed.under(places[number], before=cut[number].step)
        elif do in WRITES:
            yield from owed.under([target])
        yield instruction
        if do == "send":
            owed.add(cut[number])
    yield from owed.rest()


class Owed:
    """Pieces that one vertex has offered and that, for all it knows, nobody has taken yet."""

    def __init__(self):
        self.open: set[int] = set()
        self.by_receiver = defaultdict(deque)  # in the order of the steps
        self.by_place: list[tuple[int, Piece]] = []  # by first element; those no longer open stay
        self.longest = 0

    def add(self, piece: Piece) -> None:
        self.open.add(piece.number)
        self.by_receiver[piece.dst].append(piece)
        insort(self.by_place, (piece.first, piece))
        self.longest = max(self.longest, piece.last - piece.first)

    def under(self, places: list[Span], before: int | None = None) -> Iterator[Instruction]:
        """Wait for those that lie where something is about to be written, of steps before `before` only."""
        found = {piece for place in places for piece in self._touching(place)}
        for piece in sorted(found, key=lambda piece: (-piece.step, piece.number)):  # the last one stands for others
            if piece.number in self.open and (before is None or piece.step < before):
                yield self._awaited(piece)

    def forget(self, receiver: int, before: int) -> None:
        """All that went to this receiver in steps before `before` has been taken."""
        pieces = self.by_receiver[receiver]
        while pieces and pieces[0].step < before:
            self.open.discard(pieces.popleft().number)

    def rest(self) -> Iterator[Instruction]:
        """Wait for everything: the run is over."""
        for pieces in self.by_receiver.values():
            for piece in reversed(list(pieces)):
                if piece.number in self.open:
                    yield self._awaited(piece)

    def _touching(self, place: Span) -> Iterator[Piece]:
        """Those that share elements with this place, and perhaps some that are no longer open."""
        begin = bisect_left(self.by_place, (place.first - self.longest,))
        end = bisect_left(self.by_place, (place.last,))
        return (piece for _, piece in self.by_place[begin:end] if piece.last > place.first)

    def _awaited(self, piece: Piece) -> Instruction:
        self.open.discard(piece.number)
        self.forget(piece.dst, before=piece.step)
        return Instruction("sent", piece.number)
