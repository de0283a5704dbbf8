"""All single edits that repair one lane, found by their effect (see core.blame.flow)."""

from __future__ import annotations

import numpy as np

from core import edits
from core.blame.flow import Flow
from core.edits import Edit, Hop
from core.lanes import Lane
from core.schedule import COPY, REDUCE, Schedule

LIMIT = 1 << 22  # effects computed for one kind of edit; beyond that, redirects and moves are left out
MAX_ADDITIONS = 4096  # missing hops; if more would do, those between vertices that talk to each other come first


def repairs(schedule: Schedule, lane: Lane, flow: Flow) -> tuple[list[Edit], bool]:
    """(edits of one transfer, or one missing transfer, after which this lane is right; are these all?)

    Other lanes are not looked at.
    """
    found: list[Edit] = []
    size = len(lane.slots)
    for rows, edit in (
        (_drops(flow), edits.dropped),
        (_flips(flow), edits.flipped),
        (_reversals(flow, size), edits.reversed_),
    ):
        found += [edit(schedule, int(row)) for row in rows]
    small = len(lane.moves) * max(len(lane.start), schedule.num_steps) <= LIMIT
    if small:
        found += [edits.redirected(schedule, row, src=vertex) for row, vertex in _new_senders(flow, size)]
        found += [edits.redirected(schedule, row, dst=vertex) for row, vertex in _new_receivers(flow, size)]
        found += [edits.moved(schedule, row, step) for row, step in _new_steps(flow)]
    hops, all_hops = _additions(schedule, lane, flow)
    return found + hops, small and all_hops


def _drops(flow: Flow) -> np.ndarray:
    return flow.row[-flow.put(flow.step, flow.src, flow.dst, flow.op) == flow.lacking]


def _flips(flow: Flow) -> np.ndarray:
    """A COPY that adds keeps what was there; a REDUCE that overwrites loses it."""
    was_there = flow.held[flow.step, flow.dst] * flow.weight[flow.step + 1, flow.dst]
    effect = np.where(flow.op == COPY, was_there, -was_there)
    alone = flow.writers[flow.step, flow.dst] == 1
    return flow.row[(effect == flow.lacking) & alone]


def _reversals(flow: Flow, size: int) -> np.ndarray:
    """The vertices change places, the slots stay: what was sent from slot 1 into slot 0 still is."""
    sender = flow.dst // size * size + flow.src % size
    receiver = flow.src // size * size + flow.dst % size
    effect = flow.put(flow.step, sender, receiver, flow.op) - flow.put(flow.step, flow.src, flow.dst, flow.op)
    return flow.row[(effect == flow.lacking) & flow.may_put(flow.step, receiver, flow.op)]


def _others(flow: Flow, node: np.ndarray, size: int) -> np.ndarray:
    """int64 [m, num_vertices]: the nodes of all vertices with the slot of `node`."""
    return np.arange(flow.held.shape[1] // size) * size + (node % size)[:, None]


def _new_senders(flow: Flow, size: int) -> list[tuple[int, int]]:
    step, dst = flow.step[:, None], flow.dst[:, None]
    sender = _others(flow, flow.src, size)
    effect = (flow.held[step, sender] - flow.held[step, flow.src[:, None]]) * flow.weight[step + 1, dst]
    good = (effect == flow.lacking) & (sender // size != dst // size) & (sender != flow.src[:, None])
    move, vertex = np.nonzero(good)
    return list(zip(flow.row[move].tolist(), vertex.tolist()))


def _new_receivers(flow: Flow, size: int) -> list[tuple[int, int]]:
    step, src, op = flow.step[:, None], flow.src[:, None], flow.op[:, None]
    receiver = _others(flow, flow.dst, size)
    gone = flow.put(flow.step, flow.src, flow.dst, flow.op)[:, None]
    good = flow.put(step, src, receiver, op) - gone == flow.lacking
    good &= flow.may_put(step, receiver, op) & (receiver // size != src // size) & (receiver != flow.dst[:, None])
    move, vertex = np.nonzero(good)
    return list(zip(flow.row[move].tolist(), vertex.tolist()))


def _new_steps(flow: Flow) -> list[tuple[int, int]]:
    """(row, step). A COPY moved in time overwrites what its own absence left there, unless a COPY lies between."""
    num_steps = len(flow.writers)
    old, new = flow.step[:, None], np.arange(num_steps)[None, :]
    src, dst, op = flow.src[:, None], flow.dst[:, None], flow.op[:, None]
    put = flow.put(new, src, dst, op)
    taken = flow.put(old, src, dst, op)
    first, second = np.minimum(old, new), np.maximum(old, new)
    kept = _next_copy(flow)[first, dst] >= second
    delta = np.where(new < old, flow.held[new, src] - flow.held[new, dst], flow.held[old, dst] - flow.held[old, src])
    correction = delta * flow.weight[second + 1, dst] * (kept & (op == COPY))
    effect = np.where(new < old, put - taken + correction, put - taken - correction)
    good = (effect == flow.lacking) & (new != old) & flow.may_put(new, dst, op)
    move, step = np.nonzero(good)
    return list(zip(flow.row[move].tolist(), step.tolist()))


def _next_copy(flow: Flow) -> np.ndarray:
    """int64 [num_steps, num_nodes]: the first later step in which the node is overwritten, or num_steps."""
    steps = np.where(flow.copied, np.arange(len(flow.copied))[:, None], len(flow.copied))
    after = np.full_like(steps, len(flow.copied))
    after[:-1] = np.minimum.accumulate(steps[::-1], axis=0)[::-1][1:]
    return after


def _additions(schedule: Schedule, lane: Lane, flow: Flow) -> tuple[list[Edit], bool]:
    """(missing hops, are these all?). All wrong places must lack the same thing, for one hop brings one thing."""
    lack = flow.lack[flow.lack != 0]
    if len(set(lack.tolist())) != 1:
        return [], True
    same = (flow.weight[1:] == flow.weight[-1][flow.lack != 0].sum(dtype=np.uint64)) & ~flow.copied
    found = np.concatenate([_senders(flow, step, same[step], lack[0]) for step in range(len(same))] or [_NONE], axis=1)
    step, src, dst, op = found[:, found[1] // len(lane.slots) != found[2] // len(lane.slots)]
    order = np.arange(len(step))
    if len(step) > MAX_ADDITIONS:
        pair = src // len(lane.slots) * schedule.num_vertices + dst // len(lane.slots)
        talks = np.isin(pair, np.unique(schedule.src.astype(np.int64) * schedule.num_vertices + schedule.dst))
        order = np.argsort(~talks, kind="stable")[:MAX_ADDITIONS]
    hops = zip(step[order].tolist(), src[order].tolist(), dst[order].tolist(), op[order].tolist())
    return [_added(lane, *hop) for hop in hops], len(step) <= MAX_ADDITIONS


_NONE = np.zeros((4, 0), np.int64)


def _senders(flow: Flow, step: int, good: np.ndarray, lack: np.uint64) -> np.ndarray:
    """int64 [4, hops]: step, sender, receiver and op of hops in one step that bring just `lack` to a `good` node."""
    receivers = np.flatnonzero(good)
    if not len(receivers):
        return _NONE
    held = flow.held[step]
    adding = np.stack(np.meshgrid(np.flatnonzero(held == lack), receivers, indexing="ij")).reshape(2, -1)
    free = receivers[flow.writers[step, receivers] == 0]
    order = np.argsort(held)
    first, last = (np.searchsorted(held[order], held[free] + lack, side=side) for side in ("left", "right"))
    many = last - first
    nth = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
    copying = np.stack([order[np.repeat(first, many) + nth], np.repeat(free, many)])
    pairs = np.concatenate([adding, copying], axis=1)
    op = np.repeat([REDUCE, COPY], [adding.shape[1], copying.shape[1]])
    return np.stack([np.full(len(op), step), *pairs, op])


def _added(lane: Lane, step: int, src: int, dst: int, op: int) -> Edit:
    (sender, slot), (receiver, into) = lane.place(src), lane.place(dst)
    return Edit("add", None, (Hop(step, sender, receiver, slot, 1, op, into),))
