"""Many sizes and several ways to do it: what was measured, as a file, as a table, as curves."""

from __future__ import annotations

import csv
import io
import json
import math

import numpy as np

from core.container import BadFile
from core.replay import OPS
from core.run.request import BACKENDS, DTYPES
from core.units import show_bytes

KIND, VERSION = "allreduce-lab sweep", 1
MOST_ROWS, MOST_RANKS, MOST = 10_000, 1 << 20, 1e18  # of a file that may come from anybody
NO_TRACE = {"Clocks": "", "Looking at the clock": ""}  # a sweep has no trace, so nothing is to be said of clocks
LONGEST, LONGEST_LABEL = 2000, 200  # characters
NUMBERS = ("nbytes", "median", "best", "worst", "algbw", "busbw")


def to_json(result: dict) -> str:
    """The text of a sweep file. `result` is what a live run ends with: rows, and about (see ABOUT)."""
    return json.dumps({"kind": KIND, "version": VERSION, **result}, indent=1, allow_nan=False)


def from_json(data: str | bytes) -> dict:
    """The result in a sweep file: rows and about, nothing else. Raises BadFile, in a sentence, for anything else."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as problem:
        raise BadFile(f"this is not JSON ({str(problem)[:80]}): choose a sweep that was saved here") from None
    if not isinstance(found, dict) or found.get("kind") != KIND:
        raise BadFile("this is not a saved sweep: choose a file that this page, or core.run --json, wrote")
    if found.get("version") != VERSION:
        raise BadFile(f"this sweep has version {str(found.get('version'))[:20]}, this program reads version {VERSION}")
    rows, about = found.get("rows"), found.get("about")
    if not isinstance(rows, list) or not isinstance(about, dict) or not 0 < len(rows) <= MOST_ROWS:
        raise BadFile(f"this sweep has no rows, or more than {MOST_ROWS}: save it again")
    for name, wanted, fits in ABOUT:
        if not fits(about.get(name)):
            raise BadFile(f"this sweep does not say {wanted} ({name}): measure and save it again with this program")
    for number, row in enumerate(rows, 1):
        if not _is_row(row):
            raise BadFile(f"row {number} of this sweep is damaged: save it again")
    if len({(row["label"], row["nbytes"]) for row in rows}) < len(rows):
        raise BadFile("this sweep has two rows of the same method and size: save it again")
    return {"rows": [_known(row) for row in rows], "about": about}


def _is_text(value) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST


def _is_texts(value) -> bool:
    return isinstance(value, dict) and 0 < len(value) <= 20 and all(_is_text(str(text)) for text in value.values())


ABOUT = (  # what has to stand beside the rows: name, in words, and what fits
    ("world_size", "how many ranks it had", lambda value: type(value) is int and 1 <= value <= MOST_RANKS),
    ("backend", "what moved the data", lambda value: value in BACKENDS),
    ("dtype", "which numbers were added", lambda value: value in DTYPES),
    ("op", "what was done with them", lambda value: value in tuple(OPS)),
    ("machine", "on which machine it was measured", _is_texts),
    ("versions", "with which software it was measured", _is_texts),
    ("date", "when it was measured", _is_text),
    ("command", "how it was started", _is_text),
)


def _is_row(row) -> bool:
    if not isinstance(row, dict) or not _is_text(row.get("label")) or len(row["label"]) > LONGEST_LABEL:
        return False
    values = [row.get(name) for name in NUMBERS]
    numbers = all(type(value) in (int, float) and 0 <= value < MOST for value in values)
    return numbers and row["median"] > 0 and type(row["nbytes"]) is int


def _known(row: dict) -> dict:
    """What this program reads of a row; the share of other programs may be unknown."""
    foreign = row.get("foreign")
    known = type(foreign) in (int, float) and 0 <= foreign <= 1
    counts = {name: row[name] for name in ("rounds", "calls") if type(row.get(name)) is int}
    return {name: row[name] for name in ("label", *NUMBERS)} | counts | {"foreign": foreign if known else None}


def to_csv(result: dict) -> str:
    """One line for each size and method; seconds, bytes, bytes per second."""
    columns = ("nbytes", "label", "median", "best", "worst", "rounds", "calls", "algbw", "busbw", "foreign")
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(result["rows"])
    return text.getvalue()


def nccl_text(result: dict) -> str:
    """The table of nccl-tests: times in us, bandwidths in GB/s. #wrong is 0: a run with a wrong result has no table."""
    about = result["about"]
    itemsize = np.dtype(about["dtype"]).itemsize
    names = ("size", "count", "type", "redop", "time", "algbw", "busbw")
    lines = ["#{:>12} {:>12} {:>8} {:>6} {:>10} {:>8} {:>8} #wrong  method".format(*names)]
    for row in result["rows"]:
        kind = f"{about['dtype']:>8} {about['op']:>6}"
        lines.append(
            f" {row['nbytes']:>12} {row['nbytes'] // itemsize:>12} {kind} "
            f"{row['median'] * 1e6:>10.2f} {row['algbw'] / 1e9:>8.2f} {row['busbw'] / 1e9:>8.2f} {0:>6}  {row['label']}"
        )
    return "\n".join(lines)


def curves_of(result: dict) -> tuple[list[int], dict[str, list[float]]]:
    """(sizes, {label: median seconds at each size, NaN where there is none}); a size of 0 has no place on the axis."""
    sizes = sorted({row["nbytes"] for row in result["rows"] if row["nbytes"]})
    labels = dict.fromkeys(row["label"] for row in result["rows"])
    seconds = {(row["label"], row["nbytes"]): row["median"] for row in result["rows"]}
    return sizes, {label: [seconds.get((label, size), math.nan) for size in sizes] for label in labels}


def winners(result: dict) -> dict[int, str]:
    """{size: the label with the smallest median}."""
    best: dict[int, dict] = {}
    for row in result["rows"]:
        if row["nbytes"] not in best or row["median"] < best[row["nbytes"]]["median"]:
            best[row["nbytes"]] = row
    return {size: row["label"] for size, row in sorted(best.items())}


def summary(result: dict) -> str:
    """Who is fastest where, in a sentence: neighbouring sizes with the same winner are told together."""
    runs: list[list] = []
    for size, label in winners(result).items():
        if runs and runs[-1][0] == label:
            runs[-1][2] = size
        else:
            runs.append([label, size, size])
    parts = [f"{label} {_span(first, last)}" for label, first, last in runs]
    return f"Fastest: {'; '.join(parts)}."


def _span(first: int, last: int) -> str:
    return f"at {show_bytes(first)}" if first == last else f"from {show_bytes(first)} to {show_bytes(last)}"
