"""What the player needs in the browser, put where Streamlit serves files: static/vendor, which git ignores.

    plotly-VERSION.min.js   from the installed plotly package
    player-HASH/            player.js, all modules of static/player in one file; player.css; themes.json

A name changes with its content, so that no browser keeps a mixture of versions. Files appear whole or not at all, so
several apps may start at once; nothing is written when all is there already, as in a folder that is read only.
Folders of earlier versions are taken away when an app starts, unless another one still serves from them.
"""

from __future__ import annotations

import errno
import hashlib
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import IO

from core.figures.theme import DARK, LIGHT

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "static" / "player"
PUBLISHED = ROOT / "static" / "vendor"
IN_USE: list[IO[bytes]] = []  # open and locked as long as this process serves from their folders
SIGN, TRIES = "themes.json", 5  # the file that is open and locked; how often a folder is made that others take away
IMPORT = re.compile(r'^import (\{[^}]*\}) from "(\.[^"]+)";$', re.M)
EXPORT = re.compile(r"^export (default )?((?:async )?function|class|const) (\w+)", re.M)


@cache
def publish() -> str:
    """Put the files there. Returns "", or what went wrong and what to do."""
    import plotly

    try:
        PUBLISHED.mkdir(parents=True, exist_ok=True)
        script = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
        _appear(PUBLISHED / plotly_file(), lambda new: shutil.copyfile(script, new))
        IN_USE.append(_in_use(PUBLISHED / player_folder()))
        _tidy(PUBLISHED / player_folder())
    except OSError as problem:
        return (
            f"The animation cannot be shown: its files could not be copied to {PUBLISHED.relative_to(ROOT)} "
            f"({problem.strerror or problem}). Let the app write there once, then reload."
        )
    return ""


@cache
def plotly_file() -> str:
    return f"plotly-{version('plotly')}.min.js"


@cache
def player_folder() -> str:
    content = [file.relative_to(SOURCE).as_posix().encode() + file.read_bytes() for file in sorted(SOURCE.rglob("*.*"))]
    return f"player-{hashlib.sha256(b''.join(content) + _colours()).hexdigest()[:12]}"


def _colours() -> bytes:
    return json.dumps({"light": LIGHT, "dark": DARK}).encode()


def _write_player(folder: Path) -> None:
    folder.mkdir()
    (folder / "player.js").write_text(one_script(SOURCE / "player.js"), encoding="utf-8")
    (folder / SIGN).write_bytes(_colours())
    shutil.copyfile(SOURCE / "player.css", folder / "player.css")


def one_script(entry: Path) -> str:
    """A module and all it imports as one script: one request instead of fifty, and the saved animation needs no other.

    Each module becomes a function that returns what it exports. Imports are one line each and name things in braces.
    """
    wrapped: dict[Path, str] = {}

    def visit(path: Path) -> None:
        code = path.read_text(encoding="utf-8")
        for _, other in IMPORT.findall(code):
            if (path.parent / other).resolve() not in wrapped:
                visit((path.parent / other).resolve())
        wrapped[path] = _wrapped(code, path, entry.parent)

    visit(entry.resolve())
    return "\n".join(["const $modules = {};", *wrapped.values(), f"export default $modules.{entry.stem}.default;\n"])


def _wrapped(code: str, path: Path, root: Path) -> str:
    def named(place: Path) -> str:
        return json.dumps(place.resolve().relative_to(root.resolve()).with_suffix("").as_posix())

    def taken(found: re.Match) -> str:
        return f"const {found[1].replace(' as ', ': ')} = $modules[{named(path.parent / found[2])}];"

    given = ", ".join(f"default: {name}" if first else name for first, _, name in EXPORT.findall(code))
    body = EXPORT.sub(r"\2 \3", IMPORT.sub(taken, code))
    return f"$modules[{named(path)}] = (() => {{\n{body}\nreturn {{ {given} }};\n}})();"


def _in_use(folder: Path) -> IO[bytes]:
    """Make the folder if it is not there, and say that it is in use, as long as the file lives that is returned."""
    for _ in range(TRIES):
        _appear(folder, _write_player)
        with suppress(FileNotFoundError):  # an app of another version has just taken it away
            file = _claimed(folder, exclusive=False)
            if (folder / SIGN).exists():
                return file  # from now on nobody does
            file.close()
    raise FileNotFoundError(errno.ENOENT, "others take away what is put there")


def _tidy(served: Path) -> None:
    """Take away the older folders that are not in use."""
    for folder in PUBLISHED.glob("player-*"):
        try:
            if folder != served and folder.stat().st_mtime < served.stat().st_mtime:
                _take_away(folder)
        except OSError:
            continue  # somebody serves from it, or may not be disturbed, or was faster


def _take_away(folder: Path) -> None:
    """All of it or nothing: it is moved aside first. Raises OSError where somebody serves from it."""
    aside = tempfile.TemporaryDirectory(dir=folder.parent, prefix=".old-")
    with aside as place, _claimed(folder, exclusive=True) as claim:
        if sys.platform == "win32":
            claim.close()  # there, a folder with an open file in it cannot be moved, by others or by us
        folder.rename(Path(place) / folder.name)


def _claimed(folder: Path, exclusive: bool) -> IO[bytes]:
    """An open file of that folder, locked where there are locks; elsewhere, what is open cannot be taken away."""
    file = (folder / SIGN).open("rb")
    try:
        import fcntl
    except ImportError:
        return file
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB if exclusive else fcntl.LOCK_SH)
    except OSError:
        file.close()
        raise
    return file


def _appear(target: Path, make: Callable[[Path], object]) -> None:
    """Make a file or folder elsewhere, then show it in one move."""
    if target.exists():
        return
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".new-") as folder:
        new = Path(folder) / target.name
        make(new)
        try:
            new.rename(target)
        except OSError:
            if not target.exists():  # else another process was faster, and its copy is as good
                raise
