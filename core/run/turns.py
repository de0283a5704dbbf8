"""One live run at a time: whoever asks while one is running waits in line."""

from __future__ import annotations

import atexit
import threading
from abc import ABC, abstractmethod

MOST_WAITING = 16


class Refused(Exception):
    """Says why a run is not started, and what to do."""


class Turn(ABC):
    """Something that waits in line, runs and ends. Looked at from outside; its own threads never call anybody."""

    def __init__(self):
        self.state = "waiting"  # then "running", then "done", "failed" or "cancelled"
        self.text, self.done, self.error = "waiting for its turn", 0.0, ""
        self._cancel, self._over = threading.Event(), threading.Event()

    @abstractmethod
    def run(self) -> None:
        """All of it; called by the queue, in a thread of its own. It must end with close()."""

    @property
    def over(self) -> bool:
        return self._over.is_set()

    @property
    def position(self) -> int:
        """How many are before this one."""
        return QUEUE.position(self)

    def cancel(self) -> None:
        self._cancel.set()
        QUEUE.leave(self)

    def wait(self, timeout: float | None = None) -> bool:
        return self._over.wait(timeout)

    def close(self, state: str, error: str = "") -> None:
        self.state, self.error = state, error
        self._over.set()


class Queue:
    """One run at a time, in the order of asking: two at once would spoil each other's times."""

    def __init__(self):
        self._lock, self._line = threading.Lock(), []

    def join(self, job: Turn) -> None:
        with self._lock:
            if len(self._line) > MOST_WAITING:
                raise Refused(f"{MOST_WAITING} runs are waiting already: try again in a minute")
            self._line.append(job)
            if len(self._line) == 1:
                self._begin()

    def leave(self, job: Turn) -> None:
        """Give up a place in the line; a run that has begun stays until its processes are gone."""
        with self._lock:
            if job in self._line[1:]:
                self._line.remove(job)
                job.close("cancelled", "the run was cancelled before it began")

    def position(self, job: Turn) -> int:
        with self._lock:
            return self._line.index(job) if job in self._line else 0

    def _begin(self) -> None:
        """Whoever is first now has its turn; those for whom this machine has no thread left have had it."""
        while self._line:
            try:
                return threading.Thread(target=self._turn, args=(self._line[0],), daemon=True).start()
            except RuntimeError as problem:
                self._line.pop(0).close("failed", f"the run could not begin: {problem}")

    def _turn(self, job: Turn) -> None:
        try:
            job.run()
        finally:
            with self._lock:
                self._line.remove(job)
                self._begin()

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
