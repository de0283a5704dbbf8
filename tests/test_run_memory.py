"""Memory that is shared or large: what it holds stays, and what is moved through it is counted right."""

import ctypes
import mmap
from types import SimpleNamespace

import numpy as np
import pytest

from core.run.buffers import LARGE_PAGE, use_large_pages
from core.run.request import Method, Request
from core.run.threads import run_threads
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


def test_what_holds_no_large_page_is_left_alone(shared):
    assert not use_large_pages(shared[:4096])
    assert not use_large_pages(shared[4096 : LARGE_PAGE + 4096 - 1])


@pytest.mark.parametrize("nbytes", [0, 4, 1 << 16])
def test_the_roof_reads_and_writes_every_byte_of_the_buffer_once(nbytes, monkeypatch):
    """Twice makes everything what it was: no byte is left out, none is done twice."""
    seen = []

    def one(group):
        request = Request(1, (Method("ring"),), (nbytes,), backend="threads")
        roof = Worker(request, group, lambda event: None, SimpleNamespace(), "")._roof(nbytes)
        buffer = roof.keywords["out"]
        buffer[:] = np.arange(nbytes) % 199
        roof()
        seen.append((buffer == 255 - np.arange(nbytes) % 199).all())
        return 0

    assert run_threads(1, one) == 0
    assert seen == [True]
