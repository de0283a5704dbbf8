"""From the chunks that are not clearly right to a Report."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from core import edits
from core.blame import cells, words
from core.blame.repair import Lanes, single_edits
from core.blame.report import MAX_REPAIRS, Report
from core.blame.several import beyond_one_edit
from core.collective import Collective
from core.edits import Edit
from core.lanes import racing_rows, wrong_nodes
from core.schedule import Schedule

MAX_LANES = 64  # wrong lanes looked at: the first ones

Wrong = dict[int, dict[int, tuple[int, int]]]  # lane -> node -> (missing bits, bits too many)


def explain(schedule: Schedule, collective: Collective, chunks: Iterable[int]) -> Report | None:
    """A Report about the lanes of `chunks`, or None if they are right after all."""
    lanes = Lanes(schedule, collective)
    wrong = _wrong_lanes(lanes, chunks)
    if not wrong:
        return None
    good, complete = single_edits(lanes, list(wrong))
    if not good:
        return beyond_one_edit(lanes, wrong, complete)
    return _repairable(lanes, wrong, good, complete)


def _wrong_lanes(lanes: Lanes, chunks: Iterable[int]) -> Wrong:
    """A lane with a race has no wrong nodes: what it holds depends on luck. Scratch may be a lane of its own."""
    wrong: Wrong = {}
    every_buffer = lanes.group.reshape(-1, lanes.schedule.num_chunks)[:, np.asarray(chunks, np.int64)]
    for group in dict.fromkeys(every_buffer.ravel().tolist()):
        moves = lanes[group].moves
        raced = bool(racing_rows(moves))
        nodes = {} if raced else wrong_nodes(lanes[group], moves)
        if raced or nodes:
            wrong[group] = nodes
        if len(wrong) == MAX_LANES:
            break
    return wrong


def _repairable(lanes: Lanes, wrong: Wrong, good: list[Edit], complete: bool) -> Report:
    schedule, best, likeliest = lanes.schedule, good[0], tuple(good[:MAX_REPAIRS])
    end, step = cells.at_the_end(lanes, wrong), edits.first_step(schedule, best)
    raced = next((rows for group in wrong if (rows := racing_rows(lanes[group].moves))), [])
    at = cells.race(lanes, list(wrong)) if raced else cells.first_difference(lanes, best, step) or end[0]
    return Report(
        right=False,
        sentence=words.one_fault(schedule, step, good, raced, at, end, complete),
        kind="race" if raced else words.kind(schedule, best),
        step=step,
        transfers=tuple(dict.fromkeys(edit.row for edit in likeliest if edit.row is not None)),
        hops=tuple(h for edit in likeliest if edit.row is None for h in edit.hops),
        at=at,
        cells=end,
        repairs=likeliest,
        more_repairs=len(good) - len(likeliest),
        searched_all=complete,
        faults=1,
    )
