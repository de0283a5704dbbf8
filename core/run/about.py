"""What has to stand beside a measured number: the machine, the date, the command, the versions."""

from __future__ import annotations

import datetime
import os
import platform
import sys

import numpy as np

from core.run.backend import Group
from core.run.request import Request
from core.run.runtimes import settings


def about(request: Request, group: Group, command: str) -> dict:
    """Every process calls this; what it says is complete on process 0."""
    hosts = group.gather(platform.node()) or []
    return {
        "machine": machine() | {"hosts": len(set(hosts))},
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "command": command or " ".join(sys.argv),
        "versions": {**group.versions(), "Python": platform.python_version(), "numpy": np.__version__},
        "settings": settings(),
        "library": request.library,
        "world_size": request.world_size,
        "backend": request.backend,
        "device": request.device,
        "dtype": request.dtype,
        "op": request.op,
        "layout": request.layout,
    }


def machine() -> dict:
    return {"processor": processor(), "cores": os.cpu_count(), "system": f"{platform.system()} {platform.release()}"}


def processor() -> str:
    try:
        with open("/proc/cpuinfo") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
