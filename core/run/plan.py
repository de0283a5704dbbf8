"""Turn a schedule into one list of instructions per vertex: the program that every way of running it carries out.

    receive   say where a piece will arrive (post it)        send     offer a piece to its receiver (post it)
    arrived   wait until it is here                          sent     wait until its buffer may be written again
    reduce    add from the staging area to the data          copy     move from the staging area to the data
    fill      forget what the last run left behind           divide   turn the sum into an average

A piece is one stretch of neighbouring elements on its way from one vertex to another. Dangers that this file removes:

1. A step sends what it also changes (recursive doubling): wait for those sends before the first change.
2. Several pieces arrive for one place in one step (trees, direct): each has its own slot in the staging area, and
   they are added in the order of the schedule, so that the sum has the very bits that core.replay predicts.
3. Pieces of one message, or of steps that overlap, must not be mistaken for each other: every piece has a number.
4. A piece may arrive where it is needed only if nobody reads or writes that place in the same step.
5. Empty chunks (fewer elements than chunks) are left out on both sides.
6. Receiving may be the receiver's work (threads): all `arrived` of a step come before the first `sent`.
7. A switch and a scratch buffer start each run empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from core.chunks import slot_bounds
from core.schedule import REDUCE, Schedule, Step

LINE = 64  # bytes: slots of the staging area start at a cache line of their own


class Span(NamedTuple):
    """Elements first .. last-1 of one of the two areas that a vertex has."""

    area: str  # "data" or "staging"
    first: int
    last: int


class Write(NamedTuple):
    """What the receiver does with elements of a piece."""

    row: int  # the transfer that says so
    offset: int  # first element, counted in the piece
    target: int  # first element, counted in the receiver's data
    size: int
    op: int  # REDUCE or COPY


class Piece(NamedTuple):
    number: int  # its place in the schedule: the tag
    step: int
    src: int
    dst: int
    first: int  # elements first .. last-1 of the sender's data
    last: int
    writes: tuple[Write, ...]


class Instruction(NamedTuple):
    do: str
    piece: int = -1  # a Piece's number
    target: Span | None = None
    source: Span | None = None


@dataclass(frozen=True, eq=False)
class Program:
    """What one vertex does, from the first instruction to the last."""

    vertex: int
    instructions: tuple[Instruction, ...]
    num_elements: int  # of the data area, scratch buffers included
    num_staging: int  # elements of the staging area


def programs(schedule: Schedule, cut: list[Piece], num_elements: int, op: str, itemsize: int) -> list[Program]:
    """The program of every vertex; `cut` comes from pieces()."""
    return [program(schedule, v, cut, num_elements, op, itemsize) for v in range(schedule.num_vertices)]


def program(schedule: Schedule, vertex: int, cut: list[Piece], num_elements: int, op: str, itemsize: int) -> Program:
    """The program of one vertex, on buffers of num_elements elements of itemsize bytes each."""
    is_rank, everything = vertex < schedule.world_size, num_elements * schedule.num_buffers
    forget = Span("data", num_elements if is_rank else 0, everything)
    instructions = [Instruction("fill", target=forget)] if forget.first < forget.last else []
    room, line = 0, max(1, LINE // itemsize)
    mine = [piece for piece in cut if vertex in (piece.src, piece.dst)]
    for _, together in groupby(mine, attrgetter("step")):
        step = list(together)
        incoming = [piece for piece in step if piece.dst == vertex]
        slots = _slots(incoming, line)
        room = max(room, max((slot.last for slot in slots.values()), default=0))
        outgoing = sorted(
            (piece for piece in step if piece.src == vertex), key=lambda p: (p.dst - vertex) % schedule.num_vertices
        )  # everyone starts with another neighbour
        instructions += _step(incoming, outgoing, slots)
    if op == "avg" and is_rank and num_elements:
        instructions.append(Instruction("divide", target=Span("data", 0, num_elements)))
    return Program(vertex, tuple(instructions), everything, room)


def _slots(incoming: list[Piece], line: int) -> dict[int, Span]:
    """A place in the staging area for every piece of one step, each starting at a cache line."""
    slots, place = {}, 0
    for piece in incoming:
        size = piece.last - piece.first
        slots[piece.number] = Span("staging", place, place + size)
        place += -(-size // line) * line
    return slots


def _step(incoming: list[Piece], outgoing: list[Piece], slots: dict[int, Span]) -> Iterator[Instruction]:
    straight = in_place(incoming, outgoing)
    for piece in incoming:
        yield Instruction("receive", piece.number, target=straight.get(piece.number, slots[piece.number]))
    for piece in outgoing:
        yield Instruction("send", piece.number, source=Span("data", piece.first, piece.last))
    staged = _in_order([piece for piece in incoming if piece.number not in straight])
    changed = [(write.target, write.target + write.size) for _, write in staged]
    first = [piece for piece in outgoing if _touches((piece.first, piece.last), changed)]
    waiting = [number for number, _ in staged] + list(straight)
    if first:
        yield from (Instruction("arrived", number) for number in dict.fromkeys(waiting))
        yield from (Instruction("sent", piece.number) for piece in first)
        waiting = []
    for number, write in staged:
        if number in waiting:
            yield Instruction("arrived", number)
            waiting = [other for other in waiting if other != number]
        begin = slots[number].first + write.offset
        yield Instruction(
            "reduce" if write.op == REDUCE else "copy",
            number,
            target=Span("data", write.target, write.target + write.size),
            source=Span("staging", begin, begin + write.size),
        )
    yield from (Instruction("arrived", number) for number in waiting)
    yield from (Instruction("sent", piece.number) for piece in outgoing if piece not in first)


def in_place(incoming: list[Piece], outgoing: list[Piece]) -> dict[int, Span]:
    """The places of those that may arrive where they are needed, of all that one vertex gets and sends in one step."""
    read = [(piece.first, piece.last) for piece in outgoing]
    return {piece.number: place for piece in incoming if (place := _straight(piece, incoming, read))}


def _straight(piece: Piece, incoming: list[Piece], read: list[tuple[int, int]]) -> Span | None:
    """Where the piece may arrive without a stop in the staging area, or None."""
    begin = piece.writes[0].target
    unmoved = all(w.op != REDUCE and w.target - w.offset == begin for w in piece.writes)
    if not unmoved or sum(w.size for w in piece.writes) != piece.last - piece.first:
        return None
    place = (begin, begin + piece.last - piece.first)
    others = [(w.target, w.target + w.size) for other in incoming if other is not piece for w in other.writes]
    return None if _touches(place, read) or _touches(place, others) else Span("data", *place)


def _touches(place: tuple[int, int], others: list[tuple[int, int]]) -> bool:
    return any(place[0] < last and first < place[1] for first, last in others)


def _in_order(staged: list[Piece]) -> list[tuple[int, Write]]:
    """(piece, write) in the order of the schedule; neighbours that continue each other become one."""
    merged: list[tuple[int, Write]] = []
    for number, write in sorted(((p.number, w) for p in staged for w in p.writes), key=lambda pair: pair[1].row):
        if merged and merged[-1][0] == number and _continues(merged[-1][1], write):
            last = merged[-1][1]
            merged[-1] = number, last._replace(size=last.size + write.size)
        else:
            merged.append((number, write))
    return merged


def _continues(last: Write, write: Write) -> bool:
    return write.op == last.op and (write.offset, write.target) == (last.offset + last.size, last.target + last.size)


def pieces(schedule: Schedule, num_elements: int, layout: str = "even") -> list[Piece]:
    """Every piece of the schedule, step by step. Chunks that follow each other in one message travel as one piece."""
    first, last = slot_bounds(schedule, num_elements, layout)
    cut: list[Piece] = []
    for s, step in enumerate(schedule):
        for (src, dst), rows in _messages(step, first, last, int(schedule.step_ptr[s])).items():
            for begin, end, writes in _stretches(rows):
                cut.append(Piece(len(cut), s, src, dst, begin, end, writes))
    return cut


def _messages(step: Step, first: np.ndarray, last: np.ndarray, row: int) -> dict[tuple[int, int], list]:
    """(transfer, first element, last element + 1, first element written, op) of every message of one step."""
    into = step.chunk if step.into is None else step.into
    final = step.count - 1
    begin, end, target = first[step.chunk], last[step.chunk + final], first[into]
    bent = np.flatnonzero(end - begin != last[into + final] - target)
    if len(bent):
        raise ValueError(
            f"transfer {row + bent[0]} puts a chunk where one of another size belongs: "
            "choose a number of elements that divides evenly"
        )
    found: dict[tuple[int, int], list] = {}
    columns = (step.src, step.dst, begin, end, target, step.op)
    for i, (src, dst, *rest) in enumerate(zip(*(column.tolist() for column in columns)), row):
        if rest[0] < rest[1]:
            found.setdefault((src, dst), []).append((i, *rest))
    return found


def _stretches(rows: list) -> Iterator[tuple[int, int, tuple[Write, ...]]]:
    """(first element, last element + 1, writes) of each stretch; what is delivered to two places travels once."""
    stretches: list[tuple[int, int]] = []
    home = {}  # (first element, last element + 1) -> which stretch it travels in
    for _, begin, end, _, _ in rows:
        if (begin, end) in home:
            continue
        if stretches and stretches[-1][1] == begin:
            stretches[-1] = stretches[-1][0], end
        else:
            stretches.append((begin, end))
        home[begin, end] = len(stretches) - 1
    for i, (begin, end) in enumerate(stretches):
        mine = [row for row in rows if home[row[1], row[2]] == i]
        yield begin, end, tuple(Write(r, lo - begin, to, hi - lo, op) for r, lo, hi, to, op in mine)
