"""One lane in random numbers: where every contribution flows, forward and backward.

Give every contribution a random 64-bit number, and let a node hold the sum of its contributions (modulo 2^64). Give
every final place a random weight, and let `weight[t][node]` be the sum of the weights of all paths from that node, at
the start of step t, to the end. Both are linear, so the effect of a change on the whole outcome is one product:

    putting `delta` into a node in step t changes the weighted outcome by  delta * weight[t + 1][node]

An edit repairs the lane if and only if its effect is what the outcome lacks, up to an accident of probability about
2^-60: so every single edit can be judged by a few multiplications, without carrying it out.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from core.lanes import Lane
from core.schedule import COPY, REDUCE

SEED = 20_240_229  # any number does; fixed, so that a report is the same every time


@dataclass(frozen=True, eq=False)
class Flow:
    held: np.ndarray  # uint64 [num_steps + 1, num_nodes], sum of what the node holds before the step
    weight: np.ndarray  # uint64 [num_steps + 1, num_nodes], what a change before the step does to the outcome
    writers: np.ndarray  # int32 [num_steps, num_nodes], moves that write the node in the step
    copied: np.ndarray  # bool [num_steps, num_nodes], is it overwritten?
    lack: np.ndarray  # uint64 [num_nodes], what a final place lacks (0 where it is right or does not matter)
    step: np.ndarray  # int64 [m], the lane's moves as columns
    src: np.ndarray
    dst: np.ndarray
    op: np.ndarray
    row: np.ndarray

    @property
    def lacking(self) -> np.uint64:
        """What the weighted outcome lacks in all."""
        return (self.lack * self.weight[-1]).sum(dtype=np.uint64)

    def put(self, step, src, dst, op) -> np.ndarray:
        """The effect of one more move, for arrays of moves. The effect of taking one away is minus this."""
        arriving = self.held[step, src]
        delta = np.where(op == REDUCE, arriving, arriving - self.held[step, dst])
        return delta * self.weight[step + 1, dst]

    def may_put(self, step, dst, op) -> np.ndarray:
        """Would one more move race with those already there?"""
        return np.where(op == REDUCE, ~self.copied[step, dst], self.writers[step, dst] == 0)


def flow(lane: Lane, num_steps: int) -> Flow:
    random = np.random.default_rng(SEED)
    columns = np.array(lane.moves, np.int64).reshape(-1, 5).T
    step, src, dst, op = columns[:4]
    num_nodes = len(lane.start)
    value = random.integers(0, 2**64, lane.world_size * len(lane.chunks), np.uint64)
    start, want = _sums(lane.start, value), np.zeros(num_nodes, np.uint64)
    needed = np.fromiter(lane.needs, np.int64, len(lane.needs))
    want[needed] = _sums(list(lane.needs.values()), value)
    final = np.zeros(num_nodes, np.uint64)
    final[needed] = random.integers(0, 2**64, len(needed), np.uint64) | np.uint64(1)  # odd: no power of two to lose
    ptr = np.searchsorted(step, np.arange(num_steps + 1)).tolist()
    held = _forward(start, ptr, src, dst, op)
    lack = np.where(final > 0, want - held[-1], np.uint64(0))
    place = step * num_nodes + dst
    writers = np.bincount(place, minlength=num_steps * num_nodes).reshape(num_steps, num_nodes)
    copied = np.zeros((num_steps, num_nodes), bool)
    copied[step[op == COPY], dst[op == COPY]] = True
    return Flow(held, _backward(final, ptr, src, dst, op), writers, copied, lack, *columns)


def _sums(sets: list[int], value: np.ndarray) -> np.ndarray:
    """uint64 [len(sets)]: the sum of the values of each set's bits."""
    size = -(-len(value) // 8)
    packed = np.frombuffer(b"".join(s.to_bytes(size, "little") for s in sets), np.uint8).reshape(len(sets), size)
    bits = np.unpackbits(packed, axis=1, count=len(value), bitorder="little")
    return bits.astype(np.uint64) @ value


def _forward(start: np.ndarray, ptr: list[int], src: np.ndarray, dst: np.ndarray, op: np.ndarray) -> np.ndarray:
    held = np.empty((len(ptr), len(start)), np.uint64)
    held[0] = start
    for step, (first, last) in enumerate(pairwise(ptr)):
        held[step + 1] = held[step]
        copies = op[first:last] == COPY
        arriving, to = held[step, src[first:last]], dst[first:last]
        held[step + 1, to[copies]] = arriving[copies]
        np.add.at(held[step + 1], to[~copies], arriving[~copies])
    return held


def _backward(final: np.ndarray, ptr: list[int], src: np.ndarray, dst: np.ndarray, op: np.ndarray) -> np.ndarray:
    weight = np.empty((len(ptr), len(final)), np.uint64)
    weight[-1] = final
    for step in range(len(ptr) - 2, -1, -1):
        moves = slice(ptr[step], ptr[step + 1])
        after = weight[step + 1]
        weight[step] = after
        weight[step, dst[moves][op[moves] == COPY]] = 0  # what is overwritten has no effect any more
        np.add.at(weight[step], src[moves], after[dst[moves]])
    return weight
