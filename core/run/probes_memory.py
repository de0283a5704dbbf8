"""How fast do the processors of this machine copy and add what is in its memory?

Large arrays, so that no cache holds them; one thread, then one for every processor (numpy lets threads add at once).
Of several passes the best counts: whatever disturbs a pass only makes it slower. As in the STREAM benchmark, the
traffic of a copy is 2 bytes and of an addition 3 bytes for each byte of result.
"""

from __future__ import annotations

import os
import queue
import statistics
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from core.run.buffers import free_memory

LEAST, MOST = 128 << 20, 512 << 20  # bytes of one of the three arrays: as large as the last cache, within these limits
BUDGET = 0.4  # seconds for each number
HANDOVERS = 400


def measure() -> dict:
    """Bytes of result per second (payload), for one and for all processors; seconds; sizes in bytes."""
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    wanted = min(max(LEAST, last_cache() or 0), MOST)
    nbytes = min(wanted, (free_memory() or 8 * wanted) // 8)
    a, b, c = (np.ones(nbytes // 4, np.float32) for _ in range(3))
    found = {"threads": threads, "array": nbytes, "cache": last_cache(), "handover": handover()}
    for name, work in (("copy", lambda i: np.copyto(c[i], a[i])), ("add", lambda i: np.add(a[i], b[i], c[i]))):
        found[f"{name}_one"] = nbytes / _best(work, len(a), 1)
        found[f"{name}_all"] = nbytes / _best(work, len(a), threads)
    return found


def _best(work, num_elements: int, threads: int) -> float:
    """Seconds of the best pass over all elements."""
    cuts = np.linspace(0, num_elements, threads + 1).astype(int)
    parts = [slice(first, last) for first, last in zip(cuts[:-1].tolist(), cuts[1:].tolist())]
    best, until = float("inf"), time.perf_counter() + BUDGET
    with ThreadPoolExecutor(threads) as pool:
        while time.perf_counter() < until or best == float("inf"):
            began = time.perf_counter()
            list(pool.map(work, parts))
            best = min(best, time.perf_counter() - began)
    return best


def handover() -> float:
    """Seconds from one thread to another that waits for it: half a round trip, the median."""
    there, back = queue.SimpleQueue(), queue.SimpleQueue()

    def answer() -> None:
        for _ in range(HANDOVERS):
            back.put(there.get())

    other = threading.Thread(target=answer, daemon=True)
    other.start()
    seen = []
    for _ in range(HANDOVERS):
        began = time.perf_counter()
        there.put(None)
        back.get()
        seen.append((time.perf_counter() - began) / 2)
    other.join()
    return statistics.median(seen)


def last_cache() -> int | None:
    """Bytes of the largest cache that processor 0 uses; None where the system does not say."""
    sizes = []
    for place in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"):
        try:
            sizes.append(int(place.read_text().strip().removesuffix("K")) << 10)
        except (OSError, ValueError):
            continue
    return max(sizes, default=None)
