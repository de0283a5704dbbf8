"""What every algorithm file needs: the @algorithm decorator, and ways to build new schedules from old ones."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import zip_longest

import numpy as np

from core.collective import ALL_REDUCE, Collective
from core.cost import Cost
from core.schedule import Schedule, Step, send, together


@dataclass(frozen=True)
class Option:
    """One keyword of an algorithm, and what a menu needs to offer it."""

    default: object
    help: str  # one plain sentence
    choices: tuple = ()  # the allowed values; empty: every whole number from low to high
    low: int = 1
    high: int = 1 << 20

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

    def refuse(self, world_size: int, **options) -> str:
        """Why these arguments will not do, in a sentence, or ""."""
        if type(world_size) is not int or world_size < 1:
            return f"world_size is {world_size!r}: it must be a whole number of ranks, 1 or more"
        for name, value in options.items():
            if name not in self.options:
                known = ", ".join(self.options) or "it has no options"
                return f"there is no option {name!r} ({known})"
            if problem := self.options[name].refuse(name, value):
                return problem
        return self.requires(world_size, **options)

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
    return lambda steps: Algorithm(steps, **about)


def pipeline(stages: list[Step], num_segments: int) -> Iterator[Step]:
    """Run each segment through all stages in turn, starting a new segment every step (like an assembly line)."""
    for tick in range(len(stages) + num_segments - 1):
        yield together(
            replace(stage, chunk=stage.chunk + (tick - i))
            for i, stage in enumerate(stages)
            if 0 <= tick - i < num_segments
        )


def side_by_side(*parts: Iterator[Step]) -> Iterator[Step]:
    """Run several lists of steps at the same time, step by step; they must not write each other's chunks."""
    for steps in zip_longest(*parts):
        yield together(step for step in steps if step is not None)


def on_groups(steps: Iterator[Step], groups: np.ndarray, first_chunk=0, chunk_size: int = 1) -> Iterator[Step]:
    """Run `steps`, written for ranks 0..m-1, in every row of `groups` (shape [num_groups, m]) at the same time.

    Chunk c of `steps` becomes the `chunk_size` chunks starting at first_chunk + c * chunk_size, where
    `first_chunk` is one number or one per group.
    """
    first_chunk = np.broadcast_to(first_chunk, len(groups))[:, None]
    for step in steps:
        yield send(
            groups[:, step.src],
            groups[:, step.dst],
            chunk=first_chunk + step.chunk * chunk_size,
            count=step.count * chunk_size,
            op=step.op,
            phase=step.phase,
        )
