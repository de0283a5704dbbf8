"""One question: how it is asked, kept, and answered with the reasons."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import streamlit as st

from core.units import digits
from lessons.parts.links import plain

NUMBER = re.compile(r"([+-]?\d{1,12}(?:[.,]\d{1,12})?)\s*(?:/\s*(\d{1,12}))?")


@dataclass(frozen=True)
class Choice:
    """One option of a choice: what it says, and why it is right or wrong."""

    text: str
    why: str
    misconception: str = ""  # the id of the mistaken belief that it stands for


@dataclass(frozen=True)
class Question:
    id: str
    kind: str  # "choice" or "number"
    text: str
    answer: object  # a key of `options`, or a number; computed by core
    options: dict[object, Choice] = field(default_factory=dict)
    traps: dict[float, str] = field(default_factory=dict)  # tempting wrong numbers, and what to say to them
    why: str = ""  # what to say after a number
    unit: str = ""
    origin: str = "counted"  # where the answer comes from

    def __post_init__(self):
        if self.kind == "choice" and (self.answer not in self.options or len(self.options) < 3):
            raise ValueError(f"question {self.id!r}: a choice needs three options or more, the answer among them")
        if self.kind == "number" and (not self.why or not self.traps or self.answer in self.traps):
            raise ValueError(f"question {self.id!r}: a number needs a why and traps that are wrong")

    def trap(self, value: float) -> str:
        """What to say to a tempting wrong number, or ""."""
        return next((say for wrong, say in self.traps.items() if abs(value - wrong) <= 0.005 * max(1, abs(wrong))), "")

    def right(self, value: object) -> bool:
        if self.kind == "choice":
            return value == self.answer
        return abs(value - self.answer) <= 0.005 * max(1.0, abs(self.answer))


def ask(question: Question) -> bool:
    """Draw a question, or its answer. The first answer stays until the reader asks for another try."""
    place = f"answer to {question.id}"
    if place in st.session_state:
        _explain(question, st.session_state[place])
        if st.button("Try again", key=f"again {question.id}", type="tertiary"):
            del st.session_state[place]
            st.rerun()
        return True
    with st.form(f"form {question.id}", border=True):
        value = _field(question)
        if st.form_submit_button("Answer", key=f"submit {question.id}") and value is not None:
            _keep(question, value)
            st.rerun()
    return False


def _field(question: Question):
    """The widget of a question; returns a value, or None while there is none."""
    if question.kind == "choice":
        return st.radio(
            question.text,
            list(question.options),
            index=None,
            format_func=lambda option: question.options[option].text,
            key=f"field {question.id}",
        )
    label = f"{question.text} (in {question.unit})" if question.unit else question.text
    text = st.text_input(label, key=f"field {question.id}", max_chars=20, width=560)
    try:
        return read_number(text) if text.strip() else None
    except ValueError as problem:
        st.error(plain(str(problem)))
        return None


def read_number(text: str) -> float:
    """1.5, 1,5 or 3/2. Raises ValueError with a sentence."""
    found = NUMBER.fullmatch(text.strip())
    below = float(found[2] or 1) if found else 0
    if not below:
        raise ValueError(f"cannot read {text.strip()[:20]!r} as a number: write 6, 1.5 or 3/2")
    return float(found[1].replace(",", ".")) / below


def _keep(question: Question, value) -> None:
    right = question.right(value)
    st.session_state[f"answer to {question.id}"] = value
    asked = st.session_state.setdefault("asked", {})
    asked.setdefault(question.id, (question, right, st.session_state["lesson"].id))  # the first answer counts


def _explain(question: Question, value) -> None:
    """Your answer beside the actual one, with the reasons."""
    right = question.right(value)
    st.markdown(f"**{question.text}**")
    show = st.success if right else st.info
    if question.kind == "number":
        unit = f" {question.unit}" if question.unit else ""
        said = "Right." if right else f"You said {digits(value)}{unit}. {question.trap(value)}".strip()
        show(f"{said} It is **{digits(question.answer)}{unit}** [{question.origin}]. {question.why}")
        return
    lines = []
    for key, option in question.options.items():
        mark = "right" if key == question.answer else "not so"
        yours = ", your answer" if key == value else ""
        lines.append(f"- **{option.text}** ({mark}{yours}): {option.why}")
    show(f"{'Right' if right else 'Not quite'} [{question.origin}].\n" + "\n".join(lines))
