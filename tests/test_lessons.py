"""Every page opens, survives the extremes of its widgets and any address, and a lesson asks before it shows."""

import html
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.algorithms import ALGORITHMS
from core.grading.tasks import fill, repair
from core.grading.text import show
from core.machines import MACHINES
from core.run.sweep import to_json
from core.trace import lockstep, save
from lessons.parts.ask import read_number
from lessons.parts.facts import ORIGINS, Fact
from lessons.parts.links import parse_size, plain
from tests.sweeps import ABOUT

ROOT = Path(__file__).parents[1]
PAGES = sorted(path.name for path in (ROOT / "lessons").glob("[0-9]*.py"))
LESSONS = [name for name in PAGES if (ROOT / "lessons" / name).read_text(encoding="utf-8").startswith('"""Course: ')]
START = "10_explore.py"
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


def opened(name: str = START, **query: str) -> AppTest:
    """The page, as somebody with this link sees it."""
    page = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    if name != START:
        page.run().switch_page(f"lessons/{name}")
    for key, value in query.items():
        page.query_params[key] = value
    return fine(page.run())


def fine(page: AppTest) -> AppTest:
    assert [e.message for e in page.exception] == []
    assert "help_info" not in {element.type for element in page.main}, "an expression statement dumped its help"
    return page


def texts(page: AppTest) -> list[str]:
    """Everything a page says in words."""
    kinds = (page.markdown, page.caption, page.error, page.warning, page.info, page.success, page.get("html"))
    return [str(element.value) for kind in kinds for element in kind]


def numbers(page: AppTest) -> dict[str, tuple[str, str]]:
    """{label: (value, small print)} of the rows of facts."""
    found = re.findall(r"<dt>(.*?)</dt><dd>(.*?)<small>(.*?)</small>", " ".join(e.value for e in page.get("html")))
    return {html.unescape(label): (html.unescape(value), html.unescape(small)) for label, value, small in found}


@pytest.mark.parametrize("name", PAGES)
def test_every_page_opens_and_opens_again(name):
    page = opened(name)
    assert texts(page)
    fine(page.run())


@pytest.mark.parametrize("name", PAGES)
def test_the_first_line_names_section_and_title(name):
    first = (ROOT / "lessons" / name).read_text(encoding="utf-8").splitlines()[0]
    assert re.fullmatch(r'"""(Lab|Course): \S.*', first)
    assert ("Lab" in first) == (int(name[:2]) < 30)


def test_the_start_page_is_explore_and_says_what_to_do_first():
    page = opened()
    assert any("Press ▶" in text for text in texts(page))
    assert page.get("bidi_component"), "no player"
    assert {page.selectbox(key="explore.algorithm").value, page.number_input(key="explore.ranks").value} == {"ring", 8}


def test_explore_counts_the_ring():
    shown = numbers(opened())
    assert shown["Steps"] == ("14", "counted")
    assert shown["Messages per rank"][0] == "14"
    assert shown["Sent per rank"][0] == "112 MiB"
    assert "100 % of the least" in shown["Sent per rank"][1]
    assert shown["Time"][0] == "2.42 ms"
    assert shown["Result"] == ("right", "proved")


@pytest.mark.parametrize("name", ["10_explore.py", "12_compare.py", "34_ring.py"])
def test_every_number_says_where_it_comes_from(name):
    page = opened(name)
    if name == "34_ring.py":
        page.toggle(key="presenting").set_value(True).run()
    shown = numbers(page)
    assert all(small.split(",")[0] in ORIGINS for _, small in shown.values())
    tables = re.findall(r"<caption>(.*?)</caption>", " ".join(e.value for e in page.get("html")))
    assert shown or tables
    assert all(any(origin in caption.lower() for origin in ORIGINS) for caption in tables)


def test_a_number_without_origin_cannot_be_shown():
    with pytest.raises(ValueError, match="say one of"):
        Fact("Steps", "14", "")


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"ranks": "0"}, "whole number of ranks"),
        ({"ranks": "-3"}, "whole number of ranks"),
        ({"ranks": "1000000000"}, "this page takes 1 to 1,024"),
        ({"ranks": "1e400"}, "it must be a whole number"),
        ({"ranks": "9" * 30}, "beyond every limit"),
        ({"ranks": "eight"}, "it must be a whole number"),
        ({"algorithm": "rign"}, "did you mean ring?"),
        ({"size": "-5"}, "0 to 1 PiB"),
        ({"size": "lots"}, "cannot read"),
        ({"size": "9" * 20 + " elements"}, "not a size"),
        ({"machine": "abacus"}, "not one of the choices"),
        ({"offset": "99999"}, "it must be -1024 to 1024"),
        ({"algorithm": "hierarchical", "ranks": "7", "ranks_per_node": "4"}, "7 ranks do not"),
        ({"algorithm": "chain", "num_segments": "4096", "ranks": "1024"}, "Choose fewer ranks or segments"),
    ],
)
@pytest.mark.parametrize("name", ["10_explore.py", "12_compare.py"])
def test_a_wrong_address_ends_in_a_sentence(name, query, says):
    assert any(says in text for text in texts(opened(name, **query)))


@pytest.mark.parametrize(
    ("name", "query", "says"),
    [
        ("12_compare.py", {"also": ",".join(list(ALGORITHMS)[:9])}, "no more than 8 can be chosen"),
        ("20_sweep.py", {"algorithms": ",".join(list(ALGORITHMS)[:7])}, "no more than 6 can be chosen"),
        ("20_sweep.py", {"ranks": "-5"}, "it must be 2 or more"),
        ("20_sweep.py", {"ranks": "99"}, "it must be 32 or less"),
    ],
)
def test_a_link_beyond_the_limits_of_a_widget_ends_in_a_sentence(name, query, says):
    assert any(says in text for text in texts(opened(name, **query)))


@pytest.mark.parametrize(
    "query",
    [
        {"algorithm": "sharp", "ranks": "16", "radix": "2", "num_segments": "3", "size": "1 GiB"},
        {"algorithm": "ring", "ranks": "5", "offset": "0", "direction": "-1", "machine": "NVLink 4"},
        {"algorithm": "ring_all_gather", "ranks": "6", "size": "10 elements"},
        {"machine": "my own numbers", "alpha": "2.0", "bandwidth": "10.0", "reducing": "40.0"},
    ],
)
def test_a_link_brings_back_what_was_seen(query):
    page = opened("10_explore.py", **query)
    assert not page.warning
    defaults = {"algorithm": "ring"}
    assert dict(page.query_params) == {name: value for name, value in query.items() if defaults.get(name) != value}
    again = opened("10_explore.py", **dict(page.query_params))
    assert numbers(again) == numbers(page)


def test_defaults_stay_out_of_the_address_and_choices_go_in():
    page = opened()
    assert dict(page.query_params) == {}
    page.number_input(key="explore.ranks").set_value(12).run()
    assert page.query_params["ranks"] == "12"
    page.number_input(key="explore.ranks").set_value(8).run()
    assert "ranks" not in page.query_params


def test_the_browsers_back_button_is_followed(monkeypatch):
    page = opened()
    page.number_input(key="explore.ranks").set_value(12).run()
    del page.query_params["ranks"]  # an address that the browser has not updated yet
    page.text_input(key="explore.size").set_value("1 KiB").run()
    assert page.number_input(key="explore.ranks").value == 12
    monkeypatch.setattr("lessons.parts.links.SETTLED", -1.0)
    page.query_params["ranks"] = "5"
    assert page.run().number_input(key="explore.ranks").value == 5
    del page.query_params["ranks"]
    assert page.run().number_input(key="explore.ranks").value == 8


def test_options_of_one_algorithm_do_not_haunt_the_next():
    page = opened("10_explore.py", algorithm="sharp", radix="64")
    page.selectbox(key="explore.algorithm").set_value("knomial_tree").run()
    assert not page.warning
    assert (
        page.number_input(key="explore.knomial_tree.radix").value == ALGORITHMS["knomial_tree"].options["radix"].default
    )


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_can_be_explored_with_every_choice(name):
    page = opened("10_explore.py", algorithm=name)
    assert not page.error
    assert numbers(page)["Result"][0] == "right"
    for option, it in ALGORITHMS[name].options.items():
        key = f"explore.{name}.{option}"
        if it.choices:
            for choice in it.choices:
                fine(page.selectbox(key=key).set_value(choice).run())
            continue
        field = page.number_input(key=key)
        assert (field.min, field.max, field.help) == (it.low, it.high, it.help)
        for value in (it.low, it.high, it.default):
            fine(page.number_input(key=key).set_value(value).run())


@pytest.mark.parametrize("ranks", [1, 2, 3, 33])
def test_every_tab_opens(ranks):
    page = opened("10_explore.py", ranks=str(ranks))
    for tab in ("The idea", "Who has what", "Cost", "Source code", "Take it with you"):
        page.session_state["explore.more"] = tab
        fine(page.run())
        assert not page.error


def test_the_source_shown_is_the_algorithms_own():
    page = opened()
    page.session_state["explore.more"] = "Source code"
    assert page.run().code[0].value == RING.source


def test_the_start_page_loads_nothing_heavy():
    script = (
        "import sys\nfrom streamlit.testing.v1 import AppTest\n"
        "page = AppTest.from_file('app.py', default_timeout=60).run()\nassert not page.exception\n"
        "print({'torch', 'mpi4py', 'pandas', 'plotly.express', 'networkx'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert run.stdout.strip() == "set()", run.stderr[-500:]


def test_a_thousand_ranks_can_be_explored():
    page = opened("10_explore.py", algorithm="halving_doubling", ranks="1024")
    assert numbers(page)["Steps"][0] == "20"


def test_compare_names_the_crossover():
    page = opened("12_compare.py", also="binomial_tree,direct")
    said = " ".join(texts(page))
    assert "Below **2.1 MiB** recursive_doubling is faster, above it ring." in said
    assert len(page.get("plotly_chart")) == 2


@pytest.mark.parametrize(
    "query",
    [
        {"ranks": "1"},
        {"ranks": "7", "also": "hierarchical,sharp"},
        {"vs_algorithm": "sharp", "vs_radix": "2", "size": "0"},
        {"also": "nonsense"},
        {"play": "second"},
        {"vs_algorithm": "ring"},
    ],
)
def test_compare_bears_odd_pairs(query):
    page = opened("12_compare.py", **query)
    assert not page.error


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


def test_what_others_wrote_becomes_no_link():
    page = opened(size="[free](http://a.b)")
    assert r"\[free\](http\://a.b" in page.error[0].value
    assert plain("0->1:c0+ `x` $y$ [z]") == r"0-\>1\:c0+ \`x\` \$y\$ \[z\]"


def test_sizes_may_be_elements():
    assert parse_size("10 elements") == parse_size("10element") == 40
    assert parse_size("1K") == 1024


@pytest.mark.parametrize(
    "about", [{}, {"median": 1e308, "foreign": 10**400, "command": "x" * 10**6, "machine": [], "clock": {"kind": {}}}]
)
def test_a_trace_file_is_played_whatever_it_says_about_itself(about):
    trace = lockstep(RING(4), 1 << 20, MACHINES["NVLink 4"])
    data = save(replace(trace, about=about))
    page = opened("18_live.py", backend="threads")
    page = fine(page.file_uploader(key="live.file").upload("x.arl", data, "application/octet-stream").run())
    assert numbers(page)["Length of this run"][1].startswith("formula")
    assert max(map(len, texts(page))) < 20_000


def test_a_sweep_file_brings_no_picture_from_elsewhere():
    label = "![x](http://elsewhere/x.png)"
    row = dict.fromkeys(("nbytes", "median", "best", "worst", "algbw", "busbw"), 8) | {"label": label}
    text = to_json({"rows": [row], "about": ABOUT})
    page = opened("20_sweep.py", backend="threads")
    page = fine(page.file_uploader(key="sweep.file").upload("x.json", text.encode(), "application/json").run())
    tables = [element.value for element in page.get("html")]  # no Markdown there: an exclamation mark stays one
    assert any(plain(label) in text for text in texts(page))
    assert not any(label in text for text in texts(page) if text not in tables)
    assert not any("<img" in text for text in tables)
