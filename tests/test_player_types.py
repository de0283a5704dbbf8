"""The JSDoc types of the player hold: TypeScript checks them, where it is installed."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_types():
    local = ROOT / "node_modules" / ".bin" / "tsc"
    tsc = str(local) if local.exists() else shutil.which("tsc")
    if not tsc:
        pytest.skip("TypeScript is not installed: `npm install --no-save typescript` to check the player's types")
    told = subprocess.run(
        [tsc, "-p", "static/player/jsconfig.json"], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert told.returncode == 0, told.stdout


def test_modules_stay_small_and_free_of_dependencies():
    for module in (ROOT / "static" / "player").rglob("*.js"):
        text = module.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 250, module.name
        imports = [line for line in text.splitlines() if line.startswith("import ")]
        assert all('from "./' in line or 'from "../' in line for line in imports), module.name
        assert all(line.endswith('";') for line in imports), (
            f"{module.name}: one line for each import, or they cannot be put into one file"
        )
