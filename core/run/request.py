"""What a live run shall do. Everything a person may choose is checked here, before a process is started."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from difflib import get_close_matches
from pathlib import Path

import numpy as np

from core import trace
from core.algorithms import ALGORITHMS
from core.chunks import LAYOUTS
from core.collective import ALL_REDUCE, BARRIER, COLLECTIVES, Collective
from core.container import BadFile
from core.replay import OPS
from core.run import shifts
from core.run.mishaps import MISHAPS
from core.run.nccl_settings import Setting
from core.run.runtimes import LIBRARY
from core.run.segments import segmented
from core.schedule import Schedule

BACKENDS = ("mpi", "gloo", "threads", "virtual", "nccl")
DEVICES = ("", "cpu", "cuda")  # where virtual ranks live; "": a GPU if there is one
DTYPES = ("float32", "float64", "int32", "int64", "float16")
THROUGH = ("messages", "memory")
MAX_PROCESSES = 32  # on one machine, started by this program
MAX_CLUSTER = 1024  # started by mpiexec, srun or torchrun
MAX_BYTES = 1 << 30
MAX_SIZES = 100
MAX_METHODS = 200
MAX_TRANSFERS = 200_000  # of a schedule in a file


@dataclass(frozen=True)
class Method:
    """One way to do the collective: an algorithm of the catalogue, or the schedule in a file."""

    algorithm: str
    options: dict = field(default_factory=dict)
    segments: int = 1  # cut every chunk into so many, and let them follow each other through the steps
    file: str = ""  # a trace file that holds the schedule; then `algorithm` is only its name
    collective: str = ALL_REDUCE.name  # what the schedule in a file promises
    stamped: bool = False  # time the runs that look at the clock: what does looking cost?
    through: str = "messages"  # or "memory": MPI processes of one host read each other's buffers

    @property
    def label(self) -> str:
        options = [f"{name}={value}" for name, value in self.options.items()]
        options += [f"segments={self.segments}"] * (self.segments > 1)
        options += ["through memory"] * (self.through == "memory") + ["with stamps"] * self.stamped
        return self.algorithm + (f" ({', '.join(options)})" if options else "")

    def promises(self) -> Collective:
        if self.algorithm in shifts.KINDS:
            return shifts.NOTHING
        return COLLECTIVES[self.collective] if self.file else ALGORITHMS[self.algorithm].collective

    def schedule(self, world_size: int) -> Schedule:
        if self.file:
            return segmented(trace.load(Path(self.file).read_bytes()).schedule, self.segments)
        if self.algorithm in shifts.KINDS:
            return shifts.shift(self.algorithm, world_size)
        return segmented(ALGORITHMS[self.algorithm](world_size, **self.options), self.segments)

    def refuse(self, world_size: int) -> str:
        if self.collective not in COLLECTIVES:
            return f"there is no collective {self.collective!r}: choose one of {', '.join(COLLECTIVES)}"
        if not 1 <= self.segments <= 1024:
            return f"{self.segments} segments: choose 1 to 1024"
        if self.through not in THROUGH:
            return f"through is {self.through!r}: choose one of {', '.join(THROUGH)}"
        if self.file:
            return self._refuse_file(world_size)
        if self.algorithm in shifts.KINDS and world_size > 1:
            return ""
        if self.algorithm not in ALGORITHMS:
            close = get_close_matches(self.algorithm[:60], ALGORITHMS, 3) or ALGORITHMS
            return f"there is no algorithm {self.algorithm[:60]!r}: choose one of {', '.join(close)}"
        if ALGORITHMS[self.algorithm].collective is BARRIER:
            return f"{self.algorithm} moves no data: there is nothing to measure here"
        problem = ALGORITHMS[self.algorithm].refuse(world_size, **self.options)
        return f"{self.algorithm}: {problem}" if problem else ""

    def _refuse_file(self, world_size: int) -> str:
        try:
            schedule = trace.load(Path(self.file).read_bytes()).schedule
        except OSError as problem:
            return f"{self.file} cannot be read: {problem.strerror}"
        except BadFile as problem:
            return f"{self.file}: {problem}"
        if schedule.world_size != world_size:
            return (
                f"the schedule in {self.file} is for {schedule.world_size} ranks: run it with -n {schedule.world_size}"
            )
        if max(schedule.num_transfers, schedule.num_steps) > MAX_TRANSFERS:
            return f"{self.file} has more than {MAX_TRANSFERS:,} transfers or steps: too large to run live"
        return ""


@dataclass(frozen=True)
class Request:
    world_size: int
    methods: tuple[Method, ...]
    sizes: tuple[int, ...]  # bytes of all chunks together
    backend: str = "mpi"
    device: str = ""  # of virtual ranks
    dtype: str = "float32"
    op: str = "sum"
    layout: str = "even"
    repeats: int = 9  # rounds that count; each gives one time for every method
    seconds: float = 3.0  # how long the rounds of one size may take
    time_limit: float = 60.0  # seconds after which everything is ended
    native: bool = True  # also time the library's own all-reduce
    library: str = "tuned"  # how the MPI library is set up: see runtimes.tuning
    roof: bool = False  # also time the least that an all-reduce does to memory: see core.run.roof
    trace: bool = True  # also record when every transfer happened
    fault: dict = field(default_factory=dict)  # what to break on purpose: kind, rank, seconds
    mishap: str = ""  # a mistake to make instead of a run: a name in mishaps.MISHAPS
    nccl: dict = field(default_factory=dict)  # how NCCL is steered: the fields of nccl_settings.Setting

    @property
    def itemsize(self) -> int:
        return np.dtype(self.dtype).itemsize

    @property
    def num_processes(self) -> int:
        """One for every vertex of the largest schedule: switches are processes too."""
        return max(method.schedule(self.world_size).num_vertices for method in self.methods)

    def refuse(self, most: int = MAX_PROCESSES) -> str:
        """Why this cannot be run, in a sentence, or "". `most`: how many processes there may be."""
        choices = (
            ("backend", BACKENDS),
            ("device", DEVICES),
            ("dtype", DTYPES),
            ("op", tuple(OPS)),
            ("layout", LAYOUTS),
            ("library", LIBRARY),
        )
        for name, known in choices:
            if getattr(self, name) not in known:
                return f"{name} is {getattr(self, name)!r}: choose one of {', '.join(known)}"
        if self.fault and self.backend == "virtual":
            return "virtual ranks are one process, so none of them can fail alone: break something over MPI or threads"
        if self.nccl and (problem := Setting(**self.nccl).refuse()):
            return problem
        if self.mishap and (self.mishap not in MISHAPS or self.backend != "mpi" or not 2 <= self.world_size <= 8):
            return f"the mistake is {self.mishap!r}: choose one of {', '.join(MISHAPS)}, over mpi, on 2 to 8 ranks"
        return self._refuse_numbers(most) or self._refuse_sizes() or self._refuse_methods(most)

    def _refuse_numbers(self, most: int) -> str:
        bounds = (
            ("world_size", 1, most),
            ("repeats", 1, 1000),
            ("seconds", 0.1, 120),
            ("time_limit", 1, 3600),
        )
        for name, low, high in bounds:
            if not low <= getattr(self, name) <= high:
                return f"{name} is {getattr(self, name)}: a live run takes {low} to {high}"
        return ""

    def _refuse_sizes(self) -> str:
        if not self.sizes:
            return "no size was given: say how many bytes to all-reduce"
        if len(self.sizes) > MAX_SIZES:
            return f"{len(self.sizes)} sizes: a live run takes at most {MAX_SIZES}"
        for size in self.sizes:
            if not 0 <= size <= MAX_BYTES:
                return f"{size} bytes: a live run takes 0 to {MAX_BYTES} bytes (1 GiB)"
            if size % self.itemsize:
                return f"{size} bytes are not a whole number of {self.dtype}: choose a multiple of {self.itemsize}"
        twice = next((size for nth, size in enumerate(self.sizes) if size in self.sizes[:nth]), None)
        return "" if twice is None else f"{twice} bytes are asked for twice: every size has one row in the result"

    def _refuse_methods(self, most: int) -> str:
        if not self.methods:
            return "no algorithm was given"
        if len(self.methods) > MAX_METHODS:
            return f"{len(self.methods)} algorithms: a live run takes at most {MAX_METHODS}"
        if self.backend != "mpi" and any(method.through == "memory" for method in self.methods):
            return "shared memory is a choice between MPI processes: choose the backend mpi, or messages"
        if problem := next(filter(None, (method.refuse(self.world_size) for method in self.methods)), ""):
            return problem
        labels = [method.label for method in self.methods]
        if twice := next((label for nth, label in enumerate(labels) if label in labels[:nth]), ""):
            return f"{twice} is asked for twice: every algorithm has one row in the result"
        processes = self.num_processes
        if processes > most:
            return (
                f"{processes} processes are needed ({self.world_size} ranks and their switches): "
                f"a live run starts at most {most}"
            )
        return ""

    def as_dict(self) -> dict:
        return asdict(self)

    @classmethod
    def from_dict(cls, given: dict) -> Request:
        methods = tuple(Method(**method) for method in given["methods"])
        return cls(**{**given, "methods": methods, "sizes": tuple(given["sizes"])})
