"""Which line of an algorithm's own source makes each step: the code view lights it."""

from __future__ import annotations

import ast
import inspect
from types import GeneratorType

from core.algorithms.base import Algorithm


def source_lines(algorithm: Algorithm, world_size: int, **options) -> tuple[str, list[int]]:
    """(text, lines): algorithm.source, and for every step the line of it, from 0, that yielded it; -1 if none did.

    The generator is run once more and looked at while it waits after each step.
    """
    place = _places(algorithm)
    file = inspect.getfile(inspect.getmodule(algorithm.steps))
    generator = algorithm.steps(world_size, **options)
    lines = []
    for _ in generator:
        found = [place[line] for line in _waiting_at(generator, file) if line in place]
        lines.append(found[-1] if found else -1)
    return algorithm.source, lines


def _places(algorithm: Algorithm) -> dict[int, int]:
    """{line of the file: line of algorithm.source}, which shows the public functions one after another."""
    text = inspect.getsource(inspect.getmodule(algorithm.steps))
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    place, shown = {}, 0
    for function in functions:
        if function.name.startswith("_"):
            continue
        for line in range(function.lineno, function.end_lineno + 1):
            place[line] = shown
            shown += 1
        shown += 2  # the blank lines between functions
    return place


def _waiting_at(generator: GeneratorType, file: str) -> list[int]:
    """The lines of `file` where this generator and those it draws from are waiting, outermost first."""
    lines = []
    while isinstance(generator, GeneratorType) and generator.gi_frame is not None:
        frame = generator.gi_frame
        if frame.f_code.co_filename == file:
            lines.append(frame.f_lineno)
        generator = generator.gi_yieldfrom or _drawn_from(frame.f_locals)
    return lines


def _drawn_from(variables: dict) -> GeneratorType | None:
    """The generator that a wrapper such as on_groups was given and has begun."""
    given = (value for value in variables.values() if isinstance(value, GeneratorType))
    return next(
        (one for one in given if one.gi_frame is not None and inspect.getgeneratorstate(one) == "GEN_SUSPENDED"), None
    )
