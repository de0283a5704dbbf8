"""How much memory a live run takes, known before it starts."""

from __future__ import annotations

from core.run.plan import pieces, programs
from core.run.request import Request

PROCESS = 48 << 20  # bytes of a process with Python, numpy and a communication library


def needed_bytes(request: Request) -> int:
    """Bytes of all processes together while the largest size is running."""
    num_elements = max(request.sizes) // request.itemsize
    elements = 0  # methods take turns in the same memory, unless they read each other's
    for method in request.methods:
        schedule = method.schedule(request.world_size)
        cut = pieces(schedule, num_elements, request.layout)
        plans = programs(schedule, cut, num_elements, request.op, request.itemsize)
        wanted = sum(plan.num_elements + plan.num_staging for plan in plans)
        elements = elements + wanted if method.through == "memory" else max(elements, wanted)
    checking = 3 * num_elements * request.world_size  # the input, the right result, and where they differ
    others = num_elements * request.world_size * (request.native + request.roof)  # buffers of their own
    return (elements + checking + others) * request.itemsize + PROCESS * request.num_processes
