"""What a live run says to a person at a terminal."""

from __future__ import annotations

import sys

from core.units import show_bytes, show_seconds


class Printer:
    """One line of progress on stderr, written over and over where that is a terminal."""

    def __init__(self, stream=None):
        self.stream, self.last = stream or sys.stderr, ""

    def show(self, done: float, text: str) -> None:
        line = f"{done:4.0%}  {text}"
        if line == self.last:
            return
        self.last = line
        self.stream.write(f"\r\033[K{line}" if self.stream.isatty() else f"{line}\n")
        self.stream.flush()

    def close(self) -> None:
        if self.last and self.stream.isatty():
            self.stream.write("\r\033[K")
        self.last = ""


def table(rows: list[dict]) -> str:
    """The result as text, one line per size and method; times are medians measured here."""
    width = max(len(row["label"]) for row in rows)
    names = ("size", "method", "median", "best", "algbw GB/s", "busbw GB/s", "/ native")
    lines = ["{:>9}  {:<{width}}  {:>9}  {:>9}  {:>10}  {:>10}  {:>8}".format(*names, width=width)]
    native = {row["nbytes"]: row["median"] for row in rows if row["label"] == "native"}
    for row in rows:
        ratio = f"{row['median'] / native[row['nbytes']]:.2f}" if native.get(row["nbytes"]) else ""
        lines.append(
            f"{show_bytes(row['nbytes']):>9}  {row['label']:<{width}}  {show_seconds(row['median']):>9}  "
            f"{show_seconds(row['best']):>9}  {row['algbw'] / 1e9:>10.3f}  {row['busbw'] / 1e9:>10.3f}  {ratio:>8}"
        )
    return "\n".join(lines)


def about_lines(result: dict) -> list[str]:
    about, rows = result["about"], result["rows"]
    shares = [row["foreign"] for row in rows if row["foreign"] is not None]
    noise = f"; other programs took {max(shares):.0%} of the processors" if shares else ""
    return [
        f"measured here: every result was checked; medians of {min(row['rounds'] for row in rows)} rounds{noise}",
        f"{about['machine']['processor']}, {about['machine']['cores']} processors; "
        + ", ".join(f"{name} {version}" for name, version in about["versions"].items()),
    ]
