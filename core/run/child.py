"""Start a program for a live run, wait for it, end it: nothing of it is left afterwards, however it ended."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from core.run import processes, runtimes

LOOK = 0.02  # seconds between two looks at a program


@contextmanager
def workplace(run_id: str) -> Iterator[Path]:
    """A folder for one run. Those that the dead have left are removed."""
    processes.tidy(tempfile.gettempdir())
    folder = processes.new_folder(run_id)
    try:
        yield folder
    finally:
        processes.remove(folder)


@contextmanager
def running(program: list[str], env: dict[str, str], out, errors) -> Iterator[subprocess.Popen]:
    """The program, in a session of its own and with nothing to read; gone after the block, with all that it started.

    `env` is an environment made by runtimes.environment: its mark is in everything that the program starts.
    """
    how = {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": errors, "start_new_session": True}
    since = time.time()
    process = subprocess.Popen(program, cwd=runtimes.ROOT, env=env, **how)
    try:
        yield process
    finally:
        processes.end(process, env["ALLREDUCE_RUN"], since)


def said(file: BinaryIO, most: int) -> bytes:
    """What a program wrote into this file; of more than `most` bytes both ends, where what went wrong stands."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    if size <= most:
        return file.read()
    begin = file.read(most // 2)
    file.seek(size - most // 2)
    return begin + b"\n...\n" + file.read(most // 2)


def follow(process: subprocess.Popen, cancelled: threading.Event, verdict: Callable[[], str]) -> str:
    """Wait until the program ends (""), it shall be cancelled ("cancelled"), or the verdict is that it must end."""
    while process.poll() is None:
        if cancelled.wait(LOOK):
            return "cancelled"
        if found := verdict():
            return found
    return ""
