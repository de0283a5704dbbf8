"""What every algorithm file needs: the @algorithm decorator, and ways to build new schedules from old ones."""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import product, zip_longest

import numpy as np

from core.collective import ALL_REDUCE, Collective
from core.cost import Cost, measure
from core.schedule import Schedule, Step, send, together


@dataclass(frozen=True)
class Option:
    """One keyword of an algorithm, and what a menu needs to offer it."""

    default: object
    help: str  # one plain sentence
    choices: tuple = ()  # the allowed values; empty: every whole number from low to high
    low: int = 1
    high: int = 1 << 20
    examples: tuple = ()  # some other whole numbers worth showing and testing

    @property
    def samples(self) -> tuple:
        """The default first, then every choice or example."""
        return tuple(dict.fromkeys((self.default, *self.choices, *self.examples)))

    def refuse(self, name: str, value: object) -> str:
        """Why `value` will not do, or ""."""
        if self.choices:
            return (
                ""
                if value in self.choices
                else f"{name} is {value!r}: choose one of {', '.join(map(str, self.choices))}"
            )
        if type(value) is not int:
            return f"{name} is {value!r}: it must be a whole number"
        return "" if self.low <= value <= self.high else f"{name} is {value}: it must be {self.low} to {self.high}"


MAX_RANKS, MAX_TRANSFERS = 1 << 20, 40_000_000
SEGMENTS = Option(
    1, "Into how many segments the buffer is cut: each follows close behind the one before.", high=4096, examples=(2, 5)
)


@dataclass(frozen=True)
class Algorithm:
    """A generator of steps, and what a lesson wants to say about it. Call it to get a Schedule."""

    steps: Callable[..., Iterator[Step]]  # the function you wrote: (world_size, **options) -> steps
    cost: Callable[..., Cost]  # the textbook formula, same arguments
    num_chunks: Callable[..., int]  # how many chunks the buffer is cut into, same arguments
    reference: str  # where to read more
    collective: Collective = ALL_REDUCE
    requires: Callable[..., str] = lambda world_size, **_: ""  # why these arguments will not do, or ""
    options: dict[str, Option] = field(default_factory=dict)  # the keywords of `steps`
    num_buffers: int = 1  # 2 when a scratch buffer is needed
    extra: str = "none"  # extra memory per rank, in words and buffers (S)
    users: str = ""  # which libraries use it, and when
    also_called: str = ""  # its names elsewhere

    @property
    def name(self) -> str:
        return self.steps.__name__

    @property
    def source(self) -> str:
        """The functions in the algorithm's file, comments and all, without the decorator."""
        text = inspect.getsource(inspect.getmodule(self.steps))
        functions = (node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
        return "\n\n\n".join(ast.get_source_segment(text, f) for f in functions if not f.name.startswith("_"))

    @property
    def idea(self) -> str:
        """The first line of the file's docstring: the idea in one sentence."""
        return inspect.getdoc(inspect.getmodule(self.steps)).splitlines()[0]

    @property
    def variants(self) -> list[dict]:
        """Option sets that show what the algorithm can do, the defaults first: all combinations, or, where they are
        more than 24, one change at a time."""
        samples = [[(name, value) for value in option.samples] for name, option in self.options.items()]
        combinations = [dict(one) for one in product(*samples)]
        if len(combinations) <= 24:
            return combinations
        return [{}] + [{name: value} for values in samples for name, value in values[1:]]

    def refuse(self, world_size: int, /, **options) -> str:  # so that no option can take its place
        """Why these arguments will not do, in a sentence, or ""."""
        if type(world_size) is not int or not 1 <= world_size <= MAX_RANKS:
            return f"world_size is {world_size!r}: it must be a whole number of ranks, 1 to {MAX_RANKS}"
        for name, value in options.items():
            if name not in self.options:
                known = ", ".join(self.options) or "it has no options"
                return f"there is no option {name!r} ({known})"
            if problem := self.options[name].refuse(name, value):
                return problem
        return self.requires(world_size, **options) or self._refuse_size(world_size, **options)

    def _refuse_size(self, world_size: int, **options) -> str:
        """Why the schedule would not fit into memory, or "". Only large worlds are worth the estimate."""
        if world_size <= 512:
            return ""
        cost = self.cost(world_size, **options)
        chunks = self.num_chunks(world_size, **options) / (self.collective.buffers(world_size) or 1)
        transfers = world_size * max(cost.messages, cost.traffic * chunks)
        if transfers <= MAX_TRANSFERS:
            return ""
        return f"{world_size} ranks would make about {transfers:.0e} transfers, more than {MAX_TRANSFERS}: choose fewer"

    def __call__(self, world_size: int, **options) -> Schedule:
        if problem := self.refuse(world_size, **options):
            raise ValueError(f"{self.name}: {problem}")
        return Schedule.from_steps(
            self.steps(world_size, **options),
            name=self.name,
            world_size=world_size,
            num_chunks=self.num_chunks(world_size, **options),
            num_buffers=self.num_buffers,
        )


def algorithm(**about) -> Callable[[Callable], Algorithm]:
    """Make an Algorithm of a generator of steps. The other functions may rely on being given every option."""
    options = about.get("options", {})
    filled = {name: _fill_in(about[name], options) for name in ("cost", "num_chunks", "requires") if name in about}
    return lambda steps: Algorithm(steps, **{**about, **filled})


def _fill_in(function: Callable, options: dict[str, Option]) -> Callable:
    defaults = {name: option.default for name, option in options.items()}
    return lambda world_size, **given: function(world_size, **{**defaults, **given})


def backwards(steps: Iterable[Step], op: int, phase: str) -> Iterator[Step]:
    """The same steps in reverse order and direction: what spread data now collects it, and the other way round."""
    for step in reversed(list(steps)):
        yield replace(step, src=step.dst, dst=step.src, op=np.full_like(step.op, op), phase=phase)


def side_by_side(*parts: Iterator[Step]) -> Iterator[Step]:
    """Run several lists of steps at the same time, step by step; they must not write each other's chunks."""
    for steps in zip_longest(*parts):
        yield together(step for step in steps if step is not None)


def pipeline(stages: list[Step], num_segments: int, segment_chunks: int = 1) -> Iterator[Step]:
    """Run each segment through all stages in turn, starting a new segment every step (like an assembly line).

    The stages are written for the first segment; a segment is `segment_chunks` chunks long.
    """
    for tick, busy in enumerate(_busy_stages(len(stages), num_segments)):
        yield together(replace(stages[i], chunk=stages[i].chunk + (tick - i) * segment_chunks) for i in busy)


def pipeline_cost(world_size: int, stages: list[Step], num_segments: int, segment_chunks: int = 1) -> Cost:
    """The cost of pipeline(...), from the loads of one segment: a step's load depends only on which stages are busy."""
    total = Cost(0, 0, 0)
    for busy, times in Counter(_busy_stages(len(stages), num_segments)).items():
        tick = [together(stages[i] for i in busy)]
        load = measure(Schedule.from_steps(tick, name="", world_size=world_size, num_chunks=segment_chunks))
        total += Cost(times, times * load.traffic, times * load.work, times * load.messages)
    return total.scaled(1 / num_segments)


def _busy_stages(num_stages: int, num_segments: int) -> list[range]:
    """The stages that have a segment to work on, for every step of a pipeline."""
    ticks = range(num_stages + num_segments - 1 if num_stages else 0)
    return [range(max(0, tick - num_segments + 1), min(tick + 1, num_stages)) for tick in ticks]


def on_groups(
    steps: Iterable[Step], groups: np.ndarray, first_chunk=0, chunk_size: int = 1, first_switch: int = 0
) -> Iterator[Step]:
    """Run `steps`, written for ranks 0..m-1, in every row of `groups` (shape [num_groups, m]) at the same time.

    Chunk c of `steps` becomes the `chunk_size` chunks starting at first_chunk + c * chunk_size, where
    `first_chunk` is one number or one per group. Where `steps` has switches, every group gets its own,
    numbered from first_switch.
    """
    steps, first_chunk = list(steps), np.broadcast_to(first_chunk, len(groups))[:, None]
    if any(step.into is not None for step in steps):
        raise ValueError("an algorithm with a scratch buffer cannot run in groups")
    vertices = _with_switches(steps, groups, first_switch)
    for step in steps:
        yield send(
            vertices[:, step.src],
            vertices[:, step.dst],
            chunk=first_chunk + step.chunk * chunk_size,
            count=step.count * chunk_size,
            op=step.op,
            phase=step.phase,
        )


def _with_switches(steps: list[Step], groups: np.ndarray, first_switch: int) -> np.ndarray:
    """`groups` with more columns: the switches that `steps` numbers on from its last rank."""
    num_groups, ranks = groups.shape
    switches = (
        max((int(max(step.src.max(initial=0), step.dst.max(initial=0))) + 1 for step in steps), default=0) - ranks
    )
    if switches <= 0:
        return groups
    return np.hstack([groups, first_switch + np.arange(num_groups * switches).reshape(num_groups, switches)])
