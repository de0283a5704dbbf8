"""What shape a schedule has, so that it can be drawn in that shape: groups of neighbours, or a grid of rings."""

from __future__ import annotations

import numpy as np

from core.schedule import Schedule

TABLE = 1 << 24  # entries


def neighbour_groups(schedule: Schedule) -> np.ndarray | None:
    """int64 [world_size], the group of every rank, if equal groups of neighbours keep to themselves for two steps."""
    seen, later = _islands(schedule, 1), _islands(schedule, 2)
    sizes = np.bincount(seen)
    neighbours = (np.diff(seen) >= 0).all() and (sizes == sizes[0]).all() and 1 < len(sizes) < schedule.world_size
    return seen if neighbours and (seen == later).all() else None


def grid_columns(schedule: Schedule) -> int:
    """The number of columns, if all who talk are side by side in a grid whose rows and columns are rings; else 0."""
    n = schedule.world_size
    if n < 6 or schedule.num_vertices > n or not schedule.num_transfers:
        return 0
    low, high = np.minimum(schedule.src, schedule.dst), np.maximum(schedule.src, schedule.dst)
    low, high = _pairs(low, high, n)
    for columns in range(int(n**0.5), n // 2 + 1):
        rows = n // columns
        if rows * columns != n or columns < 2:
            continue
        same_row, same_column = low // columns == high // columns, low % columns == high % columns
        across, down = high - low, (high - low) // columns
        beside = same_row & ((across == 1) | (across == columns - 1))
        below = same_column & ((down == 1) | (down == rows - 1))
        if (beside | below).all() and beside.any() and below.any():
            return columns
    return 0


def _islands(schedule: Schedule, steps: int) -> np.ndarray:
    """int64 [world_size]: ranks that exchange anything in the first steps, directly or not, have the same number."""
    rows = slice(0, schedule.step_ptr[min(steps, schedule.num_steps)])
    label = np.arange(schedule.num_vertices)
    pairs = _pairs(schedule.src[rows], schedule.dst[rows], len(label))
    while True:  # the smallest number spreads; a few rounds, since every round also follows the numbers found
        before = label.copy()
        low = np.minimum(label[pairs[0]], label[pairs[1]])
        np.minimum.at(label, pairs[0], low)
        np.minimum.at(label, pairs[1], low)
        label = label[label]
        if (label == before).all():
            break
    return np.unique(label[: schedule.world_size], return_inverse=True)[1]


def _pairs(one: np.ndarray, two: np.ndarray, below: int) -> tuple[np.ndarray, np.ndarray]:
    """Each pair of numbers below `below` once, int64 [num_pairs] each; ticking off a table is faster than sorting."""
    key = one.astype(np.int64) * below + two
    if below * below > TABLE:
        return np.divmod(np.unique(key), below)
    seen = np.zeros(below * below, bool)
    seen[key] = True
    return np.divmod(np.flatnonzero(seen), below)
