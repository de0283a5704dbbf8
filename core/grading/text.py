"""A schedule as text that people write, read and compare: one line a step.

    1: 0->1:c0+; 1->2:c1+      # rank 0 sends chunk 0 to rank 1, which adds it to its own (+)
    2: 0->1:c2-4,c7=           # chunks 2, 3, 4 and 7 in one message, which overwrite (=)
    3: 2->s0:c0+; s0->r3:c1=   # s0 is the first switch; r3 is the same as 3
    4: 0->1:c0@c8=             # chunk 0 is written where chunk 8 lives (only with a scratch buffer)

Steps are numbered from 1; a step may go over several lines with the same number. All transfers of a step read
before any of them writes. `reduce` and `copy` may stand for + and =.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.schedule import COPY, REDUCE, Schedule, send

MAX_RANKS, MAX_STEPS, MAX_TRANSFERS, MAX_CHARACTERS, MAX_PROBLEMS = 64, 4096, 200_000, 2_000_000, 20
LINE = re.compile(r"(?:step\s*)?(\d{1,6})\s*:(.*)", re.IGNORECASE)
TRANSFER = re.compile(r"([rs]?)\s?(\d{1,6})\s*->\s*([rs]?)\s?(\d{1,6})\s*:(.*)", re.IGNORECASE)
RUN = re.compile(r"c?(\d{1,6})(?:\s*-\s*c?(\d{1,6}))?(?:\s*@\s*c?(\d{1,6}))?", re.IGNORECASE)
OPS = {"+": REDUCE, "reduce": REDUCE, "=": COPY, "copy": COPY}


class BadText(ValueError):
    """`problems` lists (line number from 1, sentence) of everything that cannot be read."""

    def __init__(self, problems: list[tuple[int, str]]):
        self.problems = problems
        super().__init__("; ".join(f"line {line}: {sentence}" for line, sentence in problems))


@dataclass(frozen=True)
class Shape:
    """What the names in a text can mean."""

    world_size: int
    num_chunks: int
    num_buffers: int = 1

    @property
    def num_slots(self) -> int:
        return self.num_chunks * self.num_buffers


def parse(text: str, shape: Shape, name: str = "your schedule", phases: tuple[str, ...] = ()) -> Schedule:
    """The schedule in a text; `phases` names the steps where there are as many. Raises BadText."""
    _refuse_too_much(text, shape)
    problems: list[tuple[int, str]] = []
    steps: list[list[tuple]] = []  # [step][transfer] -> (src, dst, chunk, into, count, op)
    size = 0
    for number, line in enumerate(text.splitlines(), 1):
        try:
            size += _read_line(line.split("#")[0].strip(), shape, steps)
            if size > MAX_TRANSFERS:
                raise ValueError(f"more than {MAX_TRANSFERS:,} transfers are not read")
        except ValueError as problem:
            problems.append((number, str(problem)))
            if len(problems) == MAX_PROBLEMS or size > MAX_TRANSFERS:
                break
    if problems:
        raise BadText(problems)
    labels = phases if len(phases) == len(steps) else ("",) * len(steps)
    return Schedule.from_steps(
        (_as_step(rows, label) for rows, label in zip(steps, labels)),
        name=name,
        world_size=shape.world_size,
        num_chunks=shape.num_chunks,
        num_buffers=shape.num_buffers,
    )


def show(schedule: Schedule) -> str:
    """The text of a schedule. Rows of one message that follow each other are written together."""
    return "".join(
        f"{s}: {_show_step(step, schedule.world_size)}".rstrip() + "\n" for s, step in enumerate(schedule, 1)
    )


def _refuse_too_much(text: str, shape: Shape) -> None:
    if not 1 <= shape.world_size <= MAX_RANKS:
        raise BadText([(1, f"{shape.world_size} ranks: a text is read for 1 to {MAX_RANKS} ranks")])
    if len(text) > MAX_CHARACTERS:
        raise BadText([(1, f"the text has {len(text):,} characters: {MAX_CHARACTERS:,} are the most that is read")])


def _read_line(line: str, shape: Shape, steps: list) -> int:
    """Add the transfers of one line to `steps`; returns how many."""
    if not line:
        return 0
    found = LINE.fullmatch(line)
    if not found:
        raise ValueError(f"cannot read {line[:40]!r} (begin with the number of the step: {len(steps) + 1}: 0->1:c0+)")
    number = int(found[1])
    if not max(len(steps), 1) <= number <= len(steps) + 1:
        raise ValueError(
            f"step {number} cannot stand here: the next step is {len(steps) + 1} (an empty one is `{len(steps) + 1}:`)"
        )
    if number > MAX_STEPS:
        raise ValueError(f"more than {MAX_STEPS:,} steps are not read")
    if number > len(steps):
        steps.append([])  # even if the rest cannot be read: the lines after it are counted from here
    rows = [row for piece in found[2].split(";") if piece.strip() for row in _read_transfer(piece.strip(), shape)]
    steps[number - 1] += rows
    return len(rows)


def _read_transfer(piece: str, shape: Shape) -> list[tuple]:
    found = TRANSFER.fullmatch(piece.replace("→", "->"))
    rest = found[5].strip().lower() if found else ""
    op = next((op for op in OPS if rest.endswith(op)), "")
    runs = [RUN.fullmatch(run.strip()) for run in rest.removesuffix(op).split(",")]
    if not op or not all(runs):
        raise ValueError(f"cannot read {piece[:40]!r} (write {_suggestion(piece)})")
    src, dst = (_vertex(kind, int(digits), shape) for kind, digits in ((found[1], found[2]), (found[3], found[4])))
    if src == dst:
        raise ValueError(f"{piece[:40]!r} sends from {found[1]}{found[2]} to itself (name two different ranks)")
    return [(src, dst, *_chunks(run, shape), OPS[op]) for run in runs]


def _vertex(kind: str, number: int, shape: Shape) -> int:
    if kind.lower() == "s":
        if number >= MAX_RANKS:
            raise ValueError(f"there is no switch s{number}: switches are s0 to s{MAX_RANKS - 1}")
        return shape.world_size + number
    if number >= shape.world_size:
        raise ValueError(f"there is no rank {number}: ranks are 0 to {shape.world_size - 1}")
    return number


def _chunks(run: re.Match, shape: Shape) -> tuple[int, int, int]:
    """(first chunk, first chunk written, how many)"""
    first, last = int(run[1]), int(run[2] or run[1])
    into = int(run[3] or first)
    if last < first:
        raise ValueError(f"chunks {run[0]!r} run backwards (write c{last}-{first})")
    if max(last, into + last - first) >= shape.num_slots:
        raise ValueError(f"there is no chunk {max(last, into + last - first)}: chunks are c0 to c{shape.num_slots - 1}")
    return first, into, last - first + 1


def _suggestion(piece: str) -> str:
    """The transfer that was probably meant."""
    numbers = [number for number in re.findall(r"\d+", piece[:200]) if len(number) < 4]
    src, dst, chunk = (numbers + ["0", "1", "0"][len(numbers) :])[:3]
    return f"{src}->{dst}:c{chunk}{'=' if re.search('copy|[^-]=$', piece) else '+'}"


def _as_step(rows: list[tuple], phase: str):
    src, dst, chunk, into, count, op = zip(*rows) if rows else ((),) * 6
    return send(src, dst, chunk, count, op=op, phase=phase, into=None if into == chunk else into)


def _show_step(step, world_size: int) -> str:
    pieces: list[tuple[tuple, list[str]]] = []
    into = step.chunk if step.into is None else step.into
    for src, dst, op, chunk, place, count in zip(
        *(c.tolist() for c in (step.src, step.dst, step.op, step.chunk, into, step.count))
    ):
        run = f"c{chunk}" + (f"-{chunk + count - 1}" if count > 1 else "") + (f"@c{place}" if place != chunk else "")
        if not pieces or pieces[-1][0] != (src, dst, op):
            pieces.append(((src, dst, op), []))
        pieces[-1][1].append(run)
    return "; ".join(
        f"{_name(src, world_size)}->{_name(dst, world_size)}:{','.join(runs)}{'+' if op == REDUCE else '='}"
        for (src, dst, op), runs in pieces
    )


def _name(vertex: int, world_size: int) -> str:
    return str(vertex) if vertex < world_size else f"s{vertex - world_size}"
