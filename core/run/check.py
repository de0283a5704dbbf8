"""Is what a live run computes right? Once against plain numpy, once against core.replay to the last bit.

Each check is a run of its own: all processes of the runner must call it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.replay import reduce_buffers
from core.run.buffers import expected, needed, sample
from core.run.plan import pieces

if TYPE_CHECKING:
    from core.run.worker import Runner

BITS = 1 << 22  # bytes that the comparison with core.replay takes, all vertices together


def wrong_numbers(runner: Runner) -> str:
    """On the whole buffer, with whole numbers whose sum is exact in any order: what is wrong here, or ""."""
    request, executor, rank = runner.request, runner.executor, runner.part.rank
    size, kind = runner.num_elements, (request.dtype, request.op)
    if rank < request.world_size:
        executor.load(sample(rank, size, *kind))
    executor.run()
    if rank >= request.world_size:
        return ""
    promise, cut = runner.method.promises(), (runner.schedule.num_chunks, runner.method.segments)
    right = expected(promise, request.world_size, cut, size, *kind, request.layout)
    wrong = (executor.data[:size] != right) & needed(promise, rank, cut, size, request.layout)
    if not wrong.any():
        return ""
    place = int(np.argmax(wrong))
    return f"rank {rank} ended with {executor.data[place]} in element {place}, where {right[place]} belongs"


def wrong_bits(runner: Runner) -> str:
    """On a part of the buffer, with numbers that round: the order of additions shows in the bits."""
    request, rank = runner.request, runner.part.rank
    size = min(runner.num_elements, BITS // request.itemsize // runner.schedule.num_vertices)
    random = np.random.default_rng(0)
    inputs = (random.random((request.world_size, size)) * 9 + 1).astype(request.dtype)
    executor = runner.prepare(pieces(runner.schedule, size, request.layout), size)
    if rank < request.world_size:
        executor.load(inputs[rank])
    with np.errstate(over="ignore"):  # a product of many 16-bit numbers is infinite on both sides
        executor.run()
        right = reduce_buffers(runner.schedule, inputs, request.op, request.layout)
    same = rank >= request.world_size or executor.data[:size].tobytes() == right[rank].tobytes()
    executor.close()
    if same:
        return ""
    return f"rank {rank} did not add in the order of the schedule: the last bits differ from what core.replay predicts"
