"""The Hardware page, with answers instead of probes."""

import time
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.run import hardware, request
from core.run.hardware import PROBES
from tests.machine import FULL, gpus

PAGE = Path(__file__).parents[1] / "lessons" / "24_hardware.py"


@pytest.fixture
def forgetful():
    """The page has seen nothing before, and what it sees stays here."""
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()


def opened(monkeypatch, answers):
    """The page after a click on its button, with these answers instead of probes."""
    monkeypatch.setattr(
        hardware, "look", lambda probe, cancelled: answers[probe.name] | {"seconds": 0.1, "foreign": 0.3}
    )
    page = AppTest.from_file(PAGE, default_timeout=60).run()
    assert [button.label for button in page.button] == ["Look at this machine"]
    page.button(key="hardware.look").click().run()
    until = time.monotonic() + 20
    while not page.get("download_button") and time.monotonic() < until:
        page.run()
    assert [error.message for error in page.exception] == []
    return page


def said(page):
    kinds = (page.markdown, page.warning, page.error, page.info, page.get("html"))
    return " ".join(str(element.value) for kind in kinds for element in kind)


@pytest.mark.usefixtures("forgetful")
def test_the_page_shows_what_was_found(monkeypatch):
    answers = {name: {"found": found} for name, found in (FULL | {"gpus": gpus(2)}).items()}
    page = opened(monkeypatch, answers | {"gpu_mpi": {"missing": "this MPI does not take the memory of a GPU"}})
    words = said(page)
    assert "8 GB/s<small>measured here" in words
    assert "Other programs took 30% of the processors" in words
    assert "simulated, from the numbers measured here" in words
    assert words.count("green-badge") == len(request.BACKENDS) - 1  # torch is there, its NCCL is not
    assert page.selectbox(key="hardware.network").options[0] == "2 GPUs"
    page.number_input(key="hardware.ranks").set_value(4).run()
    assert "there are 2 GPUs. Choose 2 ranks or fewer" in said(page)
    page.selectbox(key="hardware.network").select("ranks in this machine's memory").run()
    assert [error.value for error in page.error] == []


@pytest.mark.usefixtures("forgetful")
def test_the_page_survives_when_nothing_is_found(monkeypatch):
    answers = {probe.name: {"missing": f"no {probe.name}: pip install it"} for probe in PROBES}
    words = said(opened(monkeypatch, answers))
    assert words.count("orange-badge") == len(request.BACKENDS) - 1  # threads need nothing
    assert "no mpi: `pip install it`" in words
    assert "There is nothing to build a network from: no memory" in words


@pytest.mark.usefixtures("forgetful")
def test_a_server_for_everybody_starts_nothing(monkeypatch):
    from lessons.parts import live

    monkeypatch.setattr(live, "refusal", lambda: "this server starts nothing")
    page = AppTest.from_file(PAGE, default_timeout=60).run()
    assert page.button(key="hardware.look").disabled
    assert "this server starts nothing" in said(page)
