"""Figures show the numbers of the engine, say how to read them, and refuse what they cannot show."""

import re

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.collective import ALL_REDUCE
from core.cost import lower_bound
from core.figures import frames, grid
from core.figures.curves import Curves, curves, describe, sizes
from core.figures.table import table
from core.figures.theme import DARK
from core.formats.transfers import COLUMNS, to_csv
from core.machines import MACHINES
from core.schedule import COPY, REDUCE, Schedule, send
from core.trace import Trace, lockstep

MACHINE = MACHINES["400 Gb InfiniBand"]
RING = ALGORITHMS["ring"]


def traced(name, world_size) -> Trace:
    return lockstep(ALGORITHMS[name](world_size), 1 << 20, MACHINE)


def some_curves(**more) -> Curves:
    places = sizes()
    seconds = {
        name: [ALGORITHMS[name].cost(8).seconds(s, MACHINE) for s in places] for name in ("ring", "recursive_doubling")
    }
    bound = [lower_bound(8, s, MACHINE) for s in places]
    return Curves("Time on 8 ranks [formula]", places, "bytes", seconds, bound, **more)


def test_curves_show_the_costs_and_shade_what_cannot_be():
    data = some_curves(here=1 << 20)
    figure = curves(data)
    drawn = {trace.name: trace for trace in figure.data}
    for name, seconds in data.seconds.items():
        assert drawn[name].y == pytest.approx(seconds)
    assert drawn["impossible"].y == pytest.approx(data.bound)
    assert drawn["impossible"].fill == "tonexty"
    assert set(drawn["you are here"].x) == {1 << 20}


def test_curves_have_titles_units_and_words():
    figure = curves(some_curves())
    assert "[formula]" in figure.layout.title.text
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    assert figure.layout.xaxis.title.text
    assert figure.layout.yaxis.title.text
    assert all("iB" in text or text.endswith(" B") for text in figure.layout.xaxis.ticktext)
    assert "At 8 B: recursive_doubling 15 us, ring 70 us" in figure.layout.meta["alt"]


def test_curves_are_told_apart_by_more_than_colour():
    names = list(ALGORITHMS)[:10]
    figure = curves(Curves("t", [1, 2], "ranks", {name: [1.0, 2.0] for name in names}, [0.5, 0.5]))
    looks = [(t.line.color, t.line.dash, t.marker.symbol) for t in figure.data if t.name in names]
    assert len(set(looks)) == len(names)
    assert len({(dash, symbol) for _, dash, symbol in looks[:5]}) == 5


def test_without_a_bound_nothing_is_shaded_and_a_name_is_no_markup():
    figure = curves(Curves("t", [8, 16], "bytes", {"<b>a</b>": [1e-6, 2e-6]}, [0.0, 0.0]))
    assert [curve.name for curve in figure.data] == ["&lt;b&gt;a&lt;/b&gt;"]
    assert "bound" not in figure.layout.meta["alt"]
    assert "shaded" not in figure.layout.meta["alt"]
    bounded = curves(Curves("t", [8, 16], "bytes", {"a": [1e-6, 2e-6]}, [0.0, 1e-6]))
    assert "impossible" in [curve.name for curve in bounded.data]
    assert "bound 1 us" in bounded.layout.meta["alt"]


def test_curves_leave_gaps_where_an_algorithm_refuses_and_bear_zeros():
    data = Curves("t", [2, 3], "ranks", {"a": [float("nan"), 1e-6], "b": [0.0, 0.0]}, [0.0, 0.0])
    figure = curves(data)
    assert np.isnan(next(curve for curve in figure.data if curve.name == "a").y[0])
    assert np.isfinite(figure.layout.yaxis.range).all()
    assert "At 2 ranks: b 0 s." in describe(data)


@pytest.mark.parametrize(("name", "world_size"), [("ring", 4), ("sharp", 16), ("halving_doubling", 6), ("census", 5)])
def test_frames_move_every_transfer_and_end_complete(name, world_size):
    trace = traced(name, world_size)
    figure = frames.frames(trace)
    schedule = trace.schedule
    assert len(figure.frames) == 1 + (len(frames.FLIGHT) + 1) * schedule.num_steps
    flying = [frame for frame in figure.frames if frame.name.endswith(".5")]
    assert [len(frame.data[0].x) for frame in flying] == np.diff(schedule.step_ptr).tolist()
    last = figure.frames[-1].data[1].z
    ranks = np.array(last)[:world_size, : schedule.num_chunks]
    assert (ranks == world_size).all()
    assert all(frame.layout.title.text for frame in figure.frames)


@pytest.mark.parametrize("name", [n for n, a in ALGORITHMS.items() if not a.refuse(8)])
def test_packets_say_which_chunk_they_carry_and_what_it_becomes(name):
    trace = traced(name, 8)
    schedule, figure = trace.schedule, frames.frames(trace, ALGORITHMS[name].collective)
    flying = [frame.data[0].text for frame in figure.frames if frame.name.endswith(".5")]
    for step, labels in zip(schedule, flying, strict=True):
        into = step.chunk if step.into is None else step.into
        for i, label in enumerate(labels):
            assert label[0] == ("+" if step.op[i] == REDUCE else "=")
            ends = [_first_slot(part, schedule.num_chunks) for part in label[1:].split("→")]
            assert (ends[0], ends[-1]) == (step.chunk[i], into[i])
            assert ("–" in label) == (step.count[i] > 1)


def _first_slot(text, chunks):
    """The slot that "3", "4–7" or "s0" (scratch) begins with."""
    number = text.split("–")[0]
    return chunks + int(number[1:]) if number.startswith("s") else int(number)


def test_the_hand_out_shows_a_strange_name_as_text():
    schedule = Schedule.from_steps(list(RING(3)), name="<script>alert(1)</script> & more", world_size=3, num_chunks=3)
    page = frames.html(lockstep(schedule, 1 << 20, MACHINE))
    title = re.search("<title>(.*?)</title>", page, re.S)[1]
    assert title == "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more, 3 ranks"


def test_frames_wait_for_the_reader():
    figure = frames.frames(traced("ring", 4))
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == ["Play", "Pause"]
    assert "[formula" in figure.frames[-1].layout.title.text
    assert 200 <= figure.layout.updatemenus[0].buttons[0].args[1]["frame"]["duration"] <= 2000


@pytest.mark.parametrize("world_size", [17, 64])
def test_frames_refuse_many_ranks_in_a_sentence(world_size):
    trace = traced("ring", world_size)
    assert "shows up to 16" in frames.refuse(trace)
    with pytest.raises(ValueError, match="shows up to 16"):
        frames.frames(trace)


def test_frames_refuse_too_many_pictures():
    trace = lockstep(ALGORITHMS["chain"](8, num_segments=300), 1 << 20, MACHINE)
    assert "too many pictures" in frames.refuse(trace)


def test_the_hand_out_fetches_nothing():
    page = frames.html(traced("ring", 3))
    assert page.startswith('<!doctype html>\n<html lang="en">')
    assert "<title>ring, 3 ranks</title>" in page
    assert not re.search(r"<(script|link|img|iframe)[^>]+(src|href)=", page)
    assert "cdn.plot.ly" not in page.split("plotly.js v")[0]


def test_the_film_strip_has_all_steps():
    figure = grid.filmstrip(RING(4))
    assert len(figure.data) == 7
    assert [a.text for a in figure.layout.annotations][:2] == ["start", "after step 1"]
    assert figure.data[3].text[0][0] == "4"  # house convention: rank 0 owns chunk 0 half way
    assert figure.layout.meta["alt"].endswith("Complete cells, of 16: 0, 0, 0, 4, 8, 12, 16.")
    with pytest.raises(ValueError, match="Choose fewer ranks"):
        grid.filmstrip(RING(17))


def test_complete_depends_on_the_collective():
    gather = ALGORITHMS["ring_all_gather"]
    alt = grid.describe(gather(4), gather.collective)
    assert alt.endswith("Complete cells, of 16: 4, 8, 12, 16.")


def test_a_cell_that_has_a_part_twice_is_not_shown_complete():
    twice = Schedule.from_steps(
        [send([0, 0], [1, 1], 0, op=REDUCE), send(1, 0, 0, op=COPY)], name="twice", world_size=2, num_chunks=1
    )
    figure = grid.final(twice)
    assert figure.data[0].text == (["3"], ["3"])
    assert max(map(max, figure.data[0].z)) < 2


def test_the_table_has_rows_for_scratch_chunks_and_letters_for_inputs():
    census = ALGORITHMS["census"](3)
    assert " x0 " in table(census)
    start = table(ALGORITHMS["ring_all_gather"](3), ALGORITHMS["ring_all_gather"].collective).splitlines()[:3]
    assert [line.split()[-1] for line in start] == ["a", "b", "c"]


def test_all_transfers_can_be_taken_away():
    trace = traced("ring", 4)
    lines = to_csv(trace).splitlines()
    assert lines[0] == ",".join(COLUMNS)
    assert len(lines) == 1 + trace.schedule.num_transfers
    assert lines[1].startswith("1,reduce-scatter,0,1,3,1,3,reduce,0,")
    assert float(lines[-1].split(",")[-1]) == pytest.approx(trace.seconds * 1e6, rel=1e-5)


def test_no_text_becomes_a_formula_of_a_spreadsheet():
    step = send(0, 1, 0, op=REDUCE, phase='=HYPERLINK("x"),1')
    schedule = Schedule.from_steps([step], name="x", world_size=2, num_chunks=1)
    assert """1,"'=HYPERLINK(""x""),1",0,1""" in to_csv(lockstep(schedule, 8, MACHINE))


def test_a_table_of_millions_is_refused():
    with pytest.raises(ValueError, match="take the trace file"):
        to_csv(traced("ring", 512))


def test_figures_have_a_dark_dress():
    assert frames.frames(traced("ring", 3), dark=True).layout.paper_bgcolor == DARK["background"]
    done = grid.filmstrip(RING(3), ALL_REDUCE, dark=True).data[-1].colorscale[-1][1]
    assert done == DARK["done"]
    assert curves(some_curves(), dark=True).data[1].line.color == DARK["line"]
