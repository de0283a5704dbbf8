"""What a proof says about a schedule: right, or where it goes wrong, who is to blame, and what would repair it."""

from __future__ import annotations

from dataclasses import dataclass

from core.edits import Edit, Hop

KINDS = {  # Report.kind: what it means
    "out of range": "a transfer names a vertex or chunk that does not exist, or a vertex sends to itself",
    "race": "in one step a chunk is overwritten at a place that another transfer writes too",
    "missing hop": "a transfer that should be there is not",
    "double addition": "a transfer adds contributions that are there already",
    "overwritten too early": "a transfer overwrites contributions that are still needed",
    "wrong chunk": "a transfer carries another chunk than it should",
    "wrong direction": "sender and receiver of a transfer are swapped",
    "wrong partner": "a transfer comes from or goes to the wrong vertex",
    "wrong step": "a transfer comes too early or too late",
    "cycle of waits": "right on paper, but run with blocking calls the vertices wait for each other for ever",
    "unmatched": "run with blocking calls, a vertex waits for one that has come to its end",
}
MAX_CELLS = 256
MAX_REPAIRS = 3


@dataclass(frozen=True)
class Cell:
    """What one vertex's copy of one chunk lacks or has too much of, at the start of step `step`."""

    vertex: int
    chunk: int  # the slot: scratch buffers follow the data
    step: int  # num_steps: at the end
    missing: tuple[int, ...] = ()  # ranks whose contribution it lacks
    doubled: tuple[int, ...] = ()  # ranks whose contribution it has more than once
    extra: tuple[int, ...] = ()  # ranks whose contribution should not be there (yet)


@dataclass(frozen=True)
class Report:
    """The verdict of `verify`. A right schedule has only `right` and `sentence`."""

    right: bool
    sentence: str  # what is wrong, in plain words; there, steps count from 1
    kind: str = ""  # a key of KINDS
    step: int | None = None  # the first step at which it goes wrong or can no longer be right
    transfers: tuple[int, ...] = ()  # rows to blame, the likeliest first: any one of them, unless faults > 1
    hops: tuple[Hop, ...] = ()  # transfers that should have been there, the likeliest first
    at: Cell | None = None  # the first place where it shows
    cells: tuple[Cell, ...] = ()  # the wrong places at the end: the first MAX_CELLS
    repairs: tuple[Edit, ...] = ()  # single edits, each proved to make the schedule right, the likeliest first
    more_repairs: int = 0  # how many more single edits would do
    searched_all: bool = True  # False: the schedule is too large to have tried every single edit
    faults: int = 0  # how many edits it takes, as far as is known: at least
