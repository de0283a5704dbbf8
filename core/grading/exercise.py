"""An exercise: a schedule to write or to mend as text, accepted if and only if the proof accepts it."""

from __future__ import annotations

from dataclasses import dataclass

from core.blame.report import Report
from core.collective import ALL_REDUCE, Collective
from core.grading.feedback import feedback
from core.grading.text import BadText, Shape, parse
from core.schedule import Schedule
from core.verify import verify


@dataclass(frozen=True)
class Exercise:
    kind: str  # fill, repair or build
    statement: str  # what to do, in Markdown
    text: str  # what the learner starts from
    shape: Shape
    hints: tuple[str, ...]  # where, what kind, the line
    seed: int
    phases: tuple[str, ...] = ()  # names of the steps, if there are as many
    collective: Collective = ALL_REDUCE

    @property
    def lines(self) -> int:
        return self.text.count("\n") + 1


@dataclass(frozen=True, eq=False)
class Verdict:
    accepted: bool
    message: str  # what is wrong and where, or what was proved
    schedule: Schedule | None = None  # None: the text cannot be read
    problems: tuple[tuple[int, str], ...] = ()  # (line, sentence) of what cannot be read
    report: Report | None = None  # what the proof says of it


def judge(exercise: Exercise, text: str) -> Verdict:
    """Read the text and ask the proof. Never compares with a key: every schedule that is right is accepted."""
    try:
        schedule = parse(text, exercise.shape, phases=exercise.phases)
    except BadText as problem:
        message = "\n".join(f"- Line {line}: {sentence}" for line, sentence in problem.problems)
        return Verdict(False, f"This cannot be read yet.\n{message}", problems=tuple(problem.problems))
    report = verify(schedule, exercise.collective)
    if report.right:
        done = f"{schedule.num_steps} steps and {schedule.num_transfers} transfers"
        return Verdict(True, f"Proved: every rank ends with everything exactly once, in {done}.", schedule)
    return Verdict(False, f"Not right yet. {feedback(report, schedule)}", schedule, report=report)
