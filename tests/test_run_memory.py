"""Memory that is shared or large: what it holds stays, and what is moved through it is counted right."""

import ctypes
import mmap
from types import SimpleNamespace

import numpy as np
import pytest

from core.replay import OPS
from core.run import roof, window
from core.run.blocks import BLOCK
from core.run.buffers import LARGE_PAGE, adding, use_large_pages
from core.run.request import Method, Request
from core.run.threads import run_threads
from core.run.window import WindowExecutor
from core.run.worker import Worker


@pytest.fixture
def shared():
    """Memory as processes share it, from a little before a large page on."""
    area = mmap.mmap(-1, 4 * LARGE_PAGE)
    begin = -ctypes.addressof(ctypes.c_char.from_buffer(area)) % LARGE_PAGE
    found = np.frombuffer(area, np.uint8)
    return found[begin : begin + 2 * LARGE_PAGE + 4096]


def test_large_pages_hold_what_the_small_ones_held(shared):
    shared[:] = np.arange(len(shared)) % 251
    before = _in_large_pages()
    moved = use_large_pages(shared)
    assert (shared == np.arange(len(shared)) % 251).all()
    if moved:  # Linux 6.1 or later
        assert _in_large_pages() - before == 2 * LARGE_PAGE


def _in_large_pages():
    """Bytes of shared memory that this process sees through large pages."""
    with open("/proc/self/smaps") as lines:
        return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("ShmemPmdMapped"))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("op", OPS)
def test_additions_are_in_place_and_modern(op):
    mine, other = np.array([1, 6, 3], np.int32), np.array([4, 2, 3], np.int32)
    expected = OPS[op](mine, other)
    adding(op, mine, other)()
    assert (mine == expected).all()


def test_what_holds_no_large_page_is_left_alone(shared):
    assert not use_large_pages(shared[:4096])
    assert not use_large_pages(shared[4096 : LARGE_PAGE + 4096 - 1])


@pytest.mark.parametrize("nbytes", [0, 4, 1 << 16, 2 * BLOCK + 8])
def test_a_pass_over_memory_touches_every_byte_once(nbytes, monkeypatch):
    buffer = (np.arange(nbytes) % 199).astype(np.uint8)
    monkeypatch.setattr(roof, "aligned", lambda size, dtype: buffer)
    before, passes = buffer.copy(), roof.roofs(nbytes)
    passes["memory, one stream"]()
    assert (buffer == 255 - before).all()
    passes["memory, one stream"]()  # twice makes everything what it was: no byte is left out, none is done twice
    assert (buffer == before).all()
    passes["memory, two streams"]()
    one, other = before[: nbytes // 2], before[nbytes // 2 :]
    assert (buffer == np.concatenate([one + other] * 2)).all()


def test_the_passes_over_memory_are_timed_beside_the_methods():
    rows = {}

    def one(group):
        request = Request(2, (Method("ring"),), (1 << 12,), backend="threads", roof=True, repeats=1, seconds=0.1)
        result = Worker(request, group, lambda event: None, SimpleNamespace(), "").work()
        if result:
            rows.update({row["label"]: row for row in result["rows"]})
        return 0

    assert run_threads(2, one) == 0
    assert list(rows) == ["ring", *roof.ROOFS]
    passes = {label: rows[label]["median"] for label in roof.ROOFS}
    assert roof.taken_from(rows) == passes
    assert min(passes.values()) > 0
    assert list(rows) == ["ring"]
    assert roof.taken_from(rows) == {}


def test_who_waits_looks_then_lets_others_run_then_naps(monkeypatch):
    done = []
    flags, turn = [0], [1]

    def passed(what):
        done.append(what)
        if done.count("nap") == 3:
            flags[0] = 1

    monkeypatch.setattr(window, "let_others_run", lambda: passed("turn"))
    monkeypatch.setattr(window.time, "sleep", lambda seconds: passed("nap"))
    WindowExecutor._until(SimpleNamespace(turn=turn, crowded=True), flags, 0)()
    assert done == ["turn"] * window.PATIENCE + ["nap"] * 3
    WindowExecutor._until(SimpleNamespace(turn=turn, crowded=True), flags, 0)()
    assert len(done) == window.PATIENCE + 3  # a raised flag costs one look
