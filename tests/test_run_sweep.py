"""Sweeps as files, tables and a page."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.container import BadFile
from core.run import sweep
from lessons.parts import live

ROOT = Path(__file__).parents[1]


def row(label, nbytes, median):
    return {
        "label": label,
        "nbytes": nbytes,
        "median": median,
        "best": median,
        "worst": median,
        "algbw": 1e9,
        "busbw": 2e9,
    }


RESULT = {
    "rows": [row("ring", 8, 3e-6), row("native", 8, 1e-6), row("ring", 1024, 4e-6), row("native", 1024, 5e-6)],
    "about": {"dtype": "float32", "op": "sum"},
}


def test_a_file_comes_back_as_it_was():
    assert sweep.from_json(sweep.to_json(RESULT)) == RESULT


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"kind": "cake"}, "not a saved sweep"),
        ({"version": 9}, "has version 9"),
        ({"rows": []}, "has no rows"),
        ({"about": 3}, "has no rows"),
        ({"rows": [row("ring", 8, -1.0)]}, "row 1 of this sweep is damaged"),
        ({"rows": [row("ring", 8, 1.0), row("", 8, 1.0)]}, "row 2"),
        ({"rows": [row("ring", "8", 1.0)]}, "row 1"),
        ({"rows": [{"label": "ring"}]}, "row 1"),
    ],
)
def test_other_files_are_refused(change, sentence):
    text = json.dumps(json.loads(sweep.to_json(RESULT)) | change)
    with pytest.raises(BadFile, match=sentence):
        sweep.from_json(text)


@pytest.mark.parametrize("text", ["", "[1", "[]", "7", "[" * 100_000])
def test_what_is_no_sweep_at_all(text):
    with pytest.raises(BadFile):
        sweep.from_json(text)


def test_who_wins_where():
    assert sweep.summary(RESULT) == "Fastest: native at 8 B; ring at 1 KiB."
    assert sweep.winners({"rows": RESULT["rows"][:2]}) == {8: "native"}


def test_tables():
    assert sweep.to_csv(RESULT).splitlines()[1].startswith("8,ring,3e-06,3e-06,3e-06,")
    line = sweep.nccl_text(RESULT).splitlines()[1].split()
    assert line == ["8", "2", "float32", "sum", "3.00", "1.00", "2.00", "0", "ring"]
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
