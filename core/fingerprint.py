"""A proof that is almost certain, and quick enough for tens of millions of chunk moves.

Give every rank's input two random 64-bit numbers, and let a place hold the sums of the numbers of what it contains,
modulo 2^64. If a rank ends with wrong counts, its sums are right only by an accident of the random numbers: where the
count of some input is wrong by an odd number, with probability 2^-128, and where all counts are wrong by multiples of
2^k, with probability 2^(2k - 128). A wrong count can be off by 2^32 only after 32 doublings, so for any schedule whose
places never count an input more than 2^32 times, a wrong schedule is accepted with a probability of at most 2^-64.
(A count that is off by exactly 2^64 is never seen. The exact proof in core.verify has no such gap.)
"""

from __future__ import annotations

import numpy as np

from core.bitsets import changes_chunks
from core.blame.structure import malformed
from core.collective import Collective
from core.moves import Moves, batches, moves, racing, steps, turns
from core.schedule import Schedule
from core.starts import who_has

SEED = 7  # the default; any other gives an independent proof
AT_ONCE = 1 << 17  # places compared at once
PAIR = np.dtype(np.complex128)  # 16 bytes that numpy moves as one item; never used as a number


def probably_right(schedule: Schedule, collective: Collective, seed: int = SEED) -> bool:
    """Is the schedule right? True may be wrong with the probability above, False never is."""
    if malformed(schedule) is not None:
        return False
    sums, want = _start(schedule, collective, seed)
    places = sums.reshape(-1, 2)
    for first, last in batches(schedule):
        batch = moves(schedule, first, last)
        nth = turns(batch, len(places))
        if nth is not None and racing(batch, len(places)).any():
            return False
        _carry_out(batch, nth, places)
    return _ends_well(schedule, collective, sums, want)


def _ends_well(schedule: Schedule, collective: Collective, sums: np.ndarray, want: np.ndarray) -> bool:
    """Some ranks at a time, to stay in the cache."""
    chunk = np.arange(schedule.num_chunks)
    size = max(1, AT_ONCE // schedule.num_chunks)
    for low in range(0, schedule.world_size, size):
        high = min(low + size, schedule.world_size)
        wrong = sums[low:high, : schedule.num_chunks] != want
        if wrong.any():
            needed = collective.needs(np.arange(low, high)[:, None], chunk)
            if (wrong.any(axis=2) & needed).any():
                return False
    return True


def _start(schedule: Schedule, collective: Collective, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """(sums at the start, uint64 [num_vertices, num_slots, 2]; sums wanted, uint64 [num_chunks or 1, 2])."""
    ranks, chunks = schedule.world_size, schedule.num_chunks
    random = np.random.default_rng(seed)
    apart = chunks if changes_chunks(schedule) else 1  # chunks that change places must not be mistaken for each other
    value = random.integers(0, 2**64, (apart, ranks, 2), np.uint64)
    sums = np.zeros((schedule.num_vertices, schedule.num_slots, 2), np.uint64)
    want = np.zeros((chunks, 2), np.uint64)
    for part, has in who_has(collective, ranks, 0, chunks):
        each = has.shape[1] if apart == 1 else part.stop - part.start
        has = np.broadcast_to(has, (ranks, each, ranks))
        sums[:ranks, part], want[part] = _totals(has, value, part.start % apart)
    return sums, want


def _totals(has: np.ndarray, value: np.ndarray, first: int) -> tuple[np.ndarray, np.ndarray]:
    """From has[holder, chunk, origin]: the sums each holder starts with, and the sum of all inputs that exist.

    uint64 [holders, chunks, 2] and [chunks, 2].
    """
    holder, chunk, origin = np.nonzero(has)
    start = np.zeros((*has.shape[:2], 2), np.uint64)
    np.add.at(start, (holder, chunk), value[(first + chunk) % len(value), origin])
    exists = np.zeros(has.shape[1:], bool)
    exists[chunk, origin] = True
    chunk, origin = np.nonzero(exists)
    total = np.zeros((has.shape[1], 2), np.uint64)
    np.add.at(total, chunk, value[(first + chunk) % len(value), origin])
    return start, total


def _carry_out(batch: Moves, nth: np.ndarray | None, places: np.ndarray) -> None:
    pairs = places.view(PAIR)[:, 0]
    for first, last, how in steps(batch, nth):
        arriving = pairs[batch.src[first:last]]
        if how is True:
            pairs[batch.dst[first:last]] = arriving
        elif how is False:
            _add(pairs, batch.dst[first:last], arriving)
        else:
            for part in how:
                if batch.copies[part[0]]:
                    pairs[batch.dst[part]] = arriving[part - first]
                else:
                    _add(pairs, batch.dst[part], arriving[part - first])


def _add(pairs: np.ndarray, dst: np.ndarray, arriving: np.ndarray) -> None:
    here = pairs[dst]
    total = here.view(np.uint64)
    total += arriving.view(np.uint64)
    pairs[dst] = here
