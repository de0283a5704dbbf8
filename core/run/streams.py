"""A full disk or a reader that has gone must not cost a result that is there already."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable


class Forgiving:
    """A stream that remembers why it cannot be written to, and then takes everything in silence."""

    def __init__(self, stream):
        self.stream, self.problem = stream, ""
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # whatever its encoding cannot say

    def __getattr__(self, name: str):
        return getattr(self.stream, name)

    def isatty(self) -> bool:
        return bool(self.stream) and not self.problem and self.stream.isatty()

    def write(self, text: str) -> int:
        if self.stream and not self.problem:
            try:
                self.stream.write(text)
                self.stream.flush()
            except OSError as problem:
                self.problem = problem.strerror or str(problem)
                os.dup2(os.open(os.devnull, os.O_WRONLY), self.stream.fileno())  # Python tries once more at its end
        return len(text)

    def flush(self) -> None:
        """What is written is flushed at once."""


def forgiving(main: Callable[[list[str]], int], arguments: list[str]) -> int:
    """main(arguments) with streams that cannot end it; 1 instead of 0 if its result could not be written."""
    sys.stdout, sys.stderr = Forgiving(sys.stdout), Forgiving(sys.stderr)
    code = main(arguments)
    if sys.stdout.problem:
        print(f"core.run: the result cannot be written: {sys.stdout.problem}", file=sys.stderr)
    return code or int(bool(sys.stdout.problem))
