import gzip
import json
import struct

import numpy as np
import pytest

from core.container import MAGIC, BadFile, narrow, pack, unpack

ARRAYS = {"a": np.arange(5, dtype=np.uint8), "b": np.array([1.5, -2.0]), "c": np.array([], np.int32)}


def test_comes_back_as_it_went():
    header, arrays = unpack(pack({"kind": "test", "text": "é"}, ARRAYS))
    assert header == {"kind": "test", "text": "é"}
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        assert arrays[name].tolist() == array.tolist()


def test_same_content_gives_the_same_bytes():
    assert pack({"x": 1}, ARRAYS) == pack({"x": 1}, ARRAYS)


def test_narrow_takes_the_smallest_type():
    assert [narrow(np.array([top])).itemsize for top in (0, 255, 256, 65535, 65536)] == [1, 1, 2, 2, 4]


def container(header: bytes, body: bytes = b"") -> bytes:
    return gzip.compress(MAGIC + struct.pack("<I", len(header)) + header + body)


def described(table) -> bytes:
    return container(json.dumps({"arrays": table}).encode(), b"\0" * 64)


REFUSED = [
    (b"", "empty"),
    (b"hello", "not a file of AllReduce Lab"),
    (gzip.compress(b"something else entirely"), "first bytes"),
    (pack({}, ARRAYS)[:-9], "cut short"),
    (container(b"{not json"), "header"),
    (container(b"[]"), "header"),
    (container(b"{}"), "header"),
    (container(b'{"x":NaN,"arrays":[]}'), "header"),
    (container(b'{"x":1e999,"arrays":[]}'), "header"),
    (container(b'{"x":"\\ud800","arrays":[]}'), "header"),
    (container(b"[" * 100_000), "header"),
    (gzip.compress(MAGIC + b"\xff\xff\xff\xff{}"), "header of this file has more"),
    (described([["a", "O", 0, 1]]), "table of contents"),
    (described([["a", "u1", -8, 1]]), "table of contents"),
    (described([["a", "f8", 0, 10**12]]), "shorter"),
    (described([["a", "u1", 0, True]]), "table of contents"),
]


@pytest.mark.parametrize(("data", "says"), REFUSED, ids=map(str, range(len(REFUSED))))
def test_refuses_foreign_and_damaged_bytes(data, says):
    with pytest.raises(BadFile, match=says):
        unpack(data)


def test_every_flipped_byte_is_noticed():
    good = pack({"kind": "test"}, ARRAYS)
    for place in range(10, len(good) - 4):  # the gzip header itself holds a time and flags that carry nothing
        bad = bytearray(good)
        bad[place] ^= 0x55
        with pytest.raises(BadFile):
            unpack(bytes(bad))


def test_a_bomb_is_not_unpacked():
    with pytest.raises(BadFile, match="too large"):
        unpack(gzip.compress(bytes(10_000_000)), max_bytes=1_000_000)
