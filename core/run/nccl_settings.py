"""How NCCL's own all-reduce can be steered, what that needs, and what it means when NCCL refuses.

A setting is read when a communicator is made, so each one needs processes of its own. From NCCL 2.24 an impossible
choice fails instead of quietly becoming a ring. Facts from NCCL's user guide (environment variables) and its sources
(tuning.cc, init.cc); not yet tried on a machine with GPUs.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from pathlib import Path

from core.run.nccl_log import SETTINGS, Choice

ALGORITHMS = {"": "NCCL's own choice", "ring": "Ring", "tree": "Tree", "nvls": "NVLS", "nvls_tree": "NVLSTree"}
ALGORITHMS |= {"collnet_direct": "CollNetDirect", "collnet_chain": "CollNetChain"}
MULTIMEM = "multimem"  # not NCCL: torch's symmetric memory lets the NVLink switch add
PROTOCOLS = {"": "NCCL's own choice", "ll": "LL", "ll128": "LL128", "simple": "Simple"}
PER_FUNCTION = (2, 24)  # from here on "allreduce:ring", and no quiet fall-back
SHARING = (2, 30)  # from here on several ranks may share a GPU
SHARED_LIMIT = 20.0  # seconds: ranks that share a GPU may wait for each other for ever
MAX_CTAS = 4  # thread blocks of each rank, so that those of all fit on the shared GPU
HOPPER = (9, 0)  # the first compute capability with NVLink multicast


@dataclass(frozen=True)
class Setting:
    algorithm: str = ""  # a key of ALGORITHMS, or MULTIMEM
    protocol: str = ""  # a key of PROTOCOLS
    shared: bool = False  # all ranks on one GPU

    @property
    def label(self) -> str:
        words = [word for word in (self.algorithm, self.protocol) if word]
        return " ".join(["NCCL", *words]) if self.algorithm != MULTIMEM else "NVLink switch (multimem)"

    def refuse(self) -> str:
        """What is wrong with it on any machine, in a sentence, or ""."""
        if self.algorithm not in (*ALGORITHMS, MULTIMEM):
            return f"there is no NCCL algorithm {self.algorithm!r}: choose one of {_names(ALGORITHMS)} or {MULTIMEM}"
        if self.protocol not in PROTOCOLS:
            return f"there is no NCCL protocol {self.protocol!r}: choose one of {_names(PROTOCOLS)}"
        nvls = self.algorithm in ("nvls", "nvls_tree", MULTIMEM)
        if nvls and self.protocol not in ("", "simple"):
            return f"{self.algorithm} only works with the protocol simple: the switch adds whole lines of data"
        if nvls and self.shared:
            return "NCCL turns NVLS off when ranks share a GPU: choose ring or tree"
        return ""

    def as_dict(self) -> dict:
        return asdict(self)


def _names(table: dict) -> str:
    return ", ".join(name for name in table if name)


@dataclass(frozen=True)
class Place:
    """Where NCCL would run."""

    version: tuple[int, ...]  # of NCCL
    gpus: int  # on this machine
    ranks: int
    hosts: int = 1
    capability: tuple[int, int] = (0, 0)  # of the GPUs
    multicast: bool = False  # does the NVLink switch add?


def impossible(setting: Setting, place: Place) -> str:
    """Why this setting cannot work at this place, in a sentence, or ""."""
    here = ".".join(map(str, place.version))
    if setting.shared and place.version < SHARING:
        return f"several ranks on one GPU need NCCL 2.30, and this is {here}: pip install --upgrade torch"
    if not setting.shared and place.ranks > place.gpus * place.hosts:
        return f"{place.ranks} ranks need as many GPUs, and there are {place.gpus * place.hosts}: choose fewer ranks"
    if setting.algorithm in ("nvls", MULTIMEM) and (place.capability < HOPPER or not place.multicast):
        return "NVLS needs an NVLink switch that adds, and GPUs of the Hopper generation or later: choose ring or tree"
    if setting.algorithm == "nvls_tree" and place.hosts < 2:
        return "nvls_tree joins the NVLink switches of several machines, and this is one: choose nvls or ring"
    if setting.algorithm.startswith("collnet") and place.hosts < 2:
        return f"{setting.algorithm} needs network switches that add (SHARP) between machines, and this is one machine"
    return ""


def environment(setting: Setting, version: tuple[int, ...], folder: str) -> dict[str, str]:
    """What a process sets before it makes its communicator. The log goes to files in `folder`, one a process."""
    env = {**SETTINGS, "NCCL_DEBUG_FILE": str(Path(folder) / "nccl.%h.%p.log")}
    if setting.algorithm and setting.algorithm != MULTIMEM:
        name = ALGORITHMS[setting.algorithm]
        env["NCCL_ALGO"] = f"allreduce:{name.lower()}" if version >= PER_FUNCTION else name
    if setting.protocol:
        name = PROTOCOLS[setting.protocol]
        env["NCCL_PROTO"] = f"allreduce:{name.lower()}" if version >= PER_FUNCTION else name
    if setting.shared:
        env |= {"NCCL_MULTI_RANK_GPU_ENABLE": "1", "NCCL_MAX_CTAS": str(MAX_CTAS)}
    return env


FAILURES = (  # what NCCL or torch writes -> what it means
    (
        r"Duplicate GPU detected",
        "two ranks were given the same GPU, which NCCL before 2.30 refuses: choose fewer ranks",
    ),
    (
        r"Multiple Ranks are using the same GPU",
        "two ranks were given the same GPU: turn on sharing (NCCL_MULTI_RANK_GPU_ENABLE=1), or choose fewer ranks",
    ),
    (
        r"[Nn]o algorithm/protocol available",
        "NCCL has no such combination of algorithm and protocol for this all-reduce on these GPUs: leave one of the "
        "two to NCCL",
    ),
    (r"invalid usage", "NCCL refuses the setting: leave the algorithm or the protocol to NCCL"),
    (
        r"[Ww]atchdog.*?timeout|Timeout at NCCL work",
        "a rank waited for the others until its time was up: one of them is gone, or is doing something else",
    ),
    (r"out of memory", "a GPU has too little memory left: choose a smaller buffer or fewer ranks"),
    (r"unhandled system error|remote process exited", "a rank is gone, or the GPUs cannot reach each other"),
)


def explain(text: str) -> str:
    """What an error of NCCL means, in a sentence; its own last line where it is not known."""
    for pattern, meaning in FAILURES:
        if re.search(pattern, text, re.DOTALL):
            return meaning
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return f"NCCL failed: {lines[-1][:300]}" if lines else "NCCL failed and did not say why"


def obeyed(setting: Setting, seen: list[Choice]) -> str:
    """What the log says was really done, beside what was asked for; "" where the log has no all-reduce."""
    mine = [choice for choice in seen if choice.collective in ("", "AllReduce")]
    if not mine:
        return ""
    last = mine[-1]
    other = (setting.algorithm and last.algorithm != setting.algorithm) or (
        setting.protocol and last.protocol != setting.protocol
    )
    return f"{last}" + (f" (asked for: {setting.label})" if other and setting.algorithm != MULTIMEM else "")
