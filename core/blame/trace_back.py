"""When no single edit repairs a lane: follow one wrong place back to the step where its contents went wrong.

A doubled contribution is followed back to the addition that doubled it. A missing one is followed back through copies
to the place where they took their contents from; if that place had the contribution before, the COPY that destroyed
it is to blame, and otherwise nothing ever brought it there.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from core.lanes import Lane, Move, states
from core.schedule import COPY


@dataclass(frozen=True)
class Origin:
    """Where a wrong place went wrong."""

    kind: str  # a key of core.blame.report.KINDS
    step: int  # for a missing hop, the last step
    node: int
    moves: tuple[Move, ...]  # to blame; none for a missing hop
    missing: int = 0  # bits
    doubled: int = 0  # bits
    extra: int = 0  # bits


@dataclass(frozen=True, eq=False)
class History:
    """One step of a lane: what every node held before it, and who wrote it."""

    step: int
    once: list[int]
    twice: list[int]
    writers: dict[int, list[Move]]


def origins(lane: Lane, wrong: dict[int, tuple[int, int]], num_steps: int) -> list[Origin]:
    """One Origin for each wrong node (node -> missing bits, bits too many), the earliest first."""
    past, twice = _history(lane)
    found = []
    for node, (missing, extra) in wrong.items():
        if doubled := twice[node]:
            found.append(_doubled(past, node, doubled))
        elif extra:
            found.append(_foreign(past, node, extra))
        else:
            found.append(_missing(past, node, missing, num_steps))
    return sorted(found, key=lambda origin: origin.step)


def _history(lane: Lane) -> tuple[list[History], list[int]]:
    """The steps of a lane, and what is doubled at the end."""
    by_step = {step: list(group) for step, group in groupby(lane.moves, key=lambda move: move.step)}
    past = []
    for step, once, twice in states(lane, lane.moves):
        writers: dict[int, list[Move]] = {}
        for move in by_step.get(step, ()):
            writers.setdefault(move.dst, []).append(move)
        past.append(History(step, list(once), list(twice), writers))
    return past[:-1], past[-1].twice


def _doubled(past: list[History], node: int, bits: int) -> Origin:
    bit = bits & -bits  # follow one contribution
    for before in reversed(past):
        bringing = [move for move in before.writers.get(node, ()) if before.once[move.src] & bit]
        already = [move for move in bringing if before.twice[move.src] & bit]
        if already:
            node = already[0].src
        elif bringing and not before.twice[node] & bit:
            return Origin("double addition", before.step, node, tuple(bringing), doubled=bits)
    raise AssertionError("a contribution is doubled, but no addition doubled it")


def _foreign(past: list[History], node: int, bits: int) -> Origin:
    """Contributions to another chunk: the last transfers that brought them."""
    for before in reversed(past):
        bringing = [move for move in before.writers.get(node, ()) if before.once[move.src] & bits]
        if bringing:
            return Origin("wrong chunk", before.step, node, tuple(bringing), extra=bits)
    raise AssertionError("a contribution is at a wrong place, but no transfer brought it there")


def _missing(past: list[History], node: int, bits: int, num_steps: int) -> Origin:
    for before in reversed(past):
        copies = [move for move in before.writers.get(node, ()) if move.op == COPY]
        if copies:
            if lost := before.once[node] & ~before.once[copies[0].src] & bits:
                return Origin("overwritten too early", before.step, node, (copies[0],), missing=lost)
            node = copies[0].src
    return Origin("missing hop", max(num_steps - 1, 0), node, (), missing=bits)
