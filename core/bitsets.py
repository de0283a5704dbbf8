"""The quick half of an exact proof: which chunks are clearly right, found with one bit per contribution.

Every place holds a bit set of the ranks whose input it contains. Adding sets that overlap would count a rank twice.
A chunk is clearly right if no addition of its parts ever overlapped, no two different chunks were ever added, and
every rank ends with exactly the bits it needs. What is not clearly right is left to core.lanes, which counts (a
doubled copy may be overwritten later, and then all is well again).
"""

from __future__ import annotations

import numpy as np

from core.collective import Collective
from core.moves import Moves, batches, moves, racing, steps, turns
from core.schedule import Schedule
from core.starts import who_has

MEMORY = 144 << 20  # bytes for the bit sets; a larger state is proved a block of chunks at a time
BATCH_BYTES = 8 << 20  # bytes for the bit sets that one batch of moves carries


def unproved_chunks(schedule: Schedule, collective: Collective) -> np.ndarray:
    """The chunks that are not clearly right, int64, in order. Ranges must have been checked."""
    suspect = np.zeros(schedule.num_chunks, bool)
    for low, high in _blocks(schedule):
        _prove_block(schedule, collective, low, high, suspect[low:high])
    return np.flatnonzero(suspect)


def _blocks(schedule: Schedule) -> list[tuple[int, int]]:
    chunks = schedule.num_chunks
    column = schedule.num_vertices * schedule.num_buffers * _words(schedule) * 8  # bytes for one chunk
    size = chunks if changes_chunks(schedule) else max(1, min(chunks, MEMORY // column))
    return [(low, min(low + size, chunks)) for low in range(0, chunks, size)]


def _words(schedule: Schedule) -> int:
    return -(-schedule.world_size // 64)


def changes_chunks(schedule: Schedule) -> bool:
    """Does any transfer deliver one chunk as another (not only to another buffer)?"""
    return bool(schedule.moves_chunks and ((schedule.chunk - schedule.into) % schedule.num_chunks != 0).any())


def _prove_block(schedule: Schedule, collective: Collective, low: int, high: int, suspect: np.ndarray) -> None:
    """Mark in `suspect`, bool [high - low], the chunks that are not clearly right."""
    words, width = _words(schedule), high - low
    start = _starting_sets(schedule, collective, low, high)  # [world_size, width or 1, words (+ 1)]
    full = np.bitwise_or.reduce(start, axis=0)
    held = np.zeros((schedule.num_vertices, schedule.num_buffers, width, start.shape[-1]), np.uint64)
    held[: schedule.world_size, 0] = start
    places = held.reshape(-1, held.shape[-1])
    for first, last in batches(schedule, BATCH_BYTES // (8 * words)):
        batch = moves(schedule, first, last, low, high)
        nth = turns(batch, len(places))
        overlap = _carry_out(batch, nth, places)[:, :words]
        if overlap.any():
            suspect[batch.dst[overlap.any(axis=1)] % width] = True
        if nth is not None:
            suspect[batch.dst[racing(batch, len(places))] % width] = True
    rank, chunk = np.ogrid[: schedule.world_size, low:high]
    wrong = (held[: schedule.world_size, 0] != full).any(axis=2)
    suspect |= (wrong & collective.needs(rank, chunk)).any(axis=0)


def _starting_sets(schedule: Schedule, collective: Collective, low: int, high: int) -> np.ndarray:
    """uint64 [world_size, high - low or 1, words]: one bit per rank whose input is there at the start.

    If chunks change their place, a last word says which chunk it is, once in plain bits and once inverted: the two
    halves of that word overlap for ever after two different chunks were merged.
    """
    ranks, words = schedule.world_size, _words(schedule)
    pieces = []
    for _, has in who_has(collective, ranks, low, high):
        sets = np.zeros((ranks, has.shape[1], words), np.uint64)
        bits = np.packbits(has, axis=2, bitorder="little")
        sets.view(np.uint8)[:, :, : bits.shape[2]] = bits
        pieces.append(sets)
    sets = np.concatenate(pieces, axis=1)
    if not changes_chunks(schedule):
        return sets
    chunk = np.arange(low, high)[:, None]
    label = (chunk.astype(np.uint64) << np.uint64(32)) | (~chunk.astype(np.uint32)).astype(np.uint64)
    label = np.where(sets.any(axis=2, keepdims=True), label, 0)
    return np.concatenate([np.broadcast_to(sets, (*label.shape[:2], words)), label], axis=2)


def _carry_out(batch: Moves, nth: np.ndarray | None, places: np.ndarray) -> np.ndarray:
    """Do a batch of moves on places, uint64 [num_places, words]. Returns the overlaps, uint64 [m, words]."""
    words = places.shape[1]
    item = np.uint64 if words == 1 else np.dtype((np.void, 8 * words))  # a whole set is read or written as one item
    cells, overlaps = places.view(item)[:, 0], np.zeros((len(batch.src), words), np.uint64)
    for first, last, how in steps(batch, nth):
        arriving = cells.take(batch.src[first:last])
        if how is True:
            cells[batch.dst[first:last]] = arriving
        elif how is False:
            overlaps[first:last] = _add(batch.dst[first:last], arriving, cells, words)
        else:
            for part in how:
                if batch.copies[part[0]]:
                    cells[batch.dst[part]] = arriving[part - first]
                else:
                    overlaps[part] = _add(batch.dst[part], arriving[part - first], cells, words)
    return overlaps


def _add(dst: np.ndarray, arriving: np.ndarray, cells: np.ndarray, words: int) -> np.ndarray:
    """Add sets to different places. Returns which bits were there already, uint64 [len(dst), words]."""
    here = cells.take(dst)
    mine, theirs = (items.view(np.uint64).reshape(-1, words) for items in (here, arriving))
    overlap = mine & theirs
    np.bitwise_or(mine, theirs, out=mine)
    cells[dst] = here
    return overlap
