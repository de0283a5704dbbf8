"""The map of a network and the map of winners show the engine's numbers and say them in words."""

import re
from pathlib import Path

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.explain import link_loads
from core.figures import topology as maps
from core.figures.regions import describe, margins, regions
from core.figures.strokes import STROKES
from core.figures.theme import DARK, LIGHT
from core.figures.topology import CUT, WORDS, Load, drawn_links, network_map, told
from core.figures.wiring import classes
from core.network import simulate
from core.regions import Winners
from core.shapes import make
from core.topologies import place


def a_load(name="Fat tree, two levels", world_size=32, nbytes=1 << 24, placement=None, **more) -> Load:
    schedule, network = ALGORITHMS["ring"](world_size), make(name, world_size)
    carried = link_loads(schedule, nbytes, network, placement=placement)
    seconds = simulate(schedule, nbytes, network, model="links", placement=placement).seconds
    return Load(network, place(network, world_size, placement), carried.nbytes, carried.seconds / seconds, **more)


def dots(figure) -> dict[int, object]:
    """{link: its trace of dots}"""
    return {int(link): trace for trace in figure.data if trace.customdata is not None for link in trace.customdata}


def test_every_link_has_one_dot_in_the_colour_of_its_load():
    load = a_load()
    figure = network_map(load, "t")
    found = dots(figure)
    assert sorted(found) == list(range(load.topology.num_links))
    ramp = [LIGHT["faint"], *LIGHT["amount"][1:], LIGHT["ink"]]
    for link, trace in found.items():
        share = load.share[link]
        level = 0 if share == 0 else 1 + sum(share > limit for limit in (0.25, 0.5, 0.9))
        assert trace.marker.color == ramp[level]


def test_the_legend_says_each_colour_once_and_only_what_is_there():
    figure = network_map(a_load(left={0: 0.0}, marked={3: "late by 5 us"}), "t")
    names = [trace.name for trace in figure.data if trace.showlegend is not False]
    assert len(names) == len(set(names))
    assert {CUT, "switch", "rank", "rank late, dead or slow"} <= set(names)
    assert not {"seat without a rank", "switch that can add (SHARP)"} & set(names)
    assert set(WORDS) >= {name for name in names if "%" in name}


def test_a_cut_link_is_drawn_as_such_and_told():
    load = a_load("Ring", 4, left={2: 0.0, 3: 0.25}, chosen=2)
    figure = network_map(load, "t")
    (line,) = [trace for trace in figure.data if trace.name == CUT]
    assert line.line.dash == "dot"
    assert line.line.color == LIGHT["fault"]
    trace = dots(figure)[2]
    place = list(trace.customdata).index(2)
    assert trace.marker.size[place] == max(trace.marker.size)
    assert "cut" in told(load, 2)
    assert "12.5 GB/s (25 % left)" in told(load, 3)
    assert told(load, 2) in figure.layout.meta["alt"]


def strokes(figure) -> dict[str, object]:
    """{name: its trace of lines}"""
    return {trace.name: trace for trace in figure.data if trace.mode == "lines"}


def drawn_segments(trace) -> int:
    """How many lines, each ended by a gap."""
    return int(np.isnan(np.asarray(trace.x, float)).sum())


def test_a_faster_class_is_wider_and_less_broken():
    load = a_load("Nodes of GPUs with NICs", 16)
    figure = strokes(network_map(load, "t"))
    of, words = classes(load.topology)
    widths = [figure[text].line.width for text in words]
    assert widths == sorted(widths, reverse=True)
    assert len(set(widths)) == len(widths)
    assert len({figure[text].line.dash for text in words}) == len(words)
    assert [drawn_segments(figure[text]) for text in words] == np.bincount(of).tolist()


def test_load_is_a_band_of_its_own_wider_for_busier_links():
    load = a_load("Nodes of GPUs with NICs", 16)
    figure = strokes(network_map(load, "t"))
    bands = [figure[text] for text in WORDS[1:] if text in figure]
    assert sum(drawn_segments(band) for band in bands) == (load.share > 0).sum()
    widths = [band.line.width for band in bands]
    assert len(widths) > 1
    assert widths == sorted(widths)
    assert {band.line.color for band in bands} == {LIGHT["switch"]}


def test_the_strokes_are_those_of_the_player():
    text = (Path(maps.__file__).parents[2] / "static" / "player" / "links.js").read_text(encoding="utf-8")
    found = re.findall(r"\{ width: ([\d.]+), dash: \[([\d, ]*)\] \}", text)
    dashes = [",".join(f"{part}px" for part in dash.split(", ")) if dash else "solid" for _, dash in found]
    assert list(zip([float(width) for width, _ in found], dashes))[: len(STROKES)] == list(STROKES)


@pytest.mark.parametrize(
    ("name", "boxes"),
    [
        ("Fat tree, three levels", {"rack": 8, "pod": 4}),
        ("DGX H100 cluster, 400 Gb InfiniBand", {"node": 2}),
        ("Dragonfly", {"group": 2}),
        ("2D torus", {}),
        ("Crossbar", {}),
    ],
)
def test_nodes_racks_and_pods_are_boxes_around_their_ranks(name, boxes):
    load = a_load(name, 16)
    figure = strokes(network_map(load, "t"))
    assert {name: drawn_segments(figure[name]) for name in ("node", "rack", "group", "pod") if name in figure} == boxes
    for group, inside in (("rack", "pod"), ("node", "node")):
        if {group, inside} <= set(figure):
            assert np.nanmax(np.abs(figure[inside].x)) >= np.nanmax(np.abs(figure[group].x))


def test_switches_that_can_add_are_marked():
    figure = network_map(a_load("NVSwitch node", 8), "t")
    (able,) = [trace for trace in figure.data if trace.name == "switch that can add (SHARP)"]
    assert list(able.text) == ["NVSwitch"]
    assert able.marker.symbol == "star-diamond"
    assert "1 switch can add" in figure.layout.meta["alt"]


def test_ranks_are_named_where_they_sit():
    load = a_load("Fat tree on rails", 12, placement="shuffled")
    figure = network_map(load, "t")
    seats = {trace.name: trace for trace in figure.data}
    assert len(seats["seat without a rank"].x) == 4
    assert list(seats["rank"].text) == [str(rank) for rank in range(12)]
    seat = int(load.seats[5])
    link = int(np.flatnonzero(load.topology.src == seat)[0])
    assert told(load, link).startswith("rank 5 to ")


def test_of_very_many_links_the_busiest_and_the_changed_are_drawn(monkeypatch):
    monkeypatch.setattr(maps, "MOST_LINKS", 10)
    load = a_load("Full mesh", 8, left={55: 0.5})
    shown = drawn_links(load)
    assert len(shown) == 11
    assert 55 in shown
    assert set(np.flatnonzero(load.share > 0)) <= set(shown.tolist())
    assert "Only the 10 busiest links are drawn" in network_map(load, "t").layout.meta["alt"]


def test_the_map_has_a_dark_dress():
    figure = network_map(a_load(), "t", dark=True)
    assert figure.layout.paper_bgcolor == DARK["background"]
    assert figure.layout.font.color == DARK["ink"]


def some_winners() -> Winners:
    seconds = np.array(
        [[[1.0, 5.0], [4.0, np.nan]], [[2.0, 4.96], [2.0, np.nan]]]
    )  # two names, two sizes, 4 and 8 ranks
    best = np.where(
        np.isfinite(seconds).any(axis=0), np.where(np.isfinite(seconds), seconds, np.inf).argmin(axis=0), -1
    )
    return Winners(("one", "two"), np.array([1024.0, 65536.0]), np.array([4, 8]), seconds, best, True)


def test_the_winner_map_names_winners_ties_and_gaps():
    figure = regions(some_winners(), "Winners [simulated]")
    cells = figure.data[0]
    assert [list(row) for row in cells.text] == [["A", "B"], ["B≈", ""]]
    assert np.isnan(cells.z[1][1])
    assert cells.customdata[0][1] == "64 KiB on 4 ranks: two 2 s, one 4 s"
    assert cells.customdata[1][1].endswith("nobody")
    assert [trace.name for trace in figure.data[1:]] == ["A  one", "B  two"]
    colours = dict(cells.colorscale)
    assert [trace.marker.color for trace in figure.data[1:]] == [colours[0], colours[1]]
    assert list(figure.layout.xaxis.ticktext) == ["1 KiB", "64 KiB"]


def test_margins_are_the_second_over_the_first():
    lead = margins(some_winners())
    assert lead[0] == pytest.approx([2.0, 5 / 4.96])
    assert np.isinf(lead[1, 1])
    alone = some_winners()
    alone = Winners(("one",), alone.sizes, alone.ranks, alone.seconds[:1], np.zeros((2, 2), int), True)
    assert np.isinf(margins(alone)).all()
    assert regions(alone, "t").data[0].colorscale


def test_the_winner_map_has_words():
    words = describe(some_winners(), "Winners")
    assert "one in 33.3 % of the cells, two in 66.7 %" in words
    assert "1 KiB on 4 ranks: one 1 s, two 2 s." in words
    found = some_winners()
    nothing = Winners(found.names, found.sizes, found.ranks, found.seconds * np.nan, np.full((2, 2), -1), False)
    assert "Nothing has been raced yet" in describe(nothing, "Winners")
