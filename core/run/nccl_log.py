"""What NCCL says about itself in its log: which algorithm it chose, and its own rings and trees.

Three eras of the line about a choice, all of the log subsystem TUNING (sources: NCCL's enqueue.cc of each version):

    up to 2.23    1048576 Bytes -> Algo 1 proto 2 time 43.2        (2.20 on: with "AllReduce: " before it)
    from 2.24     AllReduce: 1048576 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..7}
    from 2.27     AllReduce [Symmetric]: 1048576 Bytes -> Kernel AllReduce_RSxLDMC_AGxSTMC nchannels 16 ...

The third era adds its lines to those of the second. Rings and trees are in the subsystems INIT and GRAPH.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.units import show_bytes

ALGORITHMS = ("tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat")  # NCCL's own numbering
PROTOCOLS = ("ll", "ll128", "simple")
SETTINGS = {  # what to set before the communicator is made
    "NCCL_DEBUG": "INFO",
    "NCCL_DEBUG_SUBSYS": "INIT,GRAPH,TUNING,ENV",
}
CHOICE = re.compile(
    r"(?:(?P<collective>[A-Z]\w+)(?: \[(?P<kind>\w[\w ]*)\])?: )?(?P<nbytes>\d+) Bytes -> "
    r"(?:Algo (?P<algorithm>\w+) proto (?P<protocol>\w+)|Kernel (?P<kernel>\S+))"
    r"(?P<rest>[^\n]*)"
)
TIME = re.compile(r"time (?P<us>[\d.]+)")
CHANNELS = re.compile(r"channel\{Lo\.\.Hi\}=\{(?P<low>\d+)\.\.(?P<high>\d+)\}|nchannels (?P<count>\d+)")
RING = re.compile(r"Channel (?P<channel>\d+)/\d+ :(?P<ranks>(?: +\d+)+) *$", re.MULTILINE)
TREES = re.compile(r"Trees (?P<trees>(?:\[\d+\] \S+->-?\d+->-?\d+ ?)+)")
TREE = re.compile(r"\[(?P<channel>\d+)\] (?P<down>[-\d/]+)->(?P<rank>-?\d+)->(?P<up>-?\d+)")


@dataclass(frozen=True)
class Choice:
    """One call, and how NCCL decided to do it."""

    collective: str  # "" in logs that do not say it
    nbytes: int
    algorithm: str  # one of ALGORITHMS; "" where a symmetric kernel was taken
    protocol: str
    kernel: str = ""  # a symmetric kernel's name
    channels: int | None = None
    predicted: float | None = None  # seconds, NCCL's own estimate

    def __str__(self) -> str:
        how = f"kernel {self.kernel}" if self.kernel else f"{self.algorithm}, protocol {self.protocol}"
        over = f", {self.channels} channels" if self.channels else ""
        return f"{self.collective or 'a collective'} of {show_bytes(self.nbytes)}: {how}{over}"


def choices(log: str) -> list[Choice]:
    """Every choice in a log, in its order; other lines are passed over."""
    return [_choice(found) for found in CHOICE.finditer(log)]


def _choice(found: re.Match) -> Choice:
    rest = found["rest"]
    time, channels = TIME.search(rest), CHANNELS.search(rest)
    return Choice(
        found["collective"] or "",
        int(found["nbytes"]),
        _name(found["algorithm"], ALGORITHMS),
        _name(found["protocol"], PROTOCOLS),
        found["kernel"] or "",
        _count(channels) if channels else None,
        float(time["us"]) * 1e-6 if time else None,
    )


def _name(text: str | None, names: tuple[str, ...]) -> str:
    """A name; older versions print its number."""
    if text is None:
        return ""
    if text.isdigit():
        return names[int(text)] if int(text) < len(names) else f"number {text}"
    word = text.lower()
    return next((name for name in names if name.replace("_", "") == word.replace("_", "")), word)


def _count(channels: re.Match) -> int:
    return int(channels["count"]) if channels["count"] else int(channels["high"]) - int(channels["low"]) + 1


def rings(log: str) -> dict[int, list[int]]:
    """{channel: the ranks in the order of NCCL's ring}."""
    return {int(found["channel"]): list(map(int, found["ranks"].split())) for found in RING.finditer(log)}


def trees(log: str) -> dict[int, dict[int, int]]:
    """{channel: {rank: its parent}} from the logs of all ranks together; the root has no entry."""
    found: dict[int, dict[int, int]] = {}
    for line in TREES.finditer(log):
        for tree in TREE.finditer(line["trees"]):
            if int(tree["up"]) >= 0:
                found.setdefault(int(tree["channel"]), {})[int(tree["rank"])] = int(tree["up"])
    return found
