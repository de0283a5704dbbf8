"""The catalogue's numbers are counted, its names belong to algorithms, and its page opens with every collective."""

import csv
import io
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from core.algorithms import ALGORITHMS, by_collective
from core.catalogue import COLUMNS, entries, restriction, to_csv
from core.collective import ALL_GATHER, ALL_REDUCE, ALL_TO_ALL, BARRIER, COLLECTIVES
from core.names import HEADS, NAMES, NONE

PAGE = Path(__file__).parents[1] / "lessons" / "14_catalogue.py"


def row_of(name, collective=ALL_REDUCE, world_size=8, size=800):
    return next(row for row in entries(collective, world_size, size) if row.name == name)


def test_counts_what_the_textbook_says():
    ring = row_of("ring")
    assert (ring.steps, ring.messages, ring.sent, ring.nbytes, ring.total, ring.added) == (
        14,
        14,
        1.75,
        1400,
        14,
        0.875,
    )
    sharp = row_of("sharp")
    assert (sharp.sent, sharp.added) == (1, 0)
    assert row_of("pairwise_all_to_all", ALL_TO_ALL).sent == pytest.approx(7 / 8)
    assert row_of("dissemination_barrier", BARRIER).nbytes == 0


def test_says_which_numbers_of_ranks_are_possible():
    assert restriction(ALGORITHMS["ring"], {}) == "any"
    assert restriction(ALGORITHMS["recursive_doubling_all_gather"], {}) == "powers of two"
    assert restriction(ALGORITHMS["neighbour_exchange_all_gather"], {}) == "1 and multiples of 2"
    assert restriction(ALGORITHMS["hierarchical"], {"ranks_per_node": 3}) == "multiples of 3"


def test_a_refusal_is_told_and_not_counted():
    row = row_of("recursive_doubling_all_gather", ALL_GATHER, world_size=6)
    assert "power of two" in row.refusal
    assert row.steps is None


@pytest.mark.parametrize("name", COLLECTIVES)
def test_there_is_a_row_for_every_option(name):
    rows = entries(COLLECTIVES[name], 4, every_option=True)
    assert len(rows) == sum(len(one.variants) for one in by_collective()[name])
    assert len({(row.name, *row.options.items()) for row in rows}) == len(rows)


def test_csv_reads_back():
    rows = entries(ALL_REDUCE, 5, 1000)
    read = list(csv.DictReader(io.StringIO(to_csv(rows))))
    assert list(read[0]) == list(COLUMNS.values())
    assert [float(line["Sent (S)"]) for line in read] == [row.sent for row in rows]
    assert [line["Used by"] for line in read] == [row.users for row in rows]


def test_every_all_reduce_has_its_names():
    assert {row.algorithm for row in NAMES} == {one.name for one in by_collective()["all-reduce"]}
    for row in NAMES:
        assert list(row._asdict()) == list(HEADS)
        assert any(name != NONE for name in row[1:]), row.algorithm


@pytest.mark.parametrize("collective", by_collective())
def test_the_page_opens_with_every_collective(collective):
    page = AppTest.from_file(PAGE, default_timeout=30)
    page.query_params["collective"] = collective
    page.query_params["every"] = "1"
    page.run()
    assert not page.exception
    frame = page.dataframe[0].value
    assert len(frame) == sum(not one.refuse(8, **o) for one in by_collective()[collective] for o in one.variants)
    for name, address in zip(frame["Algorithm"], frame["Watch"]):
        asked = {key: values[0] for key, values in parse_qs(urlsplit(address).query).items()}
        assert (asked.pop("algorithm"), asked.pop("ranks")) == (name, "8")
        assert set(asked) <= set(ALGORITHMS[name].options)
    assert "counted" in page.caption[0].value


def test_the_page_counts_for_the_ranks_asked_for():
    page = AppTest.from_file(PAGE, default_timeout=30).run()
    assert not page.exception
    page.number_input[0].set_value(6).run()
    frame = page.dataframe[0].value.set_index("Algorithm")
    assert frame.loc["ring", "Steps"] == 10
    assert len(page.table[0].value) == len(NAMES)


@pytest.mark.parametrize("ranks", ["0", "257", "1000000000"])
def test_the_page_refuses_in_words(ranks):
    page = AppTest.from_file(PAGE, default_timeout=30)
    page.query_params["ranks"] = ranks
    page.run()
    assert not page.exception
    assert "this page counts schedules for 1 to 256 ranks" in page.error[0].value
