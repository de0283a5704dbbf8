"""Ask before you show: predictions that gate what is revealed, explanations for every answer, exercises, reflection.

A lesson is a plain script that calls, in this order:

    begin(...)                              title, goals, switch for presenting
    review(...)                             two questions from earlier, the missed ones first
    predict(id, kind, question, answer=…)   a question before something is shown; core computes the answer
    if reveal(gate=id): ...                 what appears only after that prediction
    with explore(id): ...                   the reader's own parameters
    exercise(id, task)                      a schedule to write, judged by the proof
    reflect(id, prompt)                     a text to take away

Everything asked is written down in st.session_state["declared"], so that tests can read what a lesson declares.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from core.grading.exercise import Exercise, Verdict, judge
from core.machines import MACHINES
from core.trace import lockstep
from core.units import digits
from lessons.parts.ask import Question, ask
from lessons.parts.facts import small
from lessons.parts.links import plain
from lessons.parts.player import player

SIZE, MACHINE = 64 << 20, next(iter(MACHINES.values()))  # what learners' schedules are played with
LEVELS = ("responding", "changing", "constructing", "presenting")


@dataclass(frozen=True)
class Declared:
    """One item of a lesson, in the order of the page."""

    kind: str  # review, predict, reveal, explore, exercise or reflect
    id: str
    level: str = ""  # one of LEVELS
    gate: str = ""  # the prediction that opens it
    question: Question | None = None


@dataclass(frozen=True)
class Lesson:
    id: str
    title: str
    minutes: int
    goals: tuple[str, ...]
    terms: dict[str, str]  # {term: what it means}
    misconceptions: dict[str, str]  # {id: the mistaken belief}


def begin(lesson: Lesson) -> None:
    """The head of a lesson."""
    st.session_state["declared"] = []
    st.session_state["lesson"] = lesson
    st.title(lesson.title)
    st.markdown(f"About {lesson.minutes} minutes. Afterwards you can: {'; '.join(lesson.goals)}.")
    with st.expander("Words used here"):
        st.markdown("\n".join(f"- **{term}**: {meaning}" for term, meaning in lesson.terms.items()))
    st.toggle(
        "I am presenting: show everything",
        key="presenting",
        persist_state="session",
        help="Opens every reveal without an answer. Leave it off to learn: a guess first makes the picture stick.",
    )


def declare(item: Declared) -> None:
    st.session_state["declared"].append(item)


def review(*fallback: Question) -> None:
    """Two questions from before: those missed in this session first, then `fallback`."""
    here = st.session_state["lesson"].id
    chosen = st.session_state.setdefault(f"review of {here}", _missed_elsewhere(here))
    questions = [*chosen, *fallback][:2]
    st.subheader("Warm up", divider="gray")
    for question in questions:
        declare(Declared("review", question.id, "responding", question=question))
        ask(question)


def _missed_elsewhere(lesson: str) -> list[Question]:
    """Questions of other lessons that were answered wrongly; they are asked again, so their answers are forgotten."""
    missed = [
        question
        for question, right, of_lesson in st.session_state.get("asked", {}).values()
        if not right and of_lesson != lesson
    ]
    for question in missed[:2]:
        st.session_state.pop(f"answer to {question.id}", None)
    return missed[:2]


def predict(id: str, kind: str, question: str, *, answer, options=None, traps=None, **more) -> bool:
    """Ask before something is shown. Returns whether it has been answered."""
    asked = Question(id, kind, question, answer, options or {}, traps or {}, **more)
    declare(Declared("predict", id, "responding", question=asked))
    return ask(asked)


def reveal(gate: str) -> bool:
    """Whether to show what prediction `gate` opens; says what to do while it is closed."""
    if gate not in [item.id for item in st.session_state["declared"] if item.kind == "predict"]:
        raise ValueError(f"reveal: no prediction {gate!r} comes before it")
    declare(Declared("reveal", f"{gate} revealed", gate=gate))
    opened = f"answer to {gate}" in st.session_state or bool(st.session_state.get("presenting"))
    if not opened:
        small("Answer, and the picture appears here. A wrong guess helps as much as a right one.")
    return opened


def explore(id: str, title: str):
    """A frame for free controls: `with explore(...):`"""
    declare(Declared("explore", id, "changing"))
    st.subheader(title, divider="gray")
    return st.container()


def exercise(id: str, task: Exercise) -> Verdict | None:
    """A text field for a schedule, judged by the proof. Returns the verdict on what was handed in, if any was."""
    declare(Declared("exercise", id, "constructing"))
    st.markdown(task.statement)
    st.html(f"<style>.st-key-{id} textarea {{font-family: monospace}}</style>")
    with st.container(key=id), st.form(f"form {id}", border=False):
        text = st.text_area(
            "Your schedule", task.text, key=f"text {id} {task.seed}", height=24 * min(task.lines + 2, 20)
        )
        if st.form_submit_button("Check it", key=f"check {id}", type="primary"):
            st.session_state[f"handed in {id}"] = (task.seed, text)
    _hints(id, task)
    seed, text = st.session_state.get(f"handed in {id}", (None, ""))
    if seed != task.seed:
        return None
    verdict = judge(task, text)
    (st.success if verdict.accepted else st.error)(plain(verdict.message))
    return verdict


def ladder(id: str, tasks: dict[str, Callable[[int], Exercise]], start: str) -> None:
    """Exercises of rising difficulty, {name: what makes it from a seed}; what was written can be played."""
    which = st.segmented_control("Exercise", list(tasks), default=start, required=True, key=f"{id}-kind")
    help_text = "The same number gives everyone the same exercise."
    seed = st.number_input("Variant", 0, 9999, 1, key=f"{id}-seed", width=120, help=help_text)
    name, task = f"{id}-{list(tasks).index(which)}", tasks[which](seed)
    verdict = exercise(name, task)
    schedule = verdict.schedule if verdict else None
    if schedule and schedule.num_steps and st.toggle("Play what I wrote", key=f"{id}-play"):
        told = verdict.accepted or _rungs(name, task) >= len(task.hints)  # the marks say more than the last hint
        report, trace = verdict.report if told else None, lockstep(schedule, SIZE, MACHINE)
        player(trace, key=f"{id}-player", title="your schedule", linked=False, report=report)
        if not told:
            small("After the last hint the player marks the mistake.")


def _hints(id: str, task: Exercise) -> None:
    """One rung at a time: where, what kind, the line."""
    shown = _rungs(id, task)
    for number, hint in enumerate(task.hints[:shown], 1):
        st.info(f"Hint {number}: {hint}")
    left = len(task.hints) - shown
    if left and st.button(f"Give me a hint ({left} left)", key=f"hint {id}", type="tertiary"):
        st.session_state[f"hints {id} {task.seed}"] = shown + 1
        st.rerun()


def _rungs(id: str, task: Exercise) -> int:
    """How many hints of this exercise the reader has asked for."""
    return st.session_state.get(f"hints {id} {task.seed}", 0)


def in_the_wild(text: str) -> None:
    """Where this is met outside, with sources."""
    with st.container(border=True):
        st.markdown(f"**In the wild.** {text}")


def reflect(id: str, prompt: str) -> None:
    """A few sentences in the reader's own words, to take away with the answers given."""
    declare(Declared("reflect", id, "presenting"))
    st.subheader("In your own words", divider="gray")
    text = st.text_area(prompt, key=f"text {id}", max_chars=5000)
    st.download_button(
        "Download my notes", data=lambda: notes(text), file_name=f"{id}.md", mime="text/markdown", key=f"download {id}"
    )


def notes(text: str) -> str:
    """The reader's text and answers, as Markdown."""
    lesson, lines = st.session_state["lesson"], []
    for item in st.session_state["declared"]:
        place = f"answer to {item.id}"
        if item.question and place in st.session_state:
            value = st.session_state[place]
            said = item.question.options[value].text if item.question.kind == "choice" else digits(value)
            verdict = "right" if item.question.right(value) else "not right"
            lines.append(f"- {item.question.text} My answer: {said} ({verdict}).")
    return "\n".join([f"# {lesson.title}", "", text.strip() or "(no text)", "", "## My predictions", "", *lines, ""])
