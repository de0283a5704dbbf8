"""Sizes, times and rates as people write them. Inside the engine everything is bytes, seconds and bytes per second.

>>> parse_bytes("64 KiB"), parse_bytes("16M"), parse_bytes("2 MB"), parse_bytes("1_000")
(65536, 16777216, 2000000, 1000)
>>> show_bytes(67108864), show_bytes(1500), show_seconds(2.42e-3), show_rate(48.6e9), show_count(1234567)
('64 MiB', '1.46 KiB', '2.42 ms', '48.6 GB/s', '1,234,567')
"""

from __future__ import annotations

import math
import re

BINARY = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
DECIMAL = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
MAX_BYTES = 1 << 50
SIZE = re.compile(r"([+-]?\d*\.?\d+(?:e[+-]?\d{1,3})?)\s*([kmgt]?)(i?b|bytes?|)", re.IGNORECASE)


def parse_bytes(text: str) -> int:
    """The number of bytes in a text such as "64 KiB", "2 MB" or "16M".

    A bare letter counts in powers of two, as nccl-tests does (16M = 16 MiB); KB, MB, GB in powers of ten.
    Raises ValueError with a sentence that says what to write.
    """
    found = SIZE.fullmatch(text.strip().replace("_", ""))
    if not found:
        raise ValueError(f"cannot read {text.strip()[:40]!r} as a size: write it like 64 KiB, 16M or 1000000")
    number, letter, unit = found.groups()
    factor = (DECIMAL if letter and unit.lower().startswith("b") else BINARY)[letter.lower()]
    size = float(number) * factor
    if not 0 <= size <= MAX_BYTES:
        raise ValueError(f"{text.strip()[:40]} is not a size we can use: write 0 to {show_bytes(MAX_BYTES)}")
    return round(size)


def show_bytes(nbytes: float) -> str:
    """Bytes in powers of two, three digits: 1.46 KiB."""
    return _scaled(nbytes, 1024, ("B", "KiB", "MiB", "GiB", "TiB", "PiB"))


def show_rate(bytes_per_second: float) -> str:
    """Bytes per second in powers of ten, as network speeds are quoted: 48.6 GB/s."""
    return _scaled(bytes_per_second, 1000, ("B/s", "KB/s", "MB/s", "GB/s", "TB/s"))


def show_seconds(seconds: float) -> str:
    """Seconds with the unit that fits: 2.42 ms."""
    if seconds == 0:
        return "0 s"
    for unit, length in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if abs(seconds) >= length * 0.9995:
            return f"{digits(seconds / length)} {unit}"
    return f"{digits(seconds * 1e9)} ns"


def show_count(number: float) -> str:
    """A count with thousands marked; three digits after them only where it is not whole."""
    return f"{number:,.0f}" if number == int(number) else f"{number:,.3g}"


def digits(number: float) -> str:
    """Three digits that matter, without exponents: 0.00123, 1.23, 12.3, 1234."""
    if number == 0 or not math.isfinite(number):
        return "0" if number == 0 else str(number)
    places = max(0, 2 - math.floor(math.log10(abs(number))))
    text = f"{number:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _scaled(number: float, base: int, units: tuple[str, ...]) -> str:
    power = 0
    while abs(number) >= base * 0.9995 and power < len(units) - 1:
        number, power = number / base, power + 1
    return f"{digits(number)} {units[power]}"
