"""The simulated network on the pages: reference values reach the screen, nothing hangs, every link can be shared."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.shapes import SHAPES, knobs
from core.topologies import PRESETS
from lessons.parts import disturb, race
from lessons.parts.network import DISTURBANCES, MINE, NONE
from lessons.parts.simulated import AS_FORMULA, Setup
from tests.pages import alts, fact, facts, fine, opened, said

NODES = "Nodes of GPUs with NICs"
TINY, LARGE = {"size": "0"}, {"size": "64000000"}


def test_the_first_impression_is_the_formula():
    page = opened()
    assert "explore.net" not in [menu.key for menu in page.selectbox], "what nobody sees is not sent"
    assert "Simulated time" not in {label for label, _, _ in facts(page)}
    assert not page.get("plotly_chart")
    assert dict(page.query_params) == {}
    page.session_state["explore.network"] = True  # the popover opens
    assert fine(page.run()).selectbox(key="explore.net").value == NONE
    page.session_state["explore.network"] = False
    assert "explore.net" not in [menu.key for menu in fine(page.run()).selectbox]
    assert dict(page.query_params) == {}


def test_a_network_stays_when_its_popover_closes():
    page = opened()
    page.session_state["explore.network"] = True
    page.run().selectbox(key="explore.net").set_value("Ring").run()
    page.session_state["explore.network"] = False
    assert fine(page.run()).query_params["net"] == "Ring"
    assert fact(page, "Simulated time")


def test_without_a_network_nothing_of_one_stays_in_the_address():
    assert dict(opened(placement="shuffled", seed="3", net_latency="2", late="1").query_params) == {}


@pytest.mark.parametrize(  # timing.md: ring of 16 on two nodes of 8
    ("query", "shown"),
    [
        (TINY, "66 us"),
        (LARGE, "2.41 ms"),
        (TINY | {"pace": "lock-step"}, "300 us"),
        (LARGE | {"pace": "lock-step"}, "2.7 ms"),
        (TINY | {"send": "rendezvous"}, "300 us"),
        (TINY | {"late": "3"}, "166 us"),
        (LARGE | {"late": "3"}, "2.41 ms"),
        (TINY | {"model": "flow"}, "66 us"),
        (LARGE | {"model": "ports"}, "2.41 ms"),
    ],
)
def test_reference_times_reach_the_page(query, shown):
    page = opened(net=NODES, ranks="16", **query)
    _, value, small = next(f for f in facts(page) if f[0] == "Simulated time")
    assert value == shown
    assert small.startswith("simulated")
    assert ("formula", fact(page, "Time")) in {(small, value) for _, value, small in facts(page)}


def test_the_crossbar_of_the_machine_takes_as_long_as_the_formula_says():
    page = opened(net=AS_FORMULA, algorithm="direct", machine="100 Gb Ethernet")
    assert fact(page, "Simulated time") == fact(page, "Time")


def test_a_cut_link_is_diagnosed_and_what_happened_before_is_played():
    page = opened(net=NODES, ranks="16", link="17", left="0")
    assert fact(page, "Simulated time") == "never ends"
    assert "the link from NVSwitch 0 to rank 1 is cut" in page.error[0].value
    assert "rank 3 waits for rank 2" in page.error[0].value
    assert page.get("bidi_component")
    assert "cut" in alts(page)[0]
    page.session_state["explore.more.network"] = "Why this time?"
    assert "never ends" in fine(page.run()).info[0].value


def test_a_dead_rank_is_diagnosed():
    page = opened(net="2D torus", late="3", lateness="never")
    assert "rank 3 never enters" in page.error[0].value


def test_disturbances_are_felt_and_compared_with_the_whole_network():
    page = opened(net="2D torus", size="8 MiB", slow="2", slower="4.0", link="0", left="25")
    section = [value for name, value, small in facts(page) if name == "Time" and small.startswith("simulated")]
    assert section == [fact(page, "Simulated time")]
    assert fact(page, "Undisturbed") != section[0]
    assert "longer now" in next(small for name, _, small in facts(page) if name == "Undisturbed")
    page.select_slider(key="explore.slower").set_value(8.0).run()
    assert page.query_params["slower"] == "8.0"


def test_the_page_says_when_another_model_has_to_serve():
    assert "static link loads" in said(opened(net="2D torus", model="flow", starts="in_turn"))
    assert "No switch of this network can add" in said(opened(net="Crossbar", algorithm="sharp"))


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"net": "nonsense"}, "not one of the choices"),
        ({"net": "DGX H100", "ranks": "16"}, "at most 8 ranks"),
        ({"net": "Fat tree, two levels", "net_radix": "5"}, "choose a radix such as"),
        ({"net": "Ring", "net_bandwidth": "0"}, "it must be 0.001"),
        ({"net": "Ring", "net_latency": "nan"}, "it must be 0 to"),
        ({"net": "Ring", "placement": "given", "seats": "0 1"}, "a list of 8 whole numbers"),
        ({"net": "Ring", "placement": "given", "seats": "0 1 2 3 4 5 6 6"}, "no permutation"),
        ({"net": "Ring", "placement": "given", "seats": "a"}, "seats are whole numbers"),
        ({"net": "Ring", "placement": "given"}, "give the seat of every rank"),
        ({"net": "Ring", "placement": "shuffled", "seed": "-1"}, "it must be 0 to"),
        ({"net": "Ring", "late": "77"}, "not one of the choices"),
        ({"net": "Ring", "late": "7", "lateness": "3"}, "not one of the choices"),
        ({"net": "Ring", "link": "16"}, "this network has links 0 to 15"),
        ({"net": "Ring", "link": "x"}, "whole number"),
        ({"net": "Ring", "send": "bounded", "slots": "0"}, "it must be 1 to"),
        ({"net": "Ring", "model": "magic"}, "not one of the choices"),
    ],
)
def test_a_wrong_address_ends_in_a_sentence(query, says):
    assert says in said(opened(**query))


@pytest.mark.parametrize(
    "query",
    [
        {"net": "Nodes of GPUs with NICs", "net_gpus": "4", "net_nics": "2", "ranks": "12", "placement": "round_robin"},
        {"net": "Ring", "placement": "given", "seats": "7 6 5 4 3 2 1 0", "send": "bounded", "slots": "2"},
        {"net": "Dragonfly", "placement": "shuffled", "seed": "3", "link": "5", "left": "10", "late": "1"},
        {"net": "NVSwitch node", "net_reduces": "False", "slow": "0", "starts": "in_turn", "pace": "lock-step"},
    ],
)
def test_a_link_brings_back_the_network(query):
    page = opened(**query)
    assert not page.warning
    assert dict(page.query_params) == query | {"clock": "time"}
    assert facts(opened(**dict(page.query_params))) == facts(page)


def test_every_network_can_be_chosen_and_leaves_nothing_behind():
    page = opened(ranks="8", size="1 MiB")
    page.session_state["explore.network"] = True
    page.run()
    for name in (AS_FORMULA, *SHAPES, *PRESETS):
        fine(page.selectbox(key="explore.net").set_value(name).run())
        assert not page.error, name
        assert not page.warning, name
        assert fact(page, "Simulated time") not in ("0 s", "never ends")
    page.selectbox(key="explore.net").set_value("Ring").run()
    page.number_input(key="explore.Ring.latency").set_value(3.0).run()
    page.selectbox(key="explore.late").set_value(7).run()
    assert page.query_params["net_latency"] == "3.0"
    page.number_input(key="explore.ranks").set_value(4).run()
    assert fine(page).selectbox(key="explore.late").value == "nobody", "rank 7 is gone"
    page.selectbox(key="explore.net").set_value("Dragonfly").run()
    assert "net_latency" not in page.query_params
    page.selectbox(key="explore.net").set_value(NONE).run()
    assert set(page.query_params) == {"ranks", "size"}


def test_names_in_the_address_belong_to_one_thing_each():
    taken = {name for a in ALGORITHMS.values() for name in a.options} | {"algorithm", "ranks", "size", "machine"}
    taken |= {"step", "view", "rank", "clock", "play", "also"}
    assert not taken & {"net", *MINE, *DISTURBANCES}
    assert all(len({knob.name for knob in knobs(name)}) == len(knobs(name)) for name in SHAPES)


@pytest.mark.parametrize("customdata", [5, [5]])
def test_a_click_on_the_map_chooses_the_link(monkeypatch, customdata):
    points = [{"curve_number": 0}, {"customdata": customdata}]
    state = {"explore.map": SimpleNamespace(selection=SimpleNamespace(points=points))}
    monkeypatch.setattr(disturb, "st", SimpleNamespace(session_state=state))
    disturb.clicked("explore")
    assert state["explore.link"] == 5
    points.clear()
    disturb.clicked("explore")
    assert state["explore.link"] == 5, "a click beside the links changes nothing"


def test_a_chosen_link_can_be_changed_and_let_go():
    page = opened(net="Ring")
    page.session_state["explore.link"] = 3  # as a click does
    fine(page.run())
    assert page.query_params["link"] == "3"
    assert fact(page, "Undisturbed")
    page.selectbox(key="explore.link").set_value(None).run()
    assert "link" not in fine(page).query_params


def test_why_this_time():
    page = opened(net=NODES, ranks="16", **TINY)
    page.session_state["explore.more.network"] = "Why this time?"
    fine(page.run())
    assert fact(page, "Latency") == "100 %"
    tables = " ".join(e.value for e in page.get("html"))
    for words in ("Critical path: the 30 messages", "if one were twice as fast", "neither sends, receives nor adds"):
        assert words in tables
    assert tables.count("[simulated]") >= 3
    page.text_input(key="explore.size").set_value("64000000").run()
    assert float(fact(fine(page), "Bandwidth").split()[0]) > 99


def test_too_many_messages_to_explain_is_said():
    page = opened(net="Crossbar", algorithm="direct", ranks="384", size="1 KiB")
    page.session_state["explore.more.network"] = "Why this time?"
    assert "too many to explain" in fine(page.run()).info[0].value


def test_a_setup_is_a_key_and_knows_when_it_is_disturbed():
    setup = Setup("Ring", late=((1, 1e-6),))
    assert setup.disturbed
    assert not setup.undisturbed().disturbed
    assert hash(setup) == hash(Setup("Ring", late=((1, 1e-6),)))
    assert np.isinf(Setup("Ring", late=((1, float("inf")),)).conditions()["late"][1])
    assert race.for_all_ranks(replace(setup, placement=(1, 0), model="flow")).placement == "natural"


def test_a_network_that_does_not_exist_is_refused_in_the_open_though_its_menu_is_closed():
    page = opened(net="moon")
    assert "net=moon" in page.toast[0].value
