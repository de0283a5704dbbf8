"""Would the ranks wait for each other for ever? What goes wrong when a right schedule is run for real, carelessly.

Every rank carries out its own list of calls. A call that blocks returns only when its partner has reached the matching
call (MPI calls this rendezvous, and does it for large messages). Ranks that all send before they receive then wait in a
circle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from core.blame.report import Report
from core.blame.words import Words
from core.schedule import Schedule

STYLES = {
    "send first": "in every step each vertex makes its sends, one after another, and then its receives",
    "receive first": "in every step each vertex makes its receives, one after another, and then its sends",
    "row order": "each vertex makes one call after another, in the order of the schedule's transfers",
    "together": "in every step each vertex starts all its calls at once, and waits until all are done (sendrecv)",
}


SHOWN = 4  # waits that a sentence tells


class Call(NamedTuple):
    do: str  # "send" or "receive"
    partner: int
    row: int = -1  # the transfer, where there is one


Program = list[list[Call]]  # calls started together; the next ones start when all of them have returned


@dataclass(frozen=True)
class Stuck:
    """Why a set of programs never ends."""

    kind: str  # "cycle of waits", or "unmatched": a partner has ended
    ranks: tuple[int, ...]  # each waits for the next one, the last for the first (or for one that has ended)
    calls: tuple[Call, ...]  # what each of them waits in


def programs(schedule: Schedule, style: str = "send first") -> list[Program]:
    """The program of every vertex, in one of STYLES."""
    if style not in STYLES:
        raise ValueError(f"unknown style {style!r}: choose one of {', '.join(STYLES)}")
    result: list[Program] = [[] for _ in range(schedule.num_vertices)]
    for first, last in zip(schedule.step_ptr.tolist(), schedule.step_ptr[1:].tolist()):
        calls: list[list[Call]] = [[] for _ in result]
        for row in range(first, last):
            src, dst = int(schedule.src[row]), int(schedule.dst[row])
            calls[src].append(Call("send", dst, row))
            calls[dst].append(Call("receive", src, row))
        for program, mine in zip(result, calls):
            program += _in_style(mine, style)
    return result


def _in_style(calls: list[Call], style: str) -> Program:
    if style == "together":
        return [calls] if calls else []
    if style != "row order":
        calls = sorted(calls, key=lambda call: call.do != style.split()[0])  # stable: rows stay in order
    return [[call] for call in calls]


def stuck(programs: Sequence[Program]) -> Stuck | None:
    """Carry out the programs, every call blocking; None if all of them end."""
    programs = [[group for group in program if group] for program in programs]
    at, open_calls = [0] * len(programs), [list(program[0]) if program else [] for program in programs]
    ready = list(range(len(programs)))
    while ready:
        rank = ready.pop()
        for call in list(open_calls[rank]):
            match = ("receive" if call.do == "send" else "send", rank)
            other = next((c for c in open_calls[call.partner] if (c.do, c.partner) == match), None)
            if other is not None:
                open_calls[rank].remove(call)
                open_calls[call.partner].remove(other)
                ready += [r for r in (rank, call.partner) if _advance(programs, at, open_calls, r)]
    waiting = {rank: calls[0] for rank, calls in enumerate(open_calls) if calls}
    return _why(waiting) if waiting else None


def _advance(programs: Sequence[Program], at: list[int], open_calls: list[list[Call]], rank: int) -> bool:
    """Start the next calls of a rank if the last ones have returned. Was there anything to start?"""
    if open_calls[rank] or at[rank] + 1 >= len(programs[rank]):
        return False
    at[rank] += 1
    open_calls[rank] = list(programs[rank][at[rank]])
    return True


def _why(waiting: dict[int, Call]) -> Stuck:
    """Follow the waits from one waiting rank until they close in a circle, or end at a rank that has finished."""
    path = [min(waiting)]
    while (partner := waiting[path[-1]].partner) in waiting and partner not in path:
        path.append(partner)
    if partner in path:
        path = path[path.index(partner) :]
        return Stuck("cycle of waits", tuple(path), tuple(waiting[rank] for rank in path))
    return Stuck("unmatched", (path[-1],), (waiting[path[-1]],))


def check_waits(schedule: Schedule, style: str = "send first") -> Report:
    """A Report: would this schedule end if every call blocked, in the given style?"""
    found = stuck(programs(schedule, style))
    if found is None:
        return Report(True, f"{schedule.name}: with blocking calls ({style}), every vertex comes to its end.")
    rows = tuple(call.row for call in found.calls)
    step = int(np.searchsorted(schedule.step_ptr, min(rows), side="right")) - 1
    return Report(False, _sentence(schedule, found, step, style), kind=found.kind, step=step, transfers=rows, faults=1)


def _sentence(schedule: Schedule, found: Stuck, step: int, style: str) -> str:
    name = Words(schedule).vertex
    waits = [
        f"{name(rank)} waits until {name(call.partner)} {'receives' if call.do == 'send' else 'sends'}"
        for rank, call in zip(found.ranks, found.calls)
    ]
    shown = ", ".join(waits[:SHOWN]) + (" and so on round the circle" if len(waits) > SHOWN else "")
    ends = "" if found.kind == "cycle of waits" else f", but {name(found.calls[-1].partner)} has come to its end"
    return f"{schedule.name}: in step {step + 1}, nothing moves any more: {shown}{ends}. The rule was: {STYLES[style]}."
