"""One live run at a time: whoever asks while one is running waits in line."""

from __future__ import annotations

import atexit
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.run.launch import Job

MOST_WAITING = 16


class Refused(Exception):
    """Says why a run is not started, and what to do."""


class Queue:
    """One run at a time, in the order of asking: two at once would spoil each other's times."""

    def __init__(self):
        self._lock, self._line = threading.Lock(), []

    def join(self, job: Job) -> None:
        with self._lock:
            if len(self._line) > MOST_WAITING:
                raise Refused(f"{MOST_WAITING} runs are waiting already: try again in a minute")
            self._line.append(job)
            if len(self._line) == 1:
                self._start(job)

    def leave(self, job: Job) -> None:
        """Give up a place in the line; a run that has begun stays until its processes are gone."""
        with self._lock:
            if job in self._line[1:]:
                self._line.remove(job)
                job.close("cancelled", "the run was cancelled before it began")

    def position(self, job: Job) -> int:
        with self._lock:
            return self._line.index(job) if job in self._line else 0

    def _start(self, job: Job) -> None:
        threading.Thread(target=self._turn, args=(job,), daemon=True).start()

    def _turn(self, job: Job) -> None:
        try:
            job.run()
        finally:
            with self._lock:
                self._line.remove(job)
                if self._line:
                    self._start(self._line[0])

    def close(self) -> None:
        """Cancel everything, and wait until the processes are gone."""
        with self._lock:
            line = list(self._line)
        for job in reversed(line):
            job.cancel()
        for job in line:
            job.wait(5)


QUEUE = Queue()
atexit.register(QUEUE.close)
