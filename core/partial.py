"""What did happen before a dead rank or a cut link stopped everything."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.schedule import COLUMNS, Schedule
from core.trace import Trace


def arrived(schedule: Schedule, nbytes: int, start: np.ndarray, end: np.ndarray, source: str) -> Trace:
    """The transfers that did arrive, up to the last step with any; start and end are infinity for the others."""
    done = np.isfinite(end)
    per_step = np.bincount(schedule.step_of[done], minlength=schedule.num_steps)
    steps = int(np.flatnonzero(per_step).max(initial=-1)) + 1
    columns = {name: getattr(schedule, name)[done] for name in COLUMNS}
    part = replace(
        schedule,
        **columns,
        step_ptr=np.append(0, np.cumsum(per_step[:steps])).astype(np.int64),
        phases=schedule.phases[:steps],
        into=schedule.into[done] if schedule.moves_chunks else columns["chunk"],
    )
    return Trace(part, nbytes, start[done], end[done], source)
