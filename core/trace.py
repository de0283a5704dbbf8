"""When every transfer happened. A prediction and a measurement have the same shape, so the same figures draw both."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from core.container import BadFile, narrow, pack, unpack
from core.cost import step_loads
from core.machines import Machine
from core.schedule import COLUMNS, REDUCE, Schedule, messages

VERSION = 1
MAX_RANKS, MAX_CELLS, MAX_SECONDS = 1 << 20, 1 << 25, 1e9  # of a file: what a page can open without harm
MAX_TEXT = 1000  # characters of a name
JSON_KINDS = {int: "a whole number", str: "a text", list: "a list", dict: "a table"}
ORIGINS = {  # what a page says about the times of a trace
    "model": "formula: lock-step alpha-beta-gamma model",
    "simulation": "simulated: asynchronous network",
    "loads": "simulated: asynchronous network with static link loads",
    "lockstep": "simulated: a barrier after every step, as a contrast",
    "mpi": "measured: MPI processes",
    "gloo": "measured: gloo processes",
    "nccl": "measured: NCCL ranks",
    "threads": "measured: threads",
    "virtual": "measured: virtual ranks on one device",
}


@dataclass(frozen=True, eq=False)
class Trace:
    schedule: Schedule
    nbytes: int  # size of the whole buffer
    start: np.ndarray  # float64 [num_transfers], seconds since the first transfer began
    end: np.ndarray  # float64 [num_transfers]
    source: str  # where the times come from: a key of ORIGINS
    about: dict = field(default_factory=dict)  # what else is known: machine, date, command, versions, medians ...

    @property
    def seconds(self) -> float:
        """From the first start to the last end."""
        return float(self.end.max(initial=0.0))

    @property
    def origin(self) -> str:
        return ORIGINS.get(self.source, self.source)


def lockstep(schedule: Schedule, nbytes: int, machine: Machine) -> Trace:
    """The times if every step waits for the slowest transfer of the step before it.

    Within a step a rank's port takes its messages one after another, so that the trace ends exactly at
    measure(schedule).seconds(nbytes, machine); on a multiport machine the latencies of a step overlap.
    """
    size = nbytes / schedule.num_chunks
    sent = messages(schedule)
    loads = step_loads(schedule, sent)
    starts = np.minimum(loads.messages, 1) if machine.multiport else loads.messages
    length = starts * machine.alpha + size * (loads.moved * machine.beta + loads.reduced * machine.gamma)
    begins = np.cumsum(length) - length
    alpha = 0.0 if machine.multiport else machine.alpha
    adds = np.bincount(sent.of_transfer, schedule.count * (schedule.op == REDUCE), minlength=len(sent.step))
    busy = alpha + size * (sent.chunks * machine.beta + adds * machine.gamma * (sent.dst < schedule.world_size))
    start = begins[sent.step]
    if loads.messages.max(initial=0) > 1:  # else nobody has to wait
        waits = [_queued(sent.step, vertex, busy, schedule.world_size) for vertex in (sent.src, sent.dst)]
        start += np.maximum(*waits)
    end = start + busy + (machine.alpha - alpha)
    return Trace(schedule, nbytes, start[sent.of_transfer], end[sent.of_transfer], source="model")


def _queued(step: np.ndarray, vertex: np.ndarray, busy: np.ndarray, world_size: int) -> np.ndarray:
    """How long each message waits for the ones before it at the port of `vertex`; switches have ports enough."""
    place = step * (vertex.max(initial=0) + 1) + vertex
    if np.bincount(place).max(initial=0) <= 1:
        return np.zeros(len(step))  # nobody has two messages in one step
    order = np.argsort(place, kind="stable")
    before = np.cumsum(busy[order]) - busy[order]
    new_port = np.ones(len(order), bool)
    new_port[1:] = np.diff(place[order]) != 0
    first = np.maximum.accumulate(np.where(new_port, np.arange(len(order)), 0))
    wait = np.empty(len(order))
    wait[order] = before - before[first]
    return np.where(vertex < world_size, wait, 0.0)


def save(trace: Trace) -> bytes:
    """The bytes of a trace file (suffix .arl): the schedule and the times, about 5 bytes a transfer after gzip."""
    schedule = trace.schedule
    header = {
        "kind": "trace",
        "version": VERSION,
        "name": schedule.name,
        "world_size": schedule.world_size,
        "num_chunks": schedule.num_chunks,
        "num_buffers": schedule.num_buffers,
        "phases": list(schedule.phases),
        "nbytes": int(trace.nbytes),
        "source": trace.source,
        "about": trace.about,
    }
    arrays = {name: narrow(getattr(schedule, name)) for name in (*COLUMNS, "step_ptr")}
    if schedule.moves_chunks:
        arrays["into"] = narrow(schedule.into)
    return pack(header, {**arrays, "start": trace.start, "end": trace.end})


def load(data: bytes) -> Trace:
    """The trace in a file's bytes. Raises BadFile, which says what is wrong, for a damaged or foreign file."""
    header, arrays = unpack(data)
    if header.get("kind") != "trace":
        raise BadFile(f"this file holds a {str(header.get('kind', 'thing without a name'))[:40]}, not a trace")
    if header.get("version") != VERSION:
        raise BadFile(f"this trace has version {str(header.get('version'))[:20]}, this program reads version {VERSION}")
    try:
        trace = _assemble(header, arrays)
    except (KeyError, TypeError, ValueError, OverflowError) as problem:
        raise BadFile(f"this trace is damaged ({problem}): save it again") from None
    _refuse_nonsense(trace)
    return trace


def _assemble(header: dict, arrays: dict) -> Trace:
    columns = {name: _whole(name, arrays[name], dtype) for name, dtype in COLUMNS.items()}
    schedule = Schedule(
        _kind(header, "name", str),
        _number(header, "world_size", 1, MAX_RANKS),
        _number(header, "num_chunks", 1, MAX_CELLS),
        **columns,
        step_ptr=_whole("step_ptr", arrays["step_ptr"], np.int64),
        phases=_phases(header),
        into=_whole("into", arrays["into"], np.int32) if "into" in arrays else columns["chunk"],
        num_buffers=_number(header, "num_buffers", 1, MAX_CELLS),
    )
    times = (arrays[name].astype(np.float64) for name in ("start", "end"))
    about = _about(_kind(header, "about", dict), schedule.world_size)
    return Trace(schedule, _number(header, "nbytes", 0, 1 << 62), *times, _kind(header, "source", str), about)


def _kind(header: dict, name: str, kind: type):
    if type(header[name]) is not kind:
        raise ValueError(f"{name} is not {JSON_KINDS[kind]}")
    if max((len(text) for text in _texts(header[name])), default=0) > MAX_TEXT:
        raise ValueError(f"{name} has more than {MAX_TEXT:,} characters")
    return header[name]


def _phases(header: dict) -> tuple[str, ...]:
    phases = _kind(header, "phases", list)
    if not all(isinstance(phase, str) for phase in phases):
        raise ValueError("phases holds other things than texts")
    return tuple(phases)


def _texts(value) -> list[str]:
    """A text alone, or the texts in a list: what is shown on a page as it stands."""
    return [text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str)]


def _number(header: dict, name: str, low: int, high: int) -> int:
    if not low <= _kind(header, name, int) <= high:
        raise ValueError(f"{name} is {header[name]}: it must be {low} to {high}")
    return header[name]


def _whole(name: str, array: np.ndarray, dtype) -> np.ndarray:
    """The array as `dtype`, if it has whole numbers that fit: else they would turn into others unnoticed."""
    if array.dtype.kind not in "iu" or array.min(initial=0) < 0 or array.max(initial=0) > np.iinfo(dtype).max:
        raise ValueError(f"{name} holds other things than numbers from 0 to {np.iinfo(dtype).max}")
    return array.astype(dtype)


def _about(about: dict, world_size: int) -> dict:
    """What else is known. The nodes, which figures draw, must be one small number for each rank."""
    nodes = about.get("node_of")
    if nodes is not None and not (
        isinstance(nodes, list)
        and len(nodes) == world_size
        and all(type(n) is int and 0 <= n < MAX_RANKS for n in nodes)
    ):
        raise ValueError("node_of is not the number of a node for each rank")
    return about


def _refuse_nonsense(trace: Trace) -> None:
    s = trace.schedule
    same_length = (
        len({len(column) for column in (s.src, s.dst, s.chunk, s.count, s.op, s.into, trace.start, trace.end)}) == 1
    )
    steps = len(s.step_ptr) == s.num_steps + 1 and s.step_ptr[0] == 0 and s.step_ptr[-1] == s.num_transfers
    if not (same_length and steps and (np.diff(s.step_ptr) >= 0).all()):
        raise BadFile("this trace is damaged: its columns do not fit together")
    last = np.maximum(s.chunk, s.into).astype(np.int64) + s.count  # in 32 bits a huge count would wrap around
    vertices = max(int(s.src.max(initial=0)), int(s.dst.max(initial=0))) + 1
    inside = (s.count >= 1).all() and (s.op <= 1).all() and (last <= s.num_slots).all()
    if not (inside and vertices <= s.world_size + 2 * s.num_transfers):  # N transfers can name 2 N switches
        raise BadFile("this trace is damaged: it names ranks or chunks that do not exist")
    if max(vertices, s.world_size) * s.num_slots > MAX_CELLS:
        raise BadFile(f"this trace has {s.world_size:,} ranks and {s.num_slots:,} chunks: too large to open here")
    _refuse_odd_times(trace.start, trace.end)


def _refuse_odd_times(start: np.ndarray, end: np.ndarray) -> None:
    if not ((start >= 0).all() and (end >= start).all()):  # nor is a time that is not a number
        raise BadFile("this trace is damaged: a transfer ends before it starts")
    if end.max(initial=0) > MAX_SECONDS:
        raise BadFile(f"this trace is damaged: it lasts more than {MAX_SECONDS:.0e} s")
