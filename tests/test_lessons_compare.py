"""Compare on a network: curves, the map of winners, and measured files beside what was predicted."""

import re
from dataclasses import replace

import pytest

from core.algorithms import ALGORITHMS
from core.container import BadFile
from core.machines import MACHINES
from core.run import sweep
from core.trace import lockstep, save
from lessons.parts import measured, race
from lessons.parts.simulated import AS_FORMULA
from tests.pages import alts, fine, opened, said
from tests.sweeps import ABOUT

NODES = "Nodes of GPUs with NICs"
TINY, LARGE = {"size": "0"}, {"size": "64000000"}


def test_compare_on_a_network():
    page = opened("12_compare.py", net="Fat tree, two levels", ranks="32", also="direct")
    assert not page.error
    assert "[simulated]" in said(page)
    assert [" [simulated]" in alt for alt in alts(page)] == [True, True]
    tables = " ".join(e.value for e in page.get("html"))
    assert '<th scope="col">simulated</th>' in tables
    assert "Simulated: the time on fat tree of 32" in tables


def test_a_network_is_taken_along_to_compare():
    page = opened(net="Ring", net_latency="3.0", late="2", ranks="4")
    links = {link.proto.page: link.proto.query_string for link in page.get("page_link")}
    (taken,) = [query for query in links.values() if "net=Ring" in query]
    assert "net_latency=3.0" in taken
    assert "late=2" not in taken, "Compare has no late ranks"


def test_compare_refuses_what_does_not_fit_and_shows_the_formula():
    page = opened("12_compare.py", net="DGX H100", ranks="16")
    assert "at most 8 ranks" in page.error[0].value
    assert "Below **2.1 MiB**" not in page.error[0].value
    assert "[formula]" in said(page)


def test_the_winner_map_is_worked_out_when_asked_for(monkeypatch):
    monkeypatch.setattr(race, "RANKS", (2, 4, 8))
    page = opened("12_compare.py", net=AS_FORMULA)
    assert len(alts(page)) == 2
    fine(page.button(key="compare.race.start").click().run())
    alt = alts(page)[-1]
    assert "Winners: ring in" in alt
    assert "8 B on 8 ranks: recursive_doubling 15 us, ring 70 us" in alt
    assert not [button for button in page.button if button.key.startswith("compare.race")]
    page.number_input(key="compare.ranks").set_value(16).run()
    assert len(alts(fine(page))) == 3, "the map holds for all numbers of ranks"
    page.selectbox(key="compare.net").set_value("Ring").run()
    assert len(alts(fine(page))) == 2
    assert "another choice" in said(page)


def test_a_map_that_was_stopped_keeps_what_is_done(monkeypatch):
    monkeypatch.setattr(race, "RANKS", (2, 4, 8))
    page = opened("12_compare.py", net=AS_FORMULA)
    fine(page.button(key="compare.race.start").click().run())
    stopped = page.session_state["compare.race"]
    stopped.columns.pop()
    fine(page.run())
    assert "Stopped before 8 ranks" in said(page)
    fine(page.button(key="compare.race.start").click().run())
    assert len(page.session_state["compare.race"].columns) == 3


def test_the_map_stops_when_its_time_is_spent(monkeypatch):
    monkeypatch.setattr(race, "SPEND_MAP", -1.0)
    page = opened("12_compare.py", net=AS_FORMULA)
    fine(page.button(key="compare.race.start").click().run())
    assert page.session_state["compare.race"].columns == []


def recorded(**about) -> bytes:
    trace = lockstep(ALGORITHMS["ring"](4), 1 << 20, MACHINES["Laptop memory"])
    return save(replace(trace, source="mpi", about=about))


def test_a_measured_trace_stands_beside_formula_and_simulation():
    medians = {"ring": 2e-4, "native": 1e-4, "direct": 3e-4, "<b>": 1e-3, "odd": "x", "never": float("1e400")}
    medians.pop("never")
    page = opened("12_compare.py", net=AS_FORMULA, machine="Laptop memory")
    page.file_uploader(key="compare.file").upload("a.arl", recorded(label="ring", medians=medians), "x/y").run()
    cells = re.findall(
        r"<th scope=\"row\">(.*?)</th><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td>", said(fine(page))
    )
    rows = {name: rest for name, *rest in cells if name in ("ring", "native", "direct", "&lt;b&gt;") and len(rest) == 4}
    seconds = lockstep(ALGORITHMS["ring"](4), 1 << 20, MACHINES["Laptop memory"]).seconds
    assert rows["ring"] == ["200 us", "180 us", f"{seconds / 2e-4:.3g} x", "180 us"]
    assert rows["native"] == ["100 us", "", "", ""]
    assert rows["direct"][0] == "300 us"
    assert rows["direct"][1]
    assert "&lt;b&gt;" in rows
    assert "odd" not in {name for name, *_ in cells}


def test_a_measured_sweep_is_drawn_with_its_predictions():
    row = {"best": 1e-6, "worst": 1e-3, "algbw": 1e9, "busbw": 1e9}
    rows = [row | {"label": name, "nbytes": n, "median": 1e-5} for name in ("ring", "native") for n in (1024, 65536)]
    page = opened("12_compare.py", net=AS_FORMULA)
    data = sweep.to_json({"rows": rows, "about": ABOUT}).encode()
    page.file_uploader(key="compare.file").upload("s.json", data, "application/json").run()
    alt = alts(fine(page))[-1]
    for curve in ("ring, measured", "native, measured", "ring, formula", "ring, simulated"):
        assert curve in alt
    assert "native, formula" not in alt


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.arl", b"junk", "a\\.arl|a.arl"),
        ("a.arl", recorded(), "no medians"),
        ("a.json", b"{}", "not a saved sweep"),
    ],
)
def test_other_files_are_refused_in_a_sentence(name, data, says):
    page = opened("12_compare.py")
    page.file_uploader(key="compare.file").upload(name, data, "x/y").run()
    assert re.search(says, fine(page).error[0].value)


def test_a_file_that_claims_to_be_huge_is_not_counted():
    trace = lockstep(ALGORITHMS["ring"](4), 1, MACHINES["Laptop memory"])
    huge = replace(trace, schedule=replace(trace.schedule, world_size=10**9))
    with pytest.raises(BadFile, match="too large to compare"):
        measured.refuse_giants(huge)
