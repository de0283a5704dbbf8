"""The component around the player: its files appear once and whole, its trace reaches the page, its step comes back."""

import os
import shutil
import threading
import time

import pytest
from streamlit.testing.v1 import AppTest

from core.algorithms import ALGORITHMS
from core.collective import ALL_REDUCE
from core.figures.player import identity_of, pack_trace
from core.machines import MACHINES
from core.trace import lockstep
from lessons.parts import player as part
from lessons.parts import player_files as files

PAGE = """
import streamlit as st
from core.algorithms import ALGORITHMS
from core.machines import MACHINES
from core.trace import lockstep
from lessons.parts.player import player
ring = ALGORITHMS["ring"]
st.session_state.step = player(lockstep(ring(4), 1 << 20, MACHINES["400 Gb InfiniBand"]), key="p", algorithm=ring)
"""


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """Nothing published yet, in a folder of its own."""
    monkeypatch.setattr(files, "ROOT", tmp_path)
    monkeypatch.setattr(files, "PUBLISHED", tmp_path / "static" / "vendor")
    files.publish.cache_clear()
    yield files.PUBLISHED
    files.publish.cache_clear()


def test_files_are_published_whole_and_once(fresh):
    assert files.publish() == ""
    names = {path.name for path in fresh.iterdir()}
    assert names == {files.plotly_file(), files.player_folder()}
    assert {path.name for path in (fresh / files.player_folder()).iterdir()} == {
        "player.js",
        "player.css",
        "themes.json",
    }
    script = (fresh / files.player_folder() / "player.js").read_text(encoding="utf-8")
    assert all(f'$modules["views/{name}"]' in script for name in ("network", "buffers", "spacetime"))
    assert "import {" not in script
    before = {path: path.stat().st_mtime_ns for path in fresh.rglob("*")}
    files.publish.cache_clear()
    assert files.publish() == ""
    assert {path: path.stat().st_mtime_ns for path in fresh.rglob("*")} == before


def test_several_starts_at_once_do_not_disturb_each_other(fresh):
    answers = []
    start = files.publish.__wrapped__
    threads = [threading.Thread(target=lambda: answers.append(start())) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [""] * 6
    assert len(list(fresh.iterdir())) == 2  # and nothing half made is left behind


def test_folders_of_earlier_versions_go_unless_one_is_in_use_or_newer(fresh):
    now = time.time()
    for name, age in (("player-old", 60), ("player-served", 60), ("player-newer", -60)):
        (fresh / name).mkdir(parents=True)
        (fresh / name / "themes.json").write_text("{}")
        os.utime(fresh / name, (now - age, now - age))
    with files._claimed(fresh / "player-served", exclusive=False):
        assert files.publish() == ""
        here = {"player-served", "player-newer", files.player_folder(), files.plotly_file()}
        assert {path.name for path in fresh.iterdir()} == here
    files.publish.cache_clear()
    assert files.publish() == ""
    assert {path.name for path in fresh.iterdir()} == here - {"player-served"}


@pytest.mark.parametrize("times", [1, files.TRIES])
@pytest.mark.parametrize("opened", [False, True])
def test_a_folder_that_another_version_takes_away_while_an_app_starts_is_made_again(fresh, monkeypatch, opened, times):
    claimed, left = files._claimed, [times]

    def raced(folder, exclusive):
        file = claimed(folder, exclusive) if opened else None
        if left[0]:
            left[0] -= 1
            shutil.rmtree(folder)
        return file or claimed(folder, exclusive)

    monkeypatch.setattr(files, "_claimed", raced)
    trouble = files.publish()
    there = (fresh / files.player_folder() / "player.js").exists()
    assert (trouble == "", there) == ((True, True) if times < files.TRIES else (False, False))
    assert ("others take away" in trouble) is (times == files.TRIES)


def test_a_folder_that_cannot_be_moved_stays_whole(fresh, monkeypatch):
    old = fresh / "player-old"
    old.mkdir(parents=True)
    for name in ("themes.json", "player.js"):
        (old / name).write_text("{}")
    os.utime(old, (1, 1))
    rename = files.Path.rename

    def held(path, target):
        if path == old:
            raise PermissionError(13, "a file in it is open")
        return rename(path, target)

    monkeypatch.setattr(files.Path, "rename", held)
    assert files.publish() == ""
    assert {path.name for path in old.iterdir()} == {"themes.json", "player.js"}
    assert {path.name for path in fresh.iterdir()} == {"player-old", files.player_folder(), files.plotly_file()}


def test_a_folder_that_cannot_be_written_is_said_in_words(fresh, monkeypatch):
    def refuse(*_args, **_more):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(shutil, "copyfile", refuse)
    trouble = files.publish()
    assert "static/vendor" in trouble
    assert "Permission denied" in trouble
    assert "Let the app write there once" in trouble


def test_another_session_may_forget_what_was_packed_at_any_moment():
    class Forgetful(dict):
        def __setitem__(self, key, value):
            self.clear()

    trace = lockstep(ALGORITHMS["ring"](2), 8, MACHINES["400 Gb InfiniBand"])
    packed = part._packed(trace, ALL_REDUCE)
    trace.__dict__["_packed_for_player"] = Forgetful()
    assert part._packed(trace, ALL_REDUCE) == packed != b""


def test_the_page_gets_the_trace_and_the_step_of_its_address():
    page = AppTest.from_string(PAGE, default_timeout=20)
    page.query_params["step"] = "3"
    page.run()
    assert not page.exception
    assert page.session_state.step == 3
    ring = ALGORITHMS["ring"]
    data = pack_trace(lockstep(ring(4), 1 << 20, MACHINES["400 Gb InfiniBand"]))
    assert len(data) < 1000


@pytest.mark.parametrize("step", ["x", "-1", "3.5", "١"])
def test_a_strange_step_in_the_address_is_the_start(step):
    page = AppTest.from_string(PAGE, default_timeout=20)
    page.query_params["step"] = step
    page.run()
    assert not page.exception
    assert page.session_state.step == 0


def test_a_step_counts_only_for_the_content_it_was_said_of():
    data = pack_trace(lockstep(ALGORITHMS["ring"](4), 1 << 20, MACHINES["400 Gb InfiniBand"]))
    assert part._step(f"{identity_of(data)}:5", data, 6, linked=False) == 5
    assert part._step(f"{identity_of(data)}:99", data, 6, linked=False) == 6
    assert part._step("other:5", data, 6, linked=False) == 0


def test_too_many_transfers_are_said_in_words(monkeypatch):
    monkeypatch.setattr("core.figures.player.MAX_TRANSFERS", 10)
    page = AppTest.from_string(PAGE, default_timeout=20)
    page.run()
    assert "Choose fewer ranks" in page.info[0].value
