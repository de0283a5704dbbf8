"""The JSDoc types of the player hold: TypeScript checks them, strictly, and no type says that anything goes."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PLAYER = ROOT / "static" / "player"
COMMENT = re.compile(r"/\*\*.*?\*/|//[^\n]*", re.S)
TYPE = re.compile(r"@\w+\s*(\{(?:[^{}]|\{[^{}]*\})*\})")  # with braces inside, one deep
ANYTHING = re.compile(r"\bany\b|\bFunction\b|\{\s*\*\s*\}")
DIRECTIVE = re.compile(r"@ts-(ignore|nocheck|expect-error)")


@pytest.fixture(scope="module")
def check(without):
    """check(project file) -> (exit status, what TypeScript says)."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])  # there may be its Node.js
    tsc = shutil.which("tsc", path=str(ROOT / "node_modules" / ".bin"))
    if not tsc:
        without("TypeScript is not installed: sh scripts/typescript.sh")

    def checked(project):
        command = [tsc, "--pretty", "false", "-p", str(project)]
        told = subprocess.run(
            command, cwd=ROOT, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=120
        )
        return told.returncode, told.stdout + told.stderr

    return checked


def test_types(check):
    assert check(PLAYER / "jsconfig.json") == (0, "")


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param('/** @type {number} */\nexport const n = "one";', id="a string for a number"),
        pytest.param("export const f = (x) => x;", id="a parameter without a type"),
        pytest.param("/** @param {string|null} s */\nexport const f = (s) => s.length;", id="null"),
    ],
)
def test_the_check_is_strict(check, tmp_path, wrong):
    (tmp_path / "wrong.js").write_text(wrong, encoding="utf-8")
    shutil.copy(PLAYER / "jsconfig.json", tmp_path)
    status, told = check(tmp_path / "jsconfig.json")
    assert status != 0
    assert "wrong.js" in told


def escapes(text):
    """The types and directives in the comments that switch the check off."""
    comments = COMMENT.findall(text)
    types = [type for comment in comments for type in TYPE.findall(comment) if ANYTHING.search(type)]
    return types + [comment for comment in comments if DIRECTIVE.search(comment)]


def test_no_type_says_that_anything_goes():
    found = {file.name: escapes(file.read_text(encoding="utf-8")) for file in PLAYER.rglob("*.js")}
    assert {name: types for name, types in found.items() if types} == {}


@pytest.mark.parametrize(
    "escape",
    [
        "/** @type {any} */ (x)",
        "/** @param {Object<string, any>} x in any order */",
        "/** @returns {Promise<{header: any, more: string}>} */",
        "/** @param {*} x */",
        "// @ts-ignore",
    ],
)
def test_escapes_are_found(escape):
    assert escapes(escape)


def test_modules_stay_small_and_free_of_dependencies():
    for module in PLAYER.rglob("*.js"):
        text = module.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 250, module.name
        imports = [line for line in text.splitlines() if line.startswith("import ")]
        assert all('from "./' in line or 'from "../' in line for line in imports), module.name
        assert all(line.endswith('";') for line in imports), (
            f"{module.name}: one line for each import, or they cannot be put into one file"
        )
