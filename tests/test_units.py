"""Sizes as people write them."""

import pytest

from core.units import parse_bytes, show_bytes, show_rate, show_seconds


@pytest.mark.parametrize(
    ("text", "nbytes"),
    [
        ("0", 0),
        ("16M", 16 << 20),
        ("64 KiB", 65536),
        ("1.5g", 3 << 29),
        ("2 MB", 2_000_000),
        ("1e3", 1000),
        ("8 b", 8),
        ("5 kbytes", 5000),
    ],
)
def test_sizes_are_read(text, nbytes):
    assert parse_bytes(text) == nbytes


@pytest.mark.parametrize("text", ["", "_", "abc", "-5", "1e400", "nan", "9" * 400, "12 parsecs", "--1", "1.2.3"])
def test_a_wrong_size_is_a_sentence_that_says_what_to_write(text):
    with pytest.raises(ValueError, match="write"):
        parse_bytes(text)


def test_what_is_shown_can_be_read_back():
    for nbytes in (0, 1, 1023, 1024, 3 << 20, 7 << 33):
        assert parse_bytes(show_bytes(nbytes)) == pytest.approx(nbytes, rel=0.005)


def test_units_change_where_they_should():
    assert [show_seconds(s) for s in (0, 5e-9, 1e-6, 0.9999e-3, 2.5)] == ["0 s", "5 ns", "1 us", "1 ms", "2.5 s"]
    assert [show_rate(r) for r in (999, 1e3, 50e9)] == ["999 B/s", "1 KB/s", "50 GB/s"]
