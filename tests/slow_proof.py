"""A second proof, slow and plain, to hold the quick one against: counts for every place, rank and chunk."""

import numpy as np

from core.schedule import COPY


def is_right(schedule, collective):
    """Does every rank end with each input it needs exactly once, without races?"""
    ranks, chunks, slots = schedule.world_size, schedule.num_chunks, schedule.num_slots
    sent = [step_rows(step) for step in schedule]
    for moves in sent:
        if any(not (0 <= a < slots and 0 <= b < slots) or src == dst for src, dst, a, b, _ in moves):
            return False
        written = [(dst, b) for _, dst, _, b, _ in moves]
        if any(op == COPY and written.count((dst, b)) > 1 for _, dst, _, b, op in moves):
            return False
    counts = np.zeros((schedule.num_vertices, slots, ranks, chunks), int)  # of [rank]'s input for [chunk]
    for rank in range(ranks):
        for chunk in range(chunks):
            for origin in range(ranks):
                counts[rank, chunk, origin, chunk] = bool(collective.starts(rank, chunk, origin))
    exists = counts[:ranks, :chunks].max(axis=(0, 1))
    for moves in sent:
        if moves:
            carry_out(np.array(moves), counts)
    return all(
        (counts[rank, chunk] == exists * (np.arange(chunks) == chunk)).all()
        for rank in range(ranks)
        for chunk in range(chunks)
        if collective.needs(rank, chunk)
    )


def step_rows(step):
    """(sender, receiver, slot read, slot written, op) of every chunk that a step moves."""
    into = step.chunk if step.into is None else step.into
    return [
        (int(src), int(dst), int(a) + i, int(b) + i, int(op))
        for src, dst, a, b, count, op in zip(step.src, step.dst, step.chunk, into, step.count, step.op)
        for i in range(count)
    ]


def carry_out(moves, counts):
    src, dst, read, written, op = moves.T
    arriving = counts[src, read]
    copies = op == COPY
    counts[dst[copies], written[copies]] = arriving[copies]
    np.add.at(counts, (dst[~copies], written[~copies]), arriving[~copies])
