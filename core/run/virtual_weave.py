"""One order for the instructions of all vertices, when a single thread carries out all of their programs.

A vertex goes on until it would have to wait for somebody; then the next vertex has its turn. So what waits always
comes after what it waits for: `arrived` after the sender's `send`, `sent` after the receiver's `arrived`. On a GPU
this is the order of the launches, and a wait for an event that nobody has recorded yet would not wait at all.
"""

from __future__ import annotations

from core.run.plan import Instruction, Program

NEEDS = {"arrived": "send", "sent": "arrived"}


def weave(programs: list[Program]) -> list[tuple[int, Instruction]]:
    """(vertex, instruction) of every program, in one order. Raises ValueError for programs that wait in a circle."""
    order, done = [], set()
    place = [0] * len(programs)
    left = sum(len(program.instructions) for program in programs)
    while len(order) < left:
        before = len(order)
        for turn, program in enumerate(programs):
            for instruction in program.instructions[place[turn] :]:
                need = NEEDS.get(instruction.do)
                if need and (need, instruction.piece) not in done:
                    break
                done.add((instruction.do, instruction.piece))
                order.append((program.vertex, instruction))
                place[turn] += 1
        if len(order) == before:
            raise ValueError(f"the programs wait for each other for ever: {_stuck(programs, place)}")
    return order


def _stuck(programs: list[Program], place: list[int]) -> str:
    waiting = [(p.vertex, p.instructions[at]) for p, at in zip(programs, place) if at < len(p.instructions)]
    return "; ".join(f"vertex {vertex} waits at {i.do} of piece {i.piece}" for vertex, i in waiting)
