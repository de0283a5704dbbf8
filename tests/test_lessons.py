"""Every page opens, and survives the extremes of its widgets and any address."""

import re

import pytest

from core.algorithms import ALGORITHMS
from lessons.parts.facts import ORIGINS, Fact
from tests.pages import PAGES, ROOT, fine, numbers, opened, texts


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
