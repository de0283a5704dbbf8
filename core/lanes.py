"""The thorough half of an exact proof: one lane at a time, with Python integers as bit sets that notice doubling.

A lane is a set of chunk slots that never exchange data with the others: one chunk, or one chunk and its scratch
copy, or more where an algorithm delivers chunks as other chunks. Its nodes are (vertex, slot) pairs. In a bit set, bit
c * world_size + rank stands for rank's input for the lane's data chunk number c.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np

from core.collective import Collective
from core.schedule import COPY, Schedule


class Move(NamedTuple):
    """What one transfer does in one lane."""

    step: int
    src: int  # node
    dst: int  # node
    op: int
    row: int  # the transfer; -1 for one that an edit puts in


@dataclass(frozen=True, eq=False)
class Lane:
    world_size: int
    chunks: tuple[int, ...]  # the lane's data chunks, in order
    slots: tuple[int, ...]  # all its slots, scratch included
    start: list[int]  # [num_nodes], the set each node starts with
    needs: dict[int, int]  # node -> the set it must end with
    moves: list[Move]

    def node(self, vertex: int, slot: int) -> int:
        return vertex * len(self.slots) + self.slots.index(slot)

    def place(self, node: int) -> tuple[int, int]:
        """(vertex, slot) of a node."""
        return node // len(self.slots), self.slots[node % len(self.slots)]


def slot_groups(schedule: Schedule) -> np.ndarray:
    """int64 [num_slots]: the lowest slot of the lane that each slot belongs to."""
    group = np.arange(schedule.num_slots)
    if not schedule.moves_chunks:
        return group
    several = np.repeat(np.arange(schedule.num_transfers), schedule.count)
    nth = np.arange(len(several)) - np.repeat(np.cumsum(schedule.count) - schedule.count, schedule.count)
    pairs = np.unique(np.stack([schedule.chunk[several] + nth, schedule.into[several] + nth]), axis=1)
    while True:  # every slot takes the lowest label among its neighbours, until nothing changes
        before = group.copy()
        np.minimum.at(group, pairs[0], group[pairs[1]])
        np.minimum.at(group, pairs[1], group[pairs[0]])
        group = group[group]
        if (group == before).all():
            return group


def lane(schedule: Schedule, collective: Collective, slots: np.ndarray) -> Lane:
    """The lane made of `slots` (as slot_groups gives them)."""
    slots, ranks = tuple(sorted(int(s) for s in slots)), schedule.world_size
    chunks = tuple(s for s in slots if s < schedule.num_chunks)
    start, needs = [0] * (schedule.num_vertices * len(slots)), {}
    rank = np.arange(ranks)
    for nth, chunk in enumerate(chunks):
        has = np.broadcast_to(collective.starts(rank[:, None], chunk, rank), (ranks, ranks))
        sets = [int.from_bytes(row, "little") << nth * ranks for row in np.packbits(has, axis=1, bitorder="little")]
        full = int.from_bytes(np.packbits(has.any(axis=0), bitorder="little"), "little") << nth * ranks
        must = np.broadcast_to(collective.needs(rank, chunk), ranks)
        at = slots.index(chunk)
        for r in range(ranks):
            start[r * len(slots) + at] = sets[r]
            if must[r]:
                needs[r * len(slots) + at] = full
    return Lane(ranks, chunks, slots, start, needs, _moves(schedule, slots))


def _moves(schedule: Schedule, slots: tuple[int, ...]) -> list[Move]:
    found, size = [], len(slots)
    for at, slot in enumerate(slots):
        rows = np.flatnonzero((schedule.chunk <= slot) & (slot < schedule.chunk + schedule.count))
        into = schedule.into[rows] + (slot - schedule.chunk[rows])
        columns = (
            np.searchsorted(schedule.step_ptr, rows, side="right") - 1,
            schedule.src[rows] * size + at,
            schedule.dst[rows] * size + np.searchsorted(slots, into),
            schedule.op[rows],
            rows,
        )
        found += map(Move._make, zip(*(c.tolist() for c in columns)))
    return sorted(found, key=lambda move: (move.step, move.row)) if size > 1 else found


def states(lane: Lane, moves: list[Move]) -> Iterator[tuple[int, list[int], list[int]]]:
    """(step, once, twice) before each step that moves something, and at the end with step -1.

    once[node] has a bit for every contribution there, twice[node] for those that are there more than once. The lists
    change from one to the next. Moves must not race.
    """
    once, twice = list(lane.start), [0] * len(lane.start)
    for step, group in groupby(moves, key=lambda move: move.step):
        yield step, once, twice
        arriving = [(move.dst, move.op, once[move.src], twice[move.src]) for move in group]
        for node, op, one, two in arriving:
            if op == COPY:
                once[node], twice[node] = one, two
            else:
                twice[node] |= two | (once[node] & one)
                once[node] |= one
    yield -1, once, twice


def racing_rows(moves: list[Move]) -> list[int]:
    """The transfers of the first race: in one step, to one node, one of them a COPY. Empty if there is none."""
    writers: dict[tuple[int, int], list[Move]] = {}
    for move in moves:
        writers.setdefault((move.step, move.dst), []).append(move)
    for group in writers.values():
        if len(group) > 1 and any(move.op == COPY for move in group):
            return [move.row for move in group]
    return []


def races(moves: list[Move]) -> bool:
    """Is a node overwritten in a step in which another move writes it?"""
    return bool(racing_rows(moves))


def wrong_nodes(lane: Lane, moves: list[Move]) -> dict[int, tuple[int, int]]:
    """node -> (missing bits, bits too many) for every node that does not end with what it needs."""
    *_, (_, once, twice) = states(lane, moves)
    wrong = {}
    for node, full in lane.needs.items():
        missing, extra = full & ~once[node], twice[node] | (once[node] & ~full)
        if missing or extra:
            wrong[node] = missing, extra
    return wrong


def is_right(lane: Lane, moves: list[Move]) -> bool:
    return not races(moves) and not wrong_nodes(lane, moves)
