"""What a live run says to a person at a terminal."""

from __future__ import annotations

import shlex
import sys
import uuid
from pathlib import Path

from core.run import sweep
from core.units import show_bytes, show_seconds

MOST_SHOWN = 500  # characters of a line about a file that may come from anybody


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
    rounds = min(row["rounds"] for row in rows)
    return [
        f"measured here: every result was checked; medians of {rounds} round{'s' * (rounds != 1)}{noise}",
        f"{about['machine']['processor']}, {about['machine']['cores']} processors; "
        + ", ".join(f"{name} {version}" for name, version in about["versions"].items()),
    ]


def provenance(about: dict) -> dict[str, str]:
    """Where, when and how a trace was measured, as {name: text}. `about` may come from anybody's file."""
    machine, clock, versions = (_dict(about.get(name)) for name in ("machine", "clock", "versions"))
    foreign, uncertainty = _number(about.get("foreign")), _number(clock.get("uncertainty_us"))
    doubt = "" if clock.get("agrees", True) else "; the clocks of the processes disagreed: do not trust single times"
    where = f"{machine.get('processor', 'an unknown machine')}, {machine.get('cores', '?')} processors"
    software = ", ".join(f"{name} {version}" for name, version in versions.items())
    lines = {
        "Measured": f"{about.get('date', 'at an unknown time')} on {where}; {software}",
        "Clocks": f"{clock.get('kind', 'unknown')}, wrong by {uncertainty or 0:.2g} us at most{doubt}; "
        f"{clock.get('impossible', 0)} transfers arrived before they were sent",
        "Other programs": "unknown" if foreign is None else f"took {foreign:.0%} of the processors meanwhile",
        "Looking at the clock": "takes time too: medians come from runs without it, the animation from one run with it",
        "Library": _library(about),
        "Command": str(about.get("command", "")),
    }
    return {name: text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]} ..." for name, text in lines.items()}


def _library(about: dict) -> str:
    """How MPI was set up; "" where it was not MPI, or where nothing is known."""
    if "library" not in about or about.get("backend", "mpi") != "mpi":
        return ""
    settings = ", ".join(f"{name}={value}" for name, value in _dict(about.get("settings")).items())
    return f"set up as {about['library']}{'; ' * bool(settings)}{settings}"


def _dict(value) -> dict:
    return value if isinstance(value, dict) else {}


def _number(value) -> float | None:
    return float(value) if isinstance(value, int | float) and abs(value) < 1e12 else None


def typed(launcher: str = "python") -> str:
    """The command line that started this program, to be typed again."""
    return f"{launcher} {shlex.join(['-m', 'core.run', *sys.argv[1:]])}"


def complain(problem: str, rank: int = 0) -> int:
    """Say once what is wrong with what was asked for; the exit code that means so.

    The other ranks end as if nothing were wrong: torchrun ends all at the first failure, heard or not.
    """
    if rank:
        return 0
    print(f"core.run: {problem}", file=sys.stderr)
    return 2


def print_result(result: dict, files: list[str], as_json: bool) -> None:
    if as_json:
        print(sweep.to_json({**result, "files": files}))
        return
    print(table(result["rows"]))
    print("\n".join([*about_lines(result), *(f"trace in {name}" for name in files)]))


def write_or_tell(out: str, traces: list[dict]) -> list[str]:
    """The files written; why one is missing goes to stderr, so that the result still stands alone on stdout."""
    written = []
    for path, found in zip(_names(out, traces), traces):
        try:
            _write(path, found["data"])
            written.append(str(path))
        except OSError as problem:
            why = problem.strerror or problem
            print(f"core.run: the run is done, but its trace cannot be written to {path}: {why}", file=sys.stderr)
    return written


def _names(out: str, traces: list[dict]) -> list[Path]:
    """Where the trace files go; several of them get names of their own."""
    path = Path(out)
    if not out or len(traces) < 2:
        return [path] * bool(out)
    words = ("".join(c if c.isalnum() else "-" for c in f"{one['label']}-{one['nbytes']}").strip("-") for one in traces)
    return [path.with_name(f"{path.stem}-{word}{path.suffix or '.arl'}") for word in words]


def _write(path: Path, data: bytes) -> None:
    """All of a file or nothing: what was there before stays until the new one is complete. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    target = path.resolve()  # a link stays a link
    if target.exists() and not target.is_file():
        target.write_bytes(data)  # a device or a pipe
        return
    part = target.with_name(f".{uuid.uuid4().hex}.part")
    try:
        part.write_bytes(data)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
