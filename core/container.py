"""One small file format for named arrays with a JSON header: trace files and what the player receives.

    gzip( "ARL1" | u32 length of the header | header, JSON padded with blanks | arrays, each at a multiple of 8 bytes )

Numbers are little-endian. The header's "arrays" lists [name, dtype, first byte after the header, number of entries].
gzip carries the checksum. Nothing is ever executed or unpickled on reading.
"""

from __future__ import annotations

import json
import struct
import zlib

import numpy as np

MAGIC = b"ARL1"
DTYPES = ("u1", "u2", "u4", "i4", "i8", "f4", "f8")
GZIP = 31  # zlib's window argument for gzip framing
MAX_BYTES = 1 << 28  # 40 bytes for each of 6 million transfers: more than the player shows
MAX_HEADER = 1 << 26  # bytes of JSON: as Python objects they take twenty times as much


class BadFile(ValueError):
    """Says what is wrong with a file, and what to do."""


def pack(header: dict, arrays: dict[str, np.ndarray], level: int = 6) -> bytes:
    """The bytes of a container; `header` must not use the key "arrays"."""
    table, blobs, place = [], [], 0
    for name, array in arrays.items():
        array = np.ascontiguousarray(array)
        kind = array.dtype.newbyteorder("<").str.lstrip("<|")
        if kind not in DTYPES:
            raise ValueError(f"array {name!r} has dtype {array.dtype}: a container holds {', '.join(DTYPES)}")
        blob = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        blob += b"\0" * (-len(blob) % 8)
        table.append([name, kind, place, array.size])
        blobs.append(blob)
        place += len(blob)
    text = json.dumps({**header, "arrays": table}, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-(len(text) + 8) % 8)
    squeeze = zlib.compressobj(level, wbits=GZIP)
    return squeeze.compress(b"".join([MAGIC, struct.pack("<I", len(text)), text, *blobs])) + squeeze.flush()


def narrow(array: np.ndarray) -> np.ndarray:
    """The same whole numbers, zero or more, in the smallest unsigned type that holds them."""
    top = int(array.max(initial=0))
    return array.astype(np.uint8 if top < 1 << 8 else np.uint16 if top < 1 << 16 else np.uint32)


def unpack(data: bytes, max_bytes: int = MAX_BYTES) -> tuple[dict, dict[str, np.ndarray]]:
    """(header, arrays) of a container. Raises BadFile for anything damaged, foreign or larger than max_bytes."""
    raw = _decompress(data, max_bytes)
    if raw[:4] != MAGIC or len(raw) < 8:
        raise BadFile("this is not a file of AllReduce Lab (its first bytes are not ARL1)")
    length = struct.unpack_from("<I", raw, 4)[0]
    if length > MAX_HEADER:
        raise BadFile(f"the header of this file has more than {MAX_HEADER >> 20} MiB: too large to open here")
    try:
        header = json.loads(raw[8 : 8 + length])
        json.dumps(header, ensure_ascii=False, allow_nan=False).encode()  # refuses half characters and infinities
        table = header.pop("arrays")
        arrays = {name: _array(raw, 8 + length, kind, place, size) for name, kind, place, size in table}
    except BadFile:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise BadFile(f"the header of this file cannot be read ({problem}): save it again") from None
    return header, arrays


def _decompress(data: bytes, max_bytes: int) -> bytes:
    if not data:
        raise BadFile("this file is empty: choose a file that AllReduce Lab saved")
    opener = zlib.decompressobj(wbits=GZIP)
    try:
        raw = opener.decompress(data, max_bytes)
    except zlib.error as problem:
        raise BadFile(
            f"this is not a file of AllReduce Lab, or it is damaged ({problem}): save or copy it again"
        ) from None
    if opener.unconsumed_tail:
        raise BadFile(f"this file unpacks to more than {max_bytes / 2**20:.0f} MiB: too large to open here")
    if not opener.eof:
        raise BadFile("this file is cut short: copy it again")
    return raw


def _array(raw: bytes, base: int, kind: str, place: int, size: int) -> np.ndarray:
    if kind not in DTYPES or type(place) is not int or type(size) is not int or place < 0 or size < 0:
        raise BadFile("the table of contents of this file is damaged: save it again")
    dtype = np.dtype("<" + kind)
    if base + place + size * dtype.itemsize > len(raw):
        raise BadFile("this file is shorter than its table of contents says: save it again")
    return np.frombuffer(raw, dtype, size, base + place)
