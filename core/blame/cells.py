"""Turn the bit sets of a lane into what a Report says about places."""

from __future__ import annotations

from core.blame.repair import Lanes
from core.blame.report import MAX_CELLS, Cell
from core.edits import Edit
from core.lanes import Lane, Move, racing_rows, states

Sets = tuple[list[int], list[int]]  # (once, twice) of every node


def bits(number: int, world_size: int) -> tuple[int, ...]:
    """The ranks in a bit set, whatever their chunk, in order."""
    positions = (i for i, bit in enumerate(reversed(bin(number)[2:])) if bit == "1")
    return tuple(sorted({i % world_size for i in positions}))


def cell(lane: Lane, node: int, step: int, missing: int, doubled: int, extra: int) -> Cell:
    vertex, slot = lane.place(node)
    return Cell(vertex, slot, step, *(bits(number, lane.world_size) for number in (missing, doubled, extra)))


def at_the_end(lanes: Lanes, wrong: dict[int, dict[int, tuple[int, int]]]) -> tuple[Cell, ...]:
    """The wrong places at the end; `wrong` is lane -> node -> (missing bits, bits too many)."""
    found = []
    for group, nodes in wrong.items():
        lane = lanes[group]
        twice = before(lane, lane.moves, lanes.schedule.num_steps)[1] if nodes else []
        for node, (missing, extra) in nodes.items():
            found.append(cell(lane, node, lanes.schedule.num_steps, missing, twice[node], extra & ~twice[node]))
            if len(found) == MAX_CELLS:
                return tuple(found)
    return tuple(found)


def before(lane: Lane, moves: list[Move], step: int) -> Sets:
    """What every node holds at the start of `step`."""
    *_, (_, once, twice) = states(lane, [move for move in moves if move.step < step])
    return once, twice


def first_difference(lanes: Lanes, edit: Edit, first_step: int) -> Cell | None:
    """The first place, from the end of `first_step` on, that holds something else than it would after the edit."""
    for step in range(first_step + 1, lanes.schedule.num_steps + 1):
        found = [c for group in sorted(lanes.touched(edit)) for c in _differences(lanes, group, edit, step)]
        if found:
            return max(found, key=lambda c: (bool(c.missing or c.doubled), len(c.missing) + len(c.doubled)))
    return None


def _differences(lanes: Lanes, group: int, edit: Edit, step: int) -> list[Cell]:
    lane = lanes[group]
    is_once, is_twice = before(lane, lane.moves, step)
    be_once, be_twice = before(lane, lanes.after(group, edit), step)
    found = []
    for node in range(len(lane.start)):
        missing, extra = be_once[node] & ~is_once[node], is_once[node] & ~be_once[node]
        doubled = is_twice[node] & ~be_twice[node]
        if missing or doubled or extra:
            found.append(cell(lane, node, step, missing, doubled, extra & ~doubled))
    return found


def race(lanes: Lanes, groups: list[int]) -> Cell:
    """The first place that transfers race for."""
    for group in groups:
        if rows := racing_rows(lanes[group].moves):
            move = next(move for move in lanes[group].moves if move.row == rows[0])
            return Cell(*lanes[group].place(move.dst), move.step)
    raise ValueError("no transfers race")
