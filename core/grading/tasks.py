"""Make exercises from a schedule that works: blank out a step, or break one transfer so that it verifiably fails."""

from __future__ import annotations

import random

from core.collective import ALL_REDUCE, Collective
from core.edits import Edit, dropped, edited, flipped, reversed_, shifted
from core.grading.exercise import Exercise
from core.grading.text import Shape, show
from core.schedule import Schedule
from core.verify import verify

NAMES = {  # what the second hint says of each kind of mistake
    "drop": "one transfer is missing",
    "flip": "one transfer adds (+) where it should overwrite (=), or the other way round",
    "reverse": "one transfer runs in the wrong direction",
    "shift": "one transfer carries the wrong chunk",
}
READS = "All transfers of a step read before any of them writes."


def shape_of(schedule: Schedule) -> Shape:
    return Shape(schedule.world_size, schedule.num_chunks, schedule.num_buffers)


def fill(schedule: Schedule, seed: int, collective: Collective = ALL_REDUCE) -> Exercise:
    """One step of the schedule is blank. The same seed gives the same exercise."""
    step = random.Random(seed).randrange(schedule.num_steps)
    lines = show(schedule).splitlines()
    blank, missing = f"{step + 1}: ", lines[step]
    first = missing.split(": ", 1)[1].split(";")[0]
    return Exercise(
        kind="fill",
        statement=f"Step {step + 1} is blank. Write it, so that every rank ends with the complete sum. {READS}",
        text="\n".join([*lines[:step], blank, *lines[step + 1 :]]),
        shape=shape_of(schedule),
        hints=(
            "Look at the step before and the step after: who has received what just now?"
            if 0 < step < schedule.num_steps - 1
            else "Look at the step beside it: the pattern goes on.",
            f"The first transfer is {first.strip()}",
            f"The whole line is `{missing}`",
        ),
        seed=seed,
        phases=schedule.phases,
        collective=collective,
    )


def repair(schedule: Schedule, seed: int, collective: Collective = ALL_REDUCE) -> Exercise:
    """One transfer of the schedule is wrong, and the proof says that it matters. Same seed, same exercise."""
    edit, broken = mutant(schedule, seed, collective)
    report = verify(broken, collective)
    step = int(schedule.step_of[edit.row])
    return Exercise(
        kind="repair",
        statement=(
            f"One transfer of this {schedule.name.replace('_', ' ')} is wrong. Mend the text so that every rank ends "
            f"with the complete sum: any schedule that the proof accepts will do. {READS}"
        ),
        text=show(broken).rstrip("\n"),
        shape=shape_of(schedule),
        hints=(
            f"Where: {report.sentence}",
            f"What kind: in step {step + 1}, {NAMES[edit.kind]}.",
            f"The line was `{show(schedule).splitlines()[step]}`",
        ),
        seed=seed,
        phases=schedule.phases,
        collective=collective,
    )


def mutant(schedule: Schedule, seed: int, collective: Collective = ALL_REDUCE) -> tuple[Edit, Schedule]:
    """A random single mistake that makes the schedule wrong, and the schedule with it."""
    rng = random.Random(seed)
    for _ in range(200):
        row = rng.randrange(schedule.num_transfers)
        edit = _mistake(schedule, rng, row)
        broken = edited(schedule, edit)
        if not verify(broken, collective).right:
            return edit, broken
    raise ValueError(f"{schedule.name} on {schedule.world_size} ranks: no single mistake was found that breaks it")


def _mistake(schedule: Schedule, rng: random.Random, row: int) -> Edit:
    kind = rng.choice(sorted(NAMES))
    if kind == "shift":
        room = schedule.num_slots - int(schedule.count[row]) - int(schedule.chunk[row])
        by = 1 if room > 0 else -1
        return shifted(schedule, row, by) if room > 0 or schedule.chunk[row] > 0 else dropped(schedule, row)
    return {"drop": dropped, "flip": flipped, "reverse": reversed_}[kind](schedule, row)


def build(statement: str, shape: Shape, hints: tuple[str, ...], collective: Collective = ALL_REDUCE) -> Exercise:
    """Nothing is given but the first number."""
    return Exercise("build", f"{statement} {READS}", "1: ", shape, hints, seed=0, collective=collective)
