"""Explore and Compare bear every algorithm, choice and size."""

import subprocess
import sys

import pytest

from core.algorithms import ALGORITHMS
from tests.pages import ROOT, fine, numbers, opened, texts

RING = ALGORITHMS["ring"]


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
