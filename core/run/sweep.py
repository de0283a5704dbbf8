"""Many sizes and several ways to do it: what was measured, as a file, as a table, as curves."""

from __future__ import annotations

import csv
import io
import json
import math

from core.container import BadFile
from core.units import show_bytes

KIND, VERSION = "allreduce-lab sweep", 1
MOST_ROWS = 10_000
NUMBERS = ("nbytes", "median", "best", "worst", "algbw", "busbw")


def to_json(result: dict) -> str:
    """The text of a sweep file. `result` is what a live run ends with: rows and about."""
    return json.dumps({"kind": KIND, "version": VERSION, **result}, indent=1, allow_nan=False)


def from_json(text: str) -> dict:
    """The result in a sweep file. Raises BadFile, in a sentence, for anything else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise BadFile(f"this is not JSON ({str(problem)[:80]}): choose a sweep that was saved here") from None
    if not isinstance(found, dict) or found.get("kind") != KIND:
        raise BadFile("this is not a saved sweep: choose a file that this page, or core.run --json, wrote")
    if found.get("version") != VERSION:
        raise BadFile(f"this sweep has version {str(found.get('version'))[:20]}, this program reads version {VERSION}")
    rows, about = found.get("rows"), found.get("about")
    if not isinstance(rows, list) or not isinstance(about, dict) or not 0 < len(rows) <= MOST_ROWS:
        raise BadFile(f"this sweep has no rows, or more than {MOST_ROWS}: save it again")
    for number, row in enumerate(rows, 1):
        if not _is_row(row):
            raise BadFile(f"row {number} of this sweep is damaged: save it again")
    return {"rows": rows, "about": about}


def _is_row(row) -> bool:
    if not isinstance(row, dict) or not isinstance(row.get("label"), str) or not row["label"]:
        return False
    values = [row.get(name) for name in NUMBERS]
    numbers = all(type(value) in (int, float) and 0 <= value < math.inf for value in values)
    return numbers and row["median"] > 0 and type(row["nbytes"]) is int


def to_csv(result: dict) -> str:
    """One line for each size and method; seconds, bytes, bytes per second."""
    columns = ("nbytes", "label", "median", "best", "worst", "rounds", "calls", "algbw", "busbw", "foreign")
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(result["rows"])
    return text.getvalue()


def nccl_text(result: dict, itemsize: int = 4) -> str:
    """The table of nccl-tests: times in us, bandwidths in GB/s. #wrong is 0: a run with a wrong result has no table."""
    about = result["about"]
    names = ("size", "count", "type", "redop", "time", "algbw", "busbw")
    lines = ["#{:>12} {:>12} {:>8} {:>6} {:>10} {:>8} {:>8} #wrong  method".format(*names)]
    for row in result["rows"]:
        kind = f"{about.get('dtype', '?')!s:>8} {about.get('op', '?')!s:>6}"
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
