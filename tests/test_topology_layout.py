"""Where vertices are drawn, and the picture of the cables."""

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.explain import link_loads
from core.figures.wiring import HEAT, refuse, wiring
from core.topologies import PRESETS, SHAPES, BadTopology, build
from core.topologies.layout import levels, positions


@pytest.mark.parametrize("name", [*SHAPES, *PRESETS])
def test_every_vertex_has_a_place_of_its_own(name):
    try:
        topology = build(name, 16)
    except BadTopology:
        topology = build(name, 8)
    place = positions(topology)
    assert np.isfinite(place).all()
    assert np.abs(place).max() <= 1 + 1e-9
    assert len(np.unique(place.round(6), axis=0)) == topology.num_vertices


def test_levels_count_cables_from_the_ranks():
    topology = build("Fat tree, three levels", 64)
    level = dict(zip(topology.names, levels(topology).tolist()))
    assert (level["host 5"], level["leaf 3"], level["middle 0.1"], level["core 0"]) == (0, 1, 2, 3)


def test_a_dot_of_the_picture_is_a_link_and_its_line_tells_the_heat():
    schedule, topology = ALGORITHMS["ring"](16), build("Nodes of 8 GPUs, 1 NIC", 16)
    loads = link_loads(schedule, 1e6, topology)
    figure = wiring(topology, loads, cut=[3])
    dots = next(trace for trace in figure.data if trace.name == "links")
    assert [point[0] for point in dots.customdata] == list(range(topology.num_links))
    drawn = {
        trace.name: int(np.isnan(np.array(trace.x, float)).sum()) for trace in figure.data if trace.mode == "lines"
    }
    assert sum(drawn.values()) == topology.num_links
    assert drawn["cut"] == 1
    assert drawn["the busiest"] == int((loads.heat > 0.75).sum())
    assert set(drawn) == {*HEAT, "cut"}
    assert "NIC 0.0" in figure.layout.meta["alt"]


def test_too_many_links_are_refused():
    assert "links are too many" in refuse(build("Full mesh", 64))
    assert refuse(build("Fat tree, two levels, 2:1", 64)) == ""
