"""Every transfer of a trace as comma-separated values, for spreadsheets and notebooks."""

from __future__ import annotations

import numpy as np

from core.schedule import COPY
from core.trace import Trace

COLUMNS = ("step", "phase", "src", "dst", "chunk", "count", "into", "op", "start_us", "end_us")
MAX_ROWS = 500_000


def to_csv(trace: Trace) -> str:
    """One row for each transfer, in order; steps from 1, times in microseconds. Raises ValueError beyond MAX_ROWS."""
    schedule = trace.schedule
    if schedule.num_transfers > MAX_ROWS:
        raise ValueError(f"{schedule.num_transfers:,} transfers: a table holds up to {MAX_ROWS:,}; take the trace file")
    step = schedule.step_of
    phases = np.array([_cell(phase) for phase in schedule.phases] or [""], object)
    columns = (
        (step + 1).tolist(),
        phases[step].tolist(),
        *(getattr(schedule, name).tolist() for name in ("src", "dst", "chunk", "count", "into")),
        ["copy" if op == COPY else "reduce" for op in schedule.op.tolist()],
        *([f"{time:.6g}" for time in (times * 1e6).tolist()] for times in (trace.start, trace.end)),
    )
    return "\n".join([",".join(COLUMNS), *(",".join(map(str, row)) for row in zip(*columns))]) + "\n"


def _cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula or for two cells."""
    safe = "'" + text if text[:1] in ("=", "+", "-", "@") else text
    return '"' + safe.replace('"', '""') + '"' if set(safe) & set(',"\r\n') else safe
