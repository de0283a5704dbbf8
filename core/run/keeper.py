"""Whoever starts a process learns how it ends. The keeper of a rank does nothing else: it waits, and says so at once.

Launchers end all processes as soon as one has failed, and then name any of them. With a keeper for every rank, who
died of what is known before the launcher knows that somebody did.
"""

from __future__ import annotations

import json
import os
import re
import threading
import time

LOOK = 0.25  # seconds between two looks
AFTER = 5.0  # seconds for whoever started the run to end it; then the launcher may see what happened


def stay_behind(rank: int) -> None:
    """Return in a copy of this process, which is `rank` from now on; the original keeps it, and ends as it ends."""
    if pid := os.fork():
        threading.Thread(target=_leave_with, args=(os.getppid(),), daemon=True).start()
        os._exit(keep({pid: rank}))


def _leave_with(starter: int) -> None:
    """End soon after the process that started this one: nobody is left to hear of the rank. It follows: watch.py."""
    while os.getppid() == starter:
        time.sleep(LOOK)
    os._exit(1)


def keep(ranks: dict[int, int]) -> int:
    """Wait until these processes (their numbers -> ranks) have ended; 0 if all went well, or an exit code.

    Who ends badly is told in an event of the run: {"ev": "ended", "rank", "code"}, code < 0 for a signal.
    """
    worst, heard, left = 0, False, dict(ranks)
    while left:
        pid, status = os.wait()
        code = os.waitstatus_to_exitcode(status)
        if pid in left and code:
            heard = tell({"ev": "ended", "rank": left[pid], "code": code})
            worst = worst or (code if code > 0 else 128 - code)
        left.pop(pid, None)
    if worst and heard:
        time.sleep(AFTER)
    return worst


def error(rank: int, problem: Exception) -> dict:
    """The event that says what a rank met: without the place in somebody else's source that gloo puts first, and
    without its advice."""
    words = re.sub(r"^\[[^\]]*\] ", "", str(problem)).split(". This is typically caused")[0]
    return {"ev": "error", "rank": rank, "text": f"process {rank}: {type(problem).__name__}: {words[:300]}"}


def tell(event: dict) -> bool:
    """One line on stdout, in one call: lines of several processes do not mix. False: nobody listens any more."""
    try:
        os.write(1, (json.dumps(event) + "\n").encode())
    except OSError:
        return False
    return True
