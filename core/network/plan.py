"""All messages of a schedule at once, and what each of them waits for: for the flow model and for explanations."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from core.network.conditions import Network
from core.network.steps import Steps
from core.schedule import Schedule


@dataclass(frozen=True, eq=False)
class Plan:
    """Messages in order of their steps; every array has one entry a message."""

    schedule: Schedule
    network: Network
    step: np.ndarray  # int64
    src: np.ndarray  # int64
    dst: np.ndarray  # int64
    nbytes: np.ndarray  # float64
    added: np.ndarray  # float64, bytes that the receiver adds
    alpha: np.ndarray  # float64, latency of the path, jitter included
    beta: np.ndarray  # float64, seconds per byte at the slowest link
    paths: np.ndarray  # int32 [num_messages, longest path], filled up with num_links
    out_port: np.ndarray  # int64, first link
    in_port: np.ndarray  # int64, last link
    of_row: np.ndarray  # int64 [num_transfers], the message of each transfer

    def __len__(self) -> int:
        return len(self.src)


def plan(schedule: Schedule, network: Network, nbytes: float, envelope: float = 0.0) -> Plan:
    steps = Steps(network, nbytes / schedule.num_chunks, envelope)
    columns, of_row, count = defaultdict(list), [], 0
    for number, (load, step) in enumerate(steps.walk(schedule)):
        pattern, messages = load.pattern, len(load.pattern)
        columns["step"].append(np.full(messages, number))
        columns["nbytes"].append(load.nbytes)
        columns["added"].append(steps.added(step, load))
        columns["alpha"].append(pattern.alpha + network.extra_latency(number, messages))
        for name in ("src", "dst", "beta", "out_port", "in_port"):
            columns[name].append(getattr(pattern, name))
        columns["paths"].append(pattern.paths)
        of_row.append(count + (np.arange(messages) if pattern.of_row is None else pattern.of_row))
        count += messages
    paths = _stack(columns.pop("paths", []), network.num_links)
    whole = {name: np.concatenate(parts) for name, parts in columns.items()} if count else _nothing()
    rows = np.concatenate(of_row) if of_row else np.zeros(0, np.int64)
    return Plan(schedule, network, **whole, paths=paths, of_row=rows)


def _stack(parts: list[np.ndarray], nothing: int) -> np.ndarray:
    """One array of paths, int32, as wide as the widest."""
    width = max((part.shape[1] for part in parts), default=1)
    out = np.full((sum(len(part) for part in parts), width), nothing, np.int32)
    row = 0
    for part in parts:
        out[row : row + len(part), : part.shape[1]] = part
        row += len(part)
    return out


def _nothing() -> dict[str, np.ndarray]:
    whole = {name: np.zeros(0, np.int64) for name in ("step", "src", "dst", "out_port", "in_port")}
    return whole | {name: np.zeros(0) for name in ("nbytes", "added", "alpha", "beta")}


def data_edges(plan: Plan, slots: int | None = None, most: int = 1 << 21) -> list[tuple[int, ...]] | None:
    """For each message the messages that must have been taken in before it can start (buffered sends).

    Those that wrote any chunk it carries; and with bounded `slots` the one that many before it on its connection.
    None when there are more than `most`.
    """
    schedule, slot_count = plan.schedule, plan.schedule.num_slots
    written: dict[int, tuple[int, ...]] = {}  # place of a chunk at a vertex -> the messages that wrote it so far
    needs: list[tuple[int, ...]] = [()] * len(plan)
    total = 0
    columns = (
        plan.of_row,
        schedule.src.astype(np.int64) * slot_count + schedule.chunk,
        schedule.dst.astype(np.int64) * slot_count + schedule.into,
        schedule.count,
    )
    for s in range(schedule.num_steps):
        part = slice(schedule.step_ptr[s], schedule.step_ptr[s + 1])
        rows = list(zip(*(column[part].tolist() for column in columns)))
        for message, first, _, count in rows:  # all reads of a step come before its writes
            found = [written[place] for place in range(first, first + count) if place in written]
            if len(found) > 1 or needs[message]:
                needs[message] = tuple(set(needs[message]).union(*found))
            elif found:
                needs[message] = found[0]
            total += count + len(needs[message])
        for message, _, first, count in rows:
            for place in range(first, first + count):
                written[place] = (*written[place], message) if place in written else (message,)
        if total > most:
            return None
    return _with_window(plan, slots, needs) if slots else needs


def _with_window(plan: Plan, slots: int, needs: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    lines = defaultdict(list)
    for message, pair in enumerate(zip(plan.src.tolist(), plan.dst.tolist())):
        line = lines[pair]
        if len(line) >= slots and line[-slots] not in needs[message]:
            needs[message] = (*needs[message], line[-slots])
        line.append(message)
    return needs
