"""What a job tells its own processes: a file in the run's folder, written by the one, checked by the others."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from core.run import faults, processes
from core.run.request import Request

NAME = "spec.json"
LARGEST = 1 << 20  # bytes


@dataclass(frozen=True)
class Spec:
    request: Request
    folder: Path  # of the run: for its trace files, and removed when it ends
    parent: int  # the process that wants the result
    born: str  # when that was started: see processes.started
    command: str  # what trace files name as their origin


def write(folder: Path, request: Request, command: str) -> None:
    mine = {"parent": os.getpid(), "born": processes.started(os.getpid())}
    (folder / NAME).write_text(json.dumps(mine | {"request": request.as_dict(), "command": command}))


def read(path: Path) -> Spec:
    """Raises ValueError with a sentence: a run believes nobody but the job that started it.

    The folder is the one in which the file lies, and it must carry the mark of this run: whatever the file says,
    nothing else is ever written to or removed.
    """
    folder, mark = path.absolute().parent, os.environ.get("ALLREDUCE_RUN", "")
    if path.name != NAME or not mark or not processes.is_folder(folder, mark):
        raise ValueError(f"--spec {str(path)[:200]}: only a run starts its own processes with it: use -n and --bytes")
    try:
        with open(path, "rb") as file:
            about = json.loads(file.read(LARGEST))
        request = Request.from_dict(about["request"])
        spec = Spec(request, folder, int(about["parent"]), str(about["born"]), str(about["command"]))
        problem = request.refuse() or faults.refuse(request.fault, request.num_processes)
    except OSError as error:
        raise ValueError(f"--spec {str(path)[:200]} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
        raise ValueError(f"--spec {str(path)[:200]} is damaged: start the run again") from None
    if problem:
        raise ValueError(problem)
    return spec
