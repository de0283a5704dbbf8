"""Sweeps as files, tables and a page."""

import json
import math
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.container import BadFile
from core.run import sweep
from core.run.sweep_compare import Kept, all_sizes, common, lettered, ratios, short
from lessons.parts import live, live_compare
from tests.sweeps import result, row

ROOT = Path(__file__).parents[1]


RESULT = result(row("ring", 8, 3e-6), row("native", 8, 1e-6), row("ring", 1024, 4e-6), row("native", 1024, 5e-6))


def test_a_file_comes_back_as_it_was():
    assert sweep.from_json(sweep.to_json(RESULT)) == RESULT


def test_what_a_file_says_beside_what_is_known_is_left_out():
    odd = row("ring", 8, 1e-6) | {"rounds": "many", "foreign": "<b>", "picture": "![](http://elsewhere)"}
    read = sweep.from_json(sweep.to_json(result(odd)))["rows"][0]
    assert read == row("ring", 8, 1e-6) | {"foreign": None}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"kind": "cake"}, "not a saved sweep"),
        ({"version": 9}, "has version 9"),
        ({"rows": []}, "has no rows"),
        ({"about": 3}, "has no rows"),
        ({"rows": [row("ring", 8, -1.0)]}, "row 1 of this sweep is damaged"),
        ({"rows": [row("ring", 8, 1.0), row("ring", 9, 1.0) | {"label": ""}]}, "row 2"),
        ({"rows": [row("x" * 201, 8, 1.0)]}, "row 1"),
        ({"rows": [row("ring", 8, 1.0) | {"nbytes": "8"}]}, "row 1"),
        ({"rows": [row("ring", 8, 1.0) | {"nbytes": True}]}, "row 1"),
        ({"rows": [row("ring", 8, 1.0) | {"busbw": 10**400}]}, "row 1"),
        ({"rows": [{"label": "ring"}]}, "row 1"),
        ({"rows": [row("ring", 8, 1.0)] * 2}, "two rows of the same method and size"),
    ],
)
def test_other_files_are_refused(change, sentence):
    text = json.dumps(json.loads(sweep.to_json(RESULT)) | change)
    with pytest.raises(BadFile, match=sentence):
        sweep.from_json(text)


@pytest.mark.parametrize("name", [name for name, _, _ in sweep.ABOUT])
@pytest.mark.parametrize("value", [None, -1, [], {}, "", "x" * 3000, {"a": "x" * 3000}, True])
def test_a_sweep_says_where_it_comes_from(name, value):
    with pytest.raises(BadFile, match=rf"does not say .* \({name}\)"):
        sweep.from_json(json.dumps(json.loads(sweep.to_json(result(row("ring", 8, 1.0), **{name: value})))))


@pytest.mark.parametrize(
    "text", ["", "[1", "[]", "7", "[" * 100_000, b"\xff\xfe", b"\x00", '{"a": %s}' % ("9" * 10_000)]
)
def test_what_is_no_sweep_at_all(text):
    with pytest.raises(BadFile):
        sweep.from_json(text)


def test_who_wins_where():
    assert sweep.summary(RESULT) == "Fastest: native at 8 B; ring at 1 KiB."
    assert sweep.winners({"rows": RESULT["rows"][:2]}) == {8: "native"}


def test_tables():
    assert sweep.to_csv(RESULT).splitlines()[1].startswith("8,ring,3e-06,3e-06,3e-06,")
    line = sweep.nccl_text(RESULT).splitlines()[1].split()
    assert line == ["8", "2", "float32", "sum", "3.00", "0.00", "0.00", "0", "ring"]
    doubles = sweep.nccl_text(result(row("ring", 8, 1e-9), dtype="float64")).splitlines()[1].split()
    assert doubles == ["8", "1", "float64", "sum", "0.00", "8.00", "12.00", "0", "ring"]
    sizes, curves = sweep.curves_of(RESULT)
    assert sizes == [8, 1024]
    assert curves["native"] == [1e-6, 5e-6]


def opened(**query):
    page = AppTest.from_file(ROOT / "app.py", default_timeout=60).run().switch_page("lessons/20_sweep.py")
    for key, value in query.items():
        page.query_params[key] = value
    page.run()
    assert [e.message for e in page.exception] == []
    return page


def said(page):
    kinds = (
        page.markdown,
        page.caption,
        page.error,
        page.warning,
        page.info,
        page.success,
        page.code,
        page.get("html"),
    )
    return " ".join(str(element.value) for kind in kinds for element in kind)


def ran(page, name):
    page.button(key=f"{name}.run").click().run()
    job = page.session_state[live.place(name)]
    assert job.wait(100)
    page.run()
    assert [e.message for e in page.exception] == []
    assert job.state == "done", job.error
    return job


@pytest.mark.live
def test_calibrate_predict_measure_compare(monkeypatch):
    monkeypatch.setattr("core.run.calibrate.SIZES", (8, 4096, 1 << 18))
    monkeypatch.setattr("core.run.calibrate.SECONDS", 0.1)
    page = opened(backend="threads", sizes="8 B to 64 KiB", algorithms="ring,recursive_doubling")
    ran(page, "calibrate")
    assert "Predicted from the table of steps" in said(page)
    job = ran(page, "sweep")
    text = said(page)
    assert "Fastest" in text
    assert "of 14 cases within 35 %" in text
    for found in job.result["rows"]:
        found["median"] /= 100  # as if the machine were a hundred times as quick by now
    assert "the machine is quicker now than while it was calibrated" in said(page.run())
    saved = sweep.to_json(job.result).encode()
    page.file_uploader(key="sweep.file").upload("s.json", saved, "application/json").run()
    assert [e.message for e in page.exception] == []
    assert "[recorded]" in said(page)


def test_algorithms_that_refuse_are_left_out_in_a_sentence(monkeypatch):
    monkeypatch.setattr(
        "core.algorithms.base.Algorithm.refuse", lambda self, *_, **__: "no" if self.name == "ring" else ""
    )
    assert "ring is left out: no." in said(opened(backend="threads"))
    assert "Choose at least one algorithm" in said(opened(backend="threads", algorithms="ring"))


OTHER = result(
    row("ring", 8, 6e-6), row("direct", 4096, 1e-6), world_size=8, backend="gloo", machine={"processor": "an EPYC"}
)


def test_sweeps_are_told_apart():
    here, there = Kept(RESULT, "measured here"), Kept(OTHER, "recorded")
    assert here.name == "Intel Xeon, 4 MPI ranks, 2026-11-29 10:00, measured here"
    assert there.name == "an EPYC, 8 gloo ranks, 2026-11-29 10:00, recorded"
    assert lettered([here, there, here]) == {"A": here, "B": there, "C": here}
    assert short({}) == "unknown machine"
    assert short({"processor": "x" * 999, "hosts": 2}) == "2 x " + "x" * 40


def test_sweeps_have_one_axis_and_a_base():
    both = [Kept(RESULT, "measured here"), Kept(OTHER, "recorded")]
    assert live_compare._whence(dict(zip("ABC", [*both, both[1]]))) == "[A measured here; B, C recorded]"
    assert all_sizes(both) == [8, 1024, 4096]
    assert common(both) == ["ring", "native", "direct"]
    ring, other = (one.curve("ring", "time", [8, 1024]) for one in both)
    assert ring == [3e-6, 4e-6]
    assert ratios(other, ring) == pytest.approx([2.0, math.nan], nan_ok=True)
    assert both[0].curve("ring", "busbw", [8]) == [1.5 * 8 / 3e-6]
    assert math.isnan(ratios([1.0], [0.0])[0])


def compared(page, *results):
    files = [(f"{i}.json", sweep.to_json(one).encode(), "application/json") for i, one in enumerate(results)]
    page.file_uploader(key="sweep.file").set_value(files).run()
    assert [e.message for e in page.exception] == []
    return page


def figure(page):
    return json.loads(page.get("plotly_chart")[-1].proto.spec)


def legend(page):
    return [one["name"].replace("<br>", " ") for one in figure(page)["data"]]


def test_saved_sweeps_are_overlaid_in_one_figure_with_ratios():
    page = compared(opened(backend="threads"), RESULT, OTHER)
    drawn = [trace for trace in figure(page)["data"] if not trace.get("showlegend", True)]
    looks = {(trace["legendgroup"], trace["line"]["color"], trace["line"]["dash"]) for trace in drawn}
    assert len(looks) == len({colour for _, colour, _ in looks}) == len({dash for *_, dash in looks}) == 2
    assert {trace["name"] for trace in drawn} == {"A ring", "A native", "B ring", "B direct"}
    assert "B: an EPYC, 8 gloo ranks, 2026-11-29 10:00, recorded" in legend(page)
    assert "6 us (6 x)" in said(page)  # of the native one of the first sweep
    page.selectbox[-1].select_index(0).run()  # the ring of the first sweep
    assert "6 us (2 x)" in said(page)


@pytest.mark.parametrize("quantity", ["time", "algbw", "busbw"])
def test_the_figure_shows_times_or_bandwidths(quantity):
    page = compared(opened(backend="threads", show=quantity), RESULT, OTHER)
    ring = next(trace for trace in figure(page)["data"] if trace["name"].startswith("A ring"))
    wanted = Kept(RESULT, "").curve("ring", quantity, [8, 1024])
    assert [value for value in ring["y"] if value is not None] == pytest.approx(wanted)


def test_a_bad_file_is_refused_and_the_others_stay():
    page = opened(backend="threads")
    files = [("good.json", sweep.to_json(RESULT).encode(), "x/y"), ("bad<b>.json", b"{}", "x/y")]
    page.file_uploader(key="sweep.file").set_value(files).run()
    assert [e.message for e in page.exception] == []
    assert ["bad\\<b\\>.json" in error.value and "not a saved sweep" in error.value for error in page.error] == [True]
    assert page.get("plotly_chart")


def test_a_label_is_no_markup_in_a_figure():
    evil = '<a href="http://elsewhere">ring</a>'
    page = compared(opened(backend="threads"), result(row(evil, 8, 1.0), machine={"processor": "<i>x</i>"}))
    assert "<a" not in page.get("plotly_chart")[-1].proto.spec
    assert "<i" not in page.get("plotly_chart")[-1].proto.spec


def test_recorded_sweeps_are_offered_and_say_that_they_are(tmp_path, monkeypatch):
    for name, one in (("two", RESULT), ("eight", OTHER)):
        (tmp_path / f"{name}.json").write_text(sweep.to_json(one))
    monkeypatch.setattr(live_compare, "RECORDED", tmp_path)
    page = opened(backend="threads", recorded="eight,two")
    assert "A: an EPYC, 8 gloo ranks, 2026-11-29 10:00, recorded" in legend(page)
    assert "at the same size [A, B recorded]" in said(page)


def test_recorded_sweeps_that_come_with_the_program_can_be_opened():
    kept = sorted(live_compare.RECORDED.glob("*.json"))
    assert len(kept) >= 3
    for path in kept:
        assert sweep.from_json(path.read_bytes())["about"]["command"].startswith("python -m core.run")


def test_a_sweep_of_very_many_sizes_makes_no_giant_page():
    many = result(*(row(("ring", "native")[size % 2], 8 * size, 1e-6 * size) for size in range(1, 2001)))
    page = compared(opened(backend="threads"), many)
    assert len(next(trace for trace in figure(page)["data"] if trace["name"] == "A ring")["x"]) == 2000
    assert "of 2000 sizes" in said(page)
    assert "# and 1601 rows more" in said(page)
    assert len(said(page)) < 100_000
    assert said(page).count('<th scope="col">') <= live_compare.MOST_COLUMNS + 1
