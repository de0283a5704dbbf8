"""A vertex's memory as torch tensors, on whatever device, and the instructions that only touch that memory.

The additions are those of core.replay, to the last bit: the same operations in the same order, and an average that
really divides (on a GPU, torch multiplies by the reciprocal when the divisor is a Python number).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from core.replay import identity
from core.run.buffers import aligned
from core.run.plan import Instruction, Program, Span

OPERATIONS = {"sum": "add", "avg": "add", "prod": "mul", "max": "maximum", "min": "minimum"}


class Areas:
    """The two areas of a program, data and staging, as tensors on `device` (a torch.device or its name)."""

    def __init__(self, program: Program, dtype: str, op: str, world_size: int, device):
        import torch

        self.torch, self.device, self.dtype = torch, torch.device(device), np.dtype(dtype)
        self.data = self._empty(program.num_elements)
        self.staging = self._empty(program.num_staging)
        self.operation = getattr(torch, OPERATIONS[op])
        self.nothing = identity(op, dtype)
        self.divisor = torch.full((), world_size, dtype=self.data.dtype, device=self.device)

    def _empty(self, num_elements: int):
        if self.device.type == "cpu":
            return self.torch.from_numpy(aligned(num_elements, self.dtype))
        return self.torch.zeros(num_elements, dtype=getattr(self.torch, self.dtype.name), device=self.device)

    def view(self, span: Span):
        return getattr(self, span.area)[span.first : span.last]

    def change(self, instruction: Instruction):
        """A call without arguments that carries out a reduce, copy, fill or divide."""
        place = self.view(instruction.target)
        if instruction.do == "reduce":
            return partial(self.operation, place, self.view(instruction.source), out=place)
        if instruction.do == "copy":
            return partial(place.copy_, self.view(instruction.source))
        if instruction.do == "fill":
            return partial(place.fill_, self.nothing)
        return self.average(place)

    def average(self, place):
        """A call that divides what is there by the number of ranks; integers divide downwards."""
        rounding = None if self.dtype.kind == "f" else "floor"
        return partial(self.torch.div, place, self.divisor, rounding_mode=rounding, out=place)

    def load(self, values: np.ndarray) -> None:
        """Put these elements at the front of the data."""
        self.data[: len(values)].copy_(self.torch.from_numpy(np.ascontiguousarray(values)))

    def fill(self, value: float) -> None:
        self.data.fill_(value)

    def host(self) -> np.ndarray:
        """The data, where numpy can read it."""
        return self.data.cpu().numpy()
