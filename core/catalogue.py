"""What every algorithm costs at one number of ranks, counted on the schedules themselves: the rows of a big table."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from core.algorithms import ALGORITHMS
from core.algorithms.base import Algorithm
from core.collective import Collective
from core.cost import volumes

TRIED = range(1, 34)  # the numbers of ranks that a restriction is told for
COLUMNS = {  # field of Entry: head of the column
    "name": "Algorithm",
    "options": "Options",
    "steps": "Steps",
    "messages": "Messages",
    "sent": "Sent (S)",
    "nbytes": "Bytes sent",
    "total": "Total (S)",
    "added": "Added (S)",
    "extra": "Extra buffer",
    "ranks": "Ranks",
    "users": "Used by",
    "also_called": "Also called",
}


@dataclass(frozen=True)
class Entry:
    """One row. The numbers are None where the algorithm refuses this number of ranks."""

    name: str
    options: dict
    extra: str
    ranks: str  # which numbers of ranks it takes
    users: str
    also_called: str
    refusal: str = ""
    steps: int | None = None
    messages: int | None = None  # sent by the busiest rank
    sent: float | None = None  # by the busiest rank, in units of S
    nbytes: int | None = None  # the same for the buffer asked for
    total: float | None = None  # over all links, in units of S
    added: float | None = None  # by the busiest rank, in units of S


def entries(collective: Collective, world_size: int, size: int = 0, every_option: bool = False) -> list[Entry]:
    """A row for each algorithm of the collective, or for each of its options, for a buffer of `size` bytes."""
    algorithms = [one for one in ALGORITHMS.values() if one.collective is collective]
    return [
        entry(algorithm, world_size, size, options)
        for algorithm in algorithms
        for options in (algorithm.variants if every_option else [{}])
    ]


def entry(algorithm: Algorithm, world_size: int, size: int, options: dict) -> Entry:
    """The row of one algorithm with these options."""
    changed = {name: value for name, value in options.items() if value != algorithm.options[name].default}
    words = Entry(
        name=algorithm.name,
        options=changed,
        extra=algorithm.extra,
        ranks=restriction(algorithm, options),
        users=algorithm.users,
        also_called=algorithm.also_called,
        refusal=algorithm.refuse(world_size, **options),
    )
    return words if words.refusal else _counted(words, algorithm, world_size, size, options)


def _counted(words: Entry, algorithm: Algorithm, world_size: int, size: int, options: dict) -> Entry:
    schedule = algorithm(world_size, **options)
    moved, scale = volumes(schedule), algorithm.collective.buffers(world_size)
    sent = float(moved.sent[:world_size].max()) * scale
    numbers = {
        "steps": schedule.num_steps,
        "messages": int(moved.messages[:world_size].max()),
        "sent": sent,
        "nbytes": round(sent * size),
        "total": moved.total * scale,
        "added": float(moved.added[:world_size].max()) * scale,
    }
    return Entry(**{**vars(words), **numbers})


def restriction(algorithm: Algorithm, options: dict) -> str:
    """Which numbers of ranks it takes, found out by asking it for 1 to 33."""
    taken = [n for n in TRIED if not algorithm.refuse(n, **options)]
    step = taken[1] if taken[0] == 1 else taken[0]
    known = {
        "any": list(TRIED),
        "powers of two": [n for n in TRIED if n & (n - 1) == 0],
        f"multiples of {step}": [n for n in TRIED if n % step == 0],
        f"1 and multiples of {step}": [n for n in TRIED if n == 1 or n % step == 0],
        f"{step} and more": [n for n in TRIED if n >= step],
    }
    return next((words for words, numbers in known.items() if numbers == taken), ", ".join(map(str, taken)))


def options_text(options: dict) -> str:
    """`order=near, fold=halves`."""
    return ", ".join(f"{name}={value}" for name, value in options.items())


def to_csv(rows: list[Entry]) -> str:
    """The same table as comma-separated values, one line per entry; numbers unrounded."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS.values())
    for row in rows:
        fields = {**vars(row), "options": options_text(row.options)}
        writer.writerow([fields[name] for name in COLUMNS])
    return out.getvalue()
