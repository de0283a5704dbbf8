"""The messages of a plan sorted for the flow model: by vertex, by port, and the links on which they can meet."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from core.network.plan import Plan


def by_step(plan: Plan) -> list[list[list[int]]]:
    """For each vertex its messages, grouped by step."""
    groups: list[list[list[int]]] = [[] for _ in plan.network.late]
    last = [-1] * len(groups)
    for message, (step, *ends) in enumerate(zip(plan.step.tolist(), plan.src.tolist(), plan.dst.tolist())):
        for vertex in ends:
            if last[vertex] != step:
                last[vertex] = step
                groups[vertex].append([])
            groups[vertex][-1].append(message)
    return groups


def by_port(plan: Plan) -> dict[int, list[list[int]]]:
    """For each out-port its messages, grouped by step. Messages without a link (on one switch) get a port each."""
    nothing = plan.network.num_links
    queues: dict[int, list[list[int]]] = defaultdict(list)
    last: dict[int, int] = {}
    for message, (port, step) in enumerate(zip(plan.out_port.tolist(), plan.step.tolist())):
        port = port if port < nothing else nothing + message
        if last.get(port) != step:
            last[port] = step
            queues[port].append([])
        queues[port][-1].append(message)
    return queues


def links(plan: Plan, private: np.ndarray) -> list[tuple[int, ...]]:
    """For each message the links on which it may meet others."""
    shared = np.where(np.append(private, True)[plan.paths], -1, plan.paths)
    known: dict[tuple[int, int], tuple[int, ...]] = {}
    pairs = list(zip(plan.src.tolist(), plan.dst.tolist()))
    for pair, path in zip(pairs, shared.tolist()):
        if pair not in known:
            known[pair] = tuple(link for link in path if link >= 0)
    return [known[pair] for pair in pairs]


def alone_in_step(plan: Plan, *users: np.ndarray) -> np.ndarray:
    """Links that never carry two messages at a time, because one user alone has them, one message a step.

    A user is a vertex or a port that takes its steps one after another. bool [num_links]
    """
    hops, steps = plan.paths.shape[1], int(plan.step.max(initial=0)) + 1
    link = plan.paths.ravel().astype(np.int64)
    uses, times = np.unique(link * steps + np.repeat(plan.step, hops), return_counts=True)
    crowded = np.zeros(plan.network.num_links + 1, bool)
    crowded[uses[times > 1] // steps] = True
    alone = np.logical_or.reduce([_one_user(link, np.repeat(user, hops), len(crowded)) for user in users])
    return (alone & ~crowded)[:-1]


def _one_user(link: np.ndarray, user: np.ndarray, num_links: int) -> np.ndarray:
    low, high = np.full(num_links, np.iinfo(np.int64).max), np.full(num_links, -1)
    np.minimum.at(low, link, user)
    np.maximum.at(high, link, user)
    return low >= high
