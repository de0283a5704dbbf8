"""A lesson asks before it shows; its exercises accept what is right and answer what is not."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from core.algorithms import ALGORITHMS
from core.grading.tasks import fill, repair
from core.grading.text import show
from lessons.parts.ask import read_number
from lessons.parts.links import plain
from tests.pages import LESSONS, fine, numbers, opened, texts

RING = ALGORITHMS["ring"]
GOOD = {  # answers that core computes; kept apart from the lesson, so that both must agree
    "ring-steps": "6",
    "ring-bytes": "3/2",
    "ring-owner": "next",
    "ring-dead-link": "1",
    "ring-messages": "recursive_doubling",
    "ring-travels": "chunk",
    "review-cell": "1 and 3",
    "review-max": "[9, 5]",
}


@pytest.mark.parametrize("name", LESSONS)
def test_each_reveal_waits_for_its_prediction(name):
    page = opened(name)
    declared = list(page.session_state["declared"])
    for item in declared:
        if item.kind == "reveal":
            assert item.gate in [d.id for d in declared[: declared.index(item)] if d.kind == "predict"]
    before = len(page.get("bidi_component")) + len(page.get("plotly_chart"))
    page.toggle(key="presenting").set_value(True).run()
    assert len(fine(page).get("bidi_component")) + len(page.get("plotly_chart")) > before


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_is_built_as_promised(name):
    page = opened(name)
    declared, lesson = page.session_state["declared"], page.session_state["lesson"]
    questions = [item.question for item in declared if item.question]
    assert {item.level for item in declared} >= {"responding", "changing", "constructing", "presenting"}
    assert [item.kind for item in declared[:2]] == ["review", "review"]
    assert lesson.goals
    assert all(len(meaning.split()) <= 40 for meaning in lesson.terms.values())
    embodied = {option.misconception for q in questions for option in q.options.values()}
    assert set(lesson.misconceptions) <= embodied
    assert all(option.why for q in questions for option in q.options.values())
    assert len({item.id for item in declared}) == len(declared)


@pytest.mark.parametrize("name", LESSONS)
def test_no_more_than_120_words_between_two_interactions(name):
    page = opened(name)
    page.toggle(key="presenting").set_value(True).run()
    words = 0
    for element in page.main:
        if element.type in ("markdown", "html"):
            said = re.sub(r"<style>.*?</style>|<[^>]+>", " ", str(element.value), flags=re.DOTALL)
            words += len(said.split())
            assert words <= 120, said
        elif element.type not in ("main", "flex_container", "subheader", "title"):
            words = 0


def answer(page: AppTest, question, value: str) -> AppTest:
    field = f"field {question}"
    choice = [radio for radio in page.radio if radio.key == field]
    (choice[0] if choice else page.text_input(key=field)).set_value(value)
    return fine(page.button(key=f"submit {question}").click().run())


def test_a_right_answer_opens_and_explains():
    page = opened("34_ring.py")
    for question, value in GOOD.items():
        pictures = len(page.get("bidi_component")) + len(page.get("plotly_chart"))
        answer(page, question, value)
        assert page.session_state[f"answer to {question}"] is not None
        if question in ("ring-steps", "ring-owner", "ring-dead-link"):
            assert len(page.get("bidi_component")) + len(page.get("plotly_chart")) > pictures
    assert len(page.success) == len(GOOD)
    assert not page.info


def test_a_wrong_answer_opens_too_and_meets_its_own_reason():
    page = opened("34_ring.py")
    for item in page.session_state["declared"]:
        question = item.question
        if question is None:
            continue
        wrong = next(k for k in (question.options or question.traps) if k != question.answer)
        answer(page, question.id, str(wrong))
        why = question.options[wrong].why if question.options else question.traps[wrong]
        assert any(why in info.value for info in page.info)
    assert not page.success


def test_nonsense_is_no_answer():
    page = opened("34_ring.py")
    answer(page, "ring-steps", "many")
    assert "write 6, 1.5 or 3/2" in page.error[0].value
    assert "answer to ring-steps" not in page.session_state
    answer(page, "ring-steps", "")
    assert "answer to ring-steps" not in page.session_state


def test_another_try_closes_the_answer():
    page = answer(opened("34_ring.py"), "ring-steps", "4")
    fine(page.button(key="again ring-steps").click().run())
    assert "answer to ring-steps" not in page.session_state
    assert page.text_input(key="field ring-steps").value == ""


def test_the_exercise_accepts_a_repair_and_refuses_the_mistake():
    page = opened("34_ring.py")
    task = repair(RING(4), 1)
    fine(page.button(key="check ring-exercise-1").click().run())
    assert "Not right yet" in page.error[0].value
    page.text_area(key="text ring-exercise-1 1").set_value(show(ALGORITHMS["direct"](4)))
    fine(page.button(key="check ring-exercise-1").click().run())
    assert "Proved" in page.success[0].value
    page.text_area(key="text ring-exercise-1 1").set_value(task.text.replace("+", "?"))
    fine(page.button(key="check ring-exercise-1").click().run())
    assert plain("Line 1: cannot read '0->1:c3?'") in page.error[0].value


def test_what_was_written_can_be_played_right_or_wrong():
    page = opened("34_ring.py")
    fine(page.button(key="check ring-exercise-1").click().run())
    fine(page.toggle(key="ring-exercise-play").set_value(True).run())
    assert page.get("bidi_component")
    promise = "After the last hint the player marks the mistake."
    assert any(promise in text for text in texts(page))
    for _ in range(3):
        fine(page.button(key="hint ring-exercise-1").click().run())
    assert not any(promise in text for text in texts(page))
    assert page.get("bidi_component")


def test_hints_come_one_at_a_time():
    page = opened("34_ring.py")
    for given in (1, 2, 3):
        fine(page.button(key="hint ring-exercise-1").click().run())
        assert len([info for info in page.info if info.value.startswith("Hint")]) == given
    assert not [button for button in page.button if button.key == "hint ring-exercise-1"]


def test_another_variant_is_another_exercise():
    page = opened("34_ring.py")
    fine(page.number_input(key="ring-exercise-seed").set_value(7).run())
    assert page.text_area(key="text ring-exercise-1 7").value == repair(RING(4), 7).text
    page.session_state["ring-exercise-kind"] = "Fill a step"
    fine(page.run())
    assert page.text_area(key="text ring-exercise-0 7").value == fill(RING(4), 7).text


@pytest.mark.parametrize(
    ("key", "values"), [("ring.ranks", (2, 12)), ("ring.offset", (-11, 11)), ("ring.elements", (0, 1000))]
)
def test_your_own_ring_bears_extremes(key, values):
    page = opened("34_ring.py")
    for value in values:
        fine(page.number_input(key=key).set_value(value).run())
        assert numbers(page)["Wrong cells"][0].startswith("0 of")
    page.selectbox(key="ring.dead").set_value("0 to 1").run()
    assert not numbers(fine(page))["Wrong cells"][0].startswith("0 of")


@pytest.mark.parametrize(("text", "number"), [("6", 6), ("1.5", 1.5), ("1,5", 1.5), (" 3/2 ", 1.5), ("-2", -2)])
def test_numbers_are_read_as_people_write_them(text, number):
    assert read_number(text) == number


@pytest.mark.parametrize("text", ["", "x", "1/0", "1e999999999", "--2", "3/", "٣٣/٣٣x"])
def test_other_numbers_are_refused_in_a_sentence(text):
    with pytest.raises(ValueError, match="write 6"):
        read_number(text)
