"""A guard inside every process of a live run.

It ends the process when the program that asked for the run is gone, or its keeper, or when the time is up, and it
answers the question "where are you?" when nothing seems to happen any more.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from core.run import processes
from core.run.plan import Piece

LOOK = 0.25  # seconds between two looks
BEFORE = 60.0  # seconds that a run may take before there is a guard in its processes
LATER = 2.0  # seconds that whoever started the run has to end it, before its processes do


class Watch:
    """What this process is doing, for whoever asks."""

    def __init__(self, rank: int | None, folder: str = "", parent: int = 0, time_limit: float = 60.0, born: str = ""):
        self.rank, self.folder, self.parent = rank, Path(folder) if folder else None, parent
        self.started_by = os.getppid()  # its keeper, or whoever copied it
        self.cut: list[Piece] = []
        self.phase = "starts"
        self.main = threading.get_ident()
        self.since = time.time() - BEFORE
        self.born = born or processes.started(parent)
        faulthandler.dump_traceback_later(time_limit + LATER, exit=True)
        if folder or parent:
            threading.Thread(target=self._guard, daemon=True).start()

    def _guard(self) -> None:
        answered = False
        while True:
            time.sleep(LOOK)
            if self._alone():
                self._leave()
            if os.getppid() != self.started_by:  # nobody would learn how this process ends
                os.kill(os.getpid(), signal.SIGKILL)
            if self.folder and self.rank is not None and not answered and (self.folder / "where").exists():
                answered = True
                with suppress(OSError):  # a full disk: this guard has more to do than to answer
                    self._answer()

    def _alone(self) -> bool:
        """Is the program gone that asked for the run? While nobody can see that, it is not."""
        with suppress(OSError):
            return bool(self.parent) and (not self.born or processes.started(self.parent) != self.born)
        return False

    def _leave(self) -> None:
        """Nobody is left who wants the result, or who tidies up: end the whole run, keepers and launchers too."""
        processes.force(os.environ.get("ALLREDUCE_RUN", ""), spared=os.getpid())
        processes.forget(processes.shared_memory([os.getpid()]) | processes.of_nobody(self.since))
        if self.folder:
            processes.remove(self.folder)
        os._exit(70)

    def _answer(self) -> None:
        part = self.folder / f"part.{self.rank}"
        part.write_text(json.dumps({"rank": self.rank, "text": self.where()}))
        part.rename(self.folder / f"where.{self.rank}")  # whoever looks sees all of it or nothing

    def where(self) -> str:
        """What the process is doing now, as a sentence without a subject."""
        frame = sys._current_frames().get(self.main)
        while frame:
            act, runner = frame.f_locals.get("act"), frame.f_locals.get("self")
            if act is not None and hasattr(runner, "doing"):
                return self._doing(runner, act)
            frame = frame.f_back
        return self.phase

    def _doing(self, runner, act) -> str:
        place = next((i for i, known in enumerate(runner.acts) if known is act), -1)
        instruction = runner.doing[place] if place >= 0 else None
        if instruction is None or instruction.piece < 0:
            return "is between two instructions"
        piece = self.cut[instruction.piece]
        if instruction.do == "arrived":
            return f"waits for what {piece.src} sends it in step {piece.step}"
        if instruction.do == "sent":
            return f"waits until {piece.dst} takes what it sends in step {piece.step}"
        return f"is at the {instruction.do} of step {piece.step}"
