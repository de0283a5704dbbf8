"""The straggler page: guesses first, pictures after; and whatever a reader sets, a sentence instead of a traceback."""

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.explain import explain
from core.figures.timeline import Lateness, Panel, lateness, refuse, timelines
from core.network import simulate
from core.topologies import crossbar
from tests.pages import fine, numbers, opened, texts

PAGE, US = "16_straggler.py", 1e-6


def answer(page, question, value):
    field = next(w for w in [*page.text_input, *page.radio] if w.key == f"field {question}")
    field.set_value(value)
    fine(next(b for b in page.button if b.key == f"submit {question}").click().run())


def test_pictures_come_after_the_guesses():
    page = opened(PAGE)
    assert len(page.get("plotly_chart")) == 1  # the reader's own straggler needs no guess
    for question, value in (("straggler-tiny", "166"), ("straggler-large", "nothing"), ("straggler-flat", "all")):
        answer(page, question, value)
    assert all("Right" in box.value for box in page.success)
    assert len(page.success) == 3
    assert len(page.get("plotly_chart")) == 6
    assert numbers(page)["Rank 3 could be late for free by"] == ("276 us", "simulated, its slack")


@pytest.mark.parametrize(("value", "says"), [("66", "nothing to hide behind"), ("100", "still takes its time")])
def test_a_tempting_wrong_number_is_answered(value, says):
    page = opened(PAGE)
    answer(page, "straggler-tiny", value)
    assert says in page.info[0].value


def test_your_own_straggler():
    page = opened(PAGE, network="Crossbar", ranks="16", size="64 MB", late_by="100", late_rank="3")
    shown = numbers(page)
    assert shown["Cost"] == ("+100 us", "simulated")
    page.toggle(key="straggler.never").set_value(True)
    assert "rank 3 never enters" in " ".join(box.value for box in fine(page.run()).error)
    assert "rank 4 waits for rank 3" in " ".join(texts(page))


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"late_rank": "40"}, "late names rank 40"),
        ({"network": "DGX-1 cube mesh"}, "at most 8 ranks"),
        ({"network": "Moebius"}, "not one of the choices"),
        ({"ranks": "200", "algorithm": "halving_doubling"}, "200 lanes are too many"),
        ({"ranks": "100000"}, "this page takes 1 to 256"),
        ({"late_by": "soon"}, "whole number"),
    ],
)
def test_what_does_not_fit_gets_a_sentence(query, says):
    assert says in " ".join(texts(opened(PAGE, **query)))


def test_lanes_show_every_send_and_the_chain():
    schedule, network, late = ALGORITHMS["ring"](8), crossbar(8), {3: 50 * US}
    trace = simulate(schedule, 1e6, network, late=late)
    panel = Panel("ring", trace, explain(trace, network, late=late), late, simulate(schedule, 1e6, network).seconds)
    figure = timelines([panel])
    bars = {t.name: np.array(t.x, float).reshape(-1, 3) for t in figure.data if t.name and t.name.startswith("sends")}
    assert sum(len(bar) for bar in bars.values()) == schedule.num_transfers
    first = bars["sends what will be added"]
    np.testing.assert_allclose(first[:, 0], trace.start[: len(first)] * 1e6)
    assert (first[:, 1] <= trace.end[: len(first)] * 1e6 + 1e-6).all()
    chain = next(t for t in figure.data if t.name == "decides the end")
    assert chain.x[-1] == pytest.approx(trace.seconds * 1e6)
    assert "+50 us" in figure.layout.meta["alt"]


def test_too_many_lanes_are_refused(monkeypatch):
    wide, fits = (simulate(ALGORITHMS["ring"](n), 1e6, crossbar(n), model="ports") for n in (65, 64))
    assert "65 lanes are too many" in refuse(wide)
    assert refuse(fits) == ""
    monkeypatch.setattr("core.figures.timeline.MOST_TRANSFERS", 1000)
    assert "8064 transfers are too many" in refuse(fits)


def test_delay_against_lateness_is_told_in_words():
    figure = lateness(Lateness("Cost", [0, 1e-4], {"buffered": [0, 0], "rendezvous": [0, 1e-4]}))
    assert "buffered 0 us, rendezvous 100 us" in figure.layout.meta["alt"]
    assert [t.name for t in figure.data] == ["paid in full", "buffered", "rendezvous"]
