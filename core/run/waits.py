"""Which waits a sender really needs where ranks read each other's memory.

A message has to be awaited by its sender in any case. A piece that is only read where it lies has not: its sender must
know that it was taken before it writes there again, and no sooner. So every `sent` is put off until then, and left out
where a piece that came meanwhile says so (see core.run.knowledge).
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator

from core.run.knowledge import Knowledge
from core.run.places import Places
from core.run.plan import Instruction, Piece, Span

USES = ("reduce", "copy")
WRITES = (*USES, "fill", "divide")


def thinned(instructions: tuple[Instruction, ...], cut: list[Piece], known: Knowledge) -> Iterator[Instruction]:
    """The same program for shared memory, with as few and as late waits of the kind `sent` as are safe."""
    places = defaultdict(list)  # piece -> where its receiver writes because of it
    for do, number, target, _ in instructions:
        if do in (*USES, "receive") and target.area == "data" and number not in known.written:
            places[number].append(target)
    owed = Owed()
    for instruction in instructions:
        do, number, target, _ = instruction
        if do == "sent":
            continue
        if do == "arrived":  # the other waits come before it, so that the piece can be used from where it lies
            piece = cut[number]
            owed.forget(known.completed[piece.step][piece.src])
            yield from owed.under(places[number], before=piece.step)
        elif do in WRITES:
            yield from owed.under([target])
        yield instruction
        if do == "send" and number not in known.written:
            owed.add(cut[number])
    yield from owed.rest()


class Owed:
    """Pieces that one vertex has offered and that, for all it knows, nobody has taken yet."""

    def __init__(self):
        self.open: set[int] = set()
        self.by_receiver = defaultdict(deque)  # in the order of the steps
        self.by_place: Places[Piece] = Places()  # those no longer open stay

    def add(self, piece: Piece) -> None:
        self.open.add(piece.number)
        self.by_receiver[piece.dst].append(piece)
        self.by_place.add(piece.first, piece.last, piece)

    def under(self, places: list[Span], before: int | None = None) -> Iterator[Instruction]:
        """Wait for those that lie where something is about to be written, of steps before `before` only."""
        found = {piece for place in places for piece in self.by_place.touching(place.first, place.last)}
        for piece in sorted(found, key=lambda piece: (-piece.step, piece.number)):  # the last one stands for others
            if piece.number in self.open and (before is None or piece.step < before):
                yield self._awaited(piece)

    def forget(self, completed) -> None:
        """`completed[v]`: all that went to vertex v in steps before that one has been taken."""
        for receiver in self.by_receiver:
            self._taken(receiver, completed[receiver])

    def rest(self) -> Iterator[Instruction]:
        """Wait for everything: the run is over."""
        for pieces in self.by_receiver.values():
            for piece in reversed(list(pieces)):
                if piece.number in self.open:
                    yield self._awaited(piece)

    def _awaited(self, piece: Piece) -> Instruction:
        self.open.discard(piece.number)
        self._taken(piece.dst, piece.step)
        return Instruction("sent", piece.number)

    def _taken(self, receiver: int, before: int) -> None:
        pieces = self.by_receiver[receiver]
        while pieces and pieces[0].step < before:
            self.open.discard(pieces.popleft().number)
