"""Who may import whom, where import-linter cannot look: numbered lessons are not importable names."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OUTSIDE = {  # packages that only these places may import
    "streamlit": ("lessons", "app"),
    "plotly": ("core.figures", "lessons.parts.player"),
    "torch": ("core.run",),
    "mpi4py": ("core.run",),
}
FILES = sorted(p for p in ROOT.rglob("*.py") if p.relative_to(ROOT).parts[0] in ("core", "lessons", "app.py"))


def dotted(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def imports(tree):
    """(module, is it at the top level of the file?) of every import."""
    for node in ast.walk(tree):
        names = [node.module] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        yield from ((name, node in tree.body) for name in names if name)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_stay_in_their_room(path):
    me = dotted(path)
    for name, at_top in imports(ast.parse(path.read_text())):
        package = name.split(".")[0]
        owners = OUTSIDE.get(package)
        assert owners is None or me.startswith(owners), f"{me} may not import {name}"
        assert not (package in ("torch", "mpi4py") and at_top), f"{me} imports {name} before it is needed"
        if me.startswith("core"):
            assert package not in ("lessons", "app"), f"{me} imports {name}, which is a layer above it"
        if me.startswith("lessons."):
            assert not name.startswith("lessons.") or name.startswith("lessons.parts"), f"{me} imports another lesson"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_and_functions_stay_short(path):
    text = path.read_text()
    assert len(text.splitlines()) <= 250, f"{path.name} is longer than 250 lines: one idea a file"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            body = node.end_lineno - node.lineno + 1 - len((ast.get_docstring(node, clean=False) or "").splitlines())
            assert body <= 40, f"{path.name}: {node.name} has {body} lines"
