"""Make exercises from a schedule that works: blank out a step, or break one transfer so that it verifiably fails."""

from __future__ import annotations

import random

from core.algorithms.ring import ring
from core.collective import ALL_REDUCE, Collective
from core.grading.exercise import Exercise
from core.grading.feedback import feedback
from core.grading.text import Shape, show
from core.mutants import Mutant, mutants
from core.schedule import Schedule
from core.verify import verify

NAMES = {  # what the second hint says of each kind of mistake
    "drop": "one transfer is missing",
    "flip": "one transfer adds (+) where it should overwrite (=), or the other way round",
    "reverse": "one transfer runs in the wrong direction",
    "shift": "one transfer carries the wrong chunk",
    "redirect": "one transfer goes to the wrong rank",
}
READS = "All transfers of a step read before any of them writes."


def shape_of(schedule: Schedule) -> Shape:
    return Shape(schedule.world_size, schedule.num_chunks, schedule.num_buffers)


def fill(schedule: Schedule, seed: int, collective: Collective = ALL_REDUCE) -> Exercise:
    """One step of the schedule is blank. The same seed gives the same exercise. Raises ValueError without steps."""
    if not schedule.num_transfers:
        raise ValueError(f"{schedule.name} on {schedule.world_size} ranks sends nothing: there is no step to blank out")
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
    broken = mutant(schedule, seed, collective)
    step = broken.original.step
    return Exercise(
        kind="repair",
        statement=(
            f"One transfer of this {schedule.name.replace('_', ' ')} is wrong. Mend the text so that every rank ends "
            f"with the complete sum: any schedule that the proof accepts will do. {READS}"
        ),
        text=show(broken.schedule).rstrip("\n"),
        shape=shape_of(schedule),
        hints=(
            f"Where: {feedback(verify(broken.schedule, collective), broken.schedule)}",
            f"What kind: in step {step + 1}, {NAMES[broken.kind]}.",
            f"The line was `{show(schedule).splitlines()[step]}`",
        ),
        seed=seed,
        phases=schedule.phases,
        collective=collective,
    )


def mutant(schedule: Schedule, seed: int, collective: Collective = ALL_REDUCE) -> Mutant:
    """A random single mistake that makes the schedule wrong: some mistakes do no harm, and those are passed over."""
    rng = random.Random(seed)
    for _ in range(200 if schedule.num_transfers else 0):
        row, kind = rng.randrange(schedule.num_transfers), rng.choice(sorted(NAMES))
        for broken in mutants(schedule, [row], [kind]):
            if not verify(broken.schedule, collective).right:
                return broken
    raise ValueError(f"{schedule.name} on {schedule.world_size} ranks: no single mistake was found that breaks it")


def build_ring(world_size: int) -> Exercise:
    """Nothing is given but the first number. The hints lead to the ring; any schedule that is right is accepted."""
    if world_size < 2:
        raise ValueError(f"{world_size} ranks: an all-reduce to write takes 2 or more")
    lines = show(ring(world_size)).splitlines()
    return Exercise(
        kind="build",
        statement=f"Write an all-reduce for {world_size} ranks and {world_size} chunks. {READS}",
        text="1: ",
        shape=Shape(world_size, world_size),
        hints=(
            f"First let every chunk collect: {world_size - 1} steps in which each adds what the one before it sends.",
            f"Step 1 may be `{lines[0]}`; then each rank goes on with the chunk that has just arrived.",
            f"Step {world_size} is `{lines[world_size - 1]}`",
        ),
        seed=0,
    )
