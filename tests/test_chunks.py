import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.chunks import LAYOUTS, chunk_bounds, slot_bounds


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("num_chunks", [1, 2, 3, 8])
@pytest.mark.parametrize("num_elements", [0, 1, 2, 3, 7, 16, 33])
def test_chunks_cover_the_buffer_once(num_elements, num_chunks, layout):
    bounds = chunk_bounds(num_elements, num_chunks, layout)
    assert bounds[0] == 0
    assert bounds[-1] == num_elements
    assert len(bounds) == num_chunks + 1
    assert (np.diff(bounds) >= 0).all()


def test_even_is_numpys_array_split():
    for n in range(20):
        sizes = [len(part) for part in np.array_split(np.arange(n), 6)]
        assert np.diff(chunk_bounds(n, 6)).tolist() == sizes


def test_the_other_layouts_do_what_their_libraries_do():
    assert np.diff(chunk_bounds(10, 4, "ceil")).tolist() == [3, 3, 3, 1]
    assert np.diff(chunk_bounds(5, 4, "ceil")).tolist() == [2, 2, 1, 0]
    assert np.diff(chunk_bounds(10, 4, "floor_last")).tolist() == [2, 2, 2, 4]
    assert np.diff(chunk_bounds(37, 4, "aligned")).tolist() == [12, 12, 12, 1]


@pytest.mark.parametrize("wrong", [(-1, 4, "even"), (4, 0, "even"), (4, 4, "odd")])
def test_refuses_what_cannot_be_cut(wrong):
    with pytest.raises(ValueError, match=r"cut|layout"):
        chunk_bounds(*wrong)


def test_slots_of_one_buffer_are_its_chunks():
    first, last = slot_bounds(ALGORITHMS["ring"](4), 10)
    assert first.tolist() == [0, 3, 6, 8]
    assert last.tolist() == [3, 6, 8, 10]
