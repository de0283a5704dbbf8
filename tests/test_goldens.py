"""The verified schedules of goldens.txt, each reproduced by an option of some algorithm, transfer by transfer."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.algorithms.census import digits
from core.algorithms.double_tree import first_tree, second_tree
from core.chunks import chunk_bounds
from core.schedule import COPY

TEXT = (Path(__file__).parent / "goldens.txt").read_text()
HEADER = re.compile(r"### (?P<name>.+?)  \(p=(?P<p>\d+), n=(?P<n>\d+)\)(?P<facts>.*)")
TRANSFER = re.compile(r"(\d+)>(\d+)([+=])(\S+)")

CLASSIC = {"offset": 0}
NEAR = {"order": "near"}
OURS = {  # golden name: (algorithm, options, layout if not even)
    "linear": ("linear", {}),
    "oneshot": ("one_shot", {}),
    "twoshot": ("direct", {}),
    "ring classic (Baidu/OMPI)": ("ring", CLASSIC),
    "ring NCCL/MPICH": ("ring", {}),
    "ring Gloo": ("ring", {"direction": -1}),
    "ring NCCL n=6 uneven (even split)": ("ring", {}),
    "ring n=2<p": ("ring", {}),
    "ring p=3 n=3": ("ring", {}),
    "ring p=2": ("ring", {}),
    "biring": ("bidirectional_ring", {}),
    "recursive doubling": ("recursive_doubling", {}),
    "recursive doubling p=3": ("recursive_doubling", {}),
    "recursive doubling p=6": ("recursive_doubling", {}),
    "rabenseifner distance doubling": ("halving_doubling", NEAR),
    "rabenseifner distance halving": ("halving_doubling", {}),
    "rabenseifner MPICH p=3": ("halving_doubling", NEAR),
    "rabenseifner OMPI p=3": ("halving_doubling", {"order": "near", "fold": "halves"}),
    "rabenseifner OMPI p=4 n=5": ("halving_doubling", NEAR, "floor_last"),
    "binary blocks p=3": ("binary_blocks", {}),
    "binary blocks p=6": ("binary_blocks", {}),
    "bcube p=6 radix2 ->[2,3]": ("bcube", {}),
    "bcube p=4 radix2": ("bcube", {}),
    "bcube p=9 k=3": ("bcube", {"radix": 3}),
    "recursive multiplying k=3 p=4": ("recursive_multiplying", {"radix": 3}),
    "circulant half p=4": ("circulant", {}),
    "circulant half p=5": ("circulant", {}),
    "circulant half p=3": ("circulant", {}),
    "PAT p=4": ("pat", {}),
    "PAT p=5": ("pat", {}),
    "swing lat p=4": ("swing", {"variant": "latency"}),
    "swing bw p=4": ("swing", {}),
    "swing bw p=8": ("swing", {}),
    "swing bw p=6": ("swing", {}),
    "binomial tree": ("binomial_tree", {}),
    "knomial k=4 p=6": ("knomial_tree", {"radix": 4}),
    "chain": ("chain", {}),
    "pipelined chain k=2 p=3": ("chain", {"num_segments": 2}),
    "double tree p=4": ("double_tree", {}),
    "double tree p=5": ("double_tree", {}),
    "dual root p=4": ("dual_root", {}),
    "leader 2x2": ("leader", {"ranks_per_node": 2, **CLASSIC}),
    "hier 2x2": ("hierarchical", {"ranks_per_node": 2}),
    "blueconnect [2,2]": ("blueconnect", {"ranks_per_node": 2, "nodes_per_rack": 1}),
    "blueconnect [2,2,2]": ("blueconnect", {"ranks_per_node": 2, "nodes_per_rack": 2}),
    "torus multi 2x2": ("torus", {"width": 2}),
    "sharp radix 4": ("sharp", {"radix": 4}),
    "sharp radix 2": ("sharp", {"radix": 2}),
    "NVLS two-shot": ("nvls", {}),
    "bcast_binomial": ("binomial_broadcast", {}),
    "bcast_gloo": ("binomial_broadcast", NEAR),
    "scatter_binomial": ("binomial_scatter", {}),
    "gather_binomial": ("binomial_gather", {}),
    "ag_ring": ("ring_all_gather", {}),
    "ag_bruck": ("bruck_all_gather", {}),
    "ag_recdbl": ("recursive_doubling_all_gather", {}),
    "ag_neighbor p=4": ("neighbour_exchange_all_gather", {}),
    "ag_neighbor p=6": ("neighbour_exchange_all_gather", {}),
    "rs_pairwise": ("pairwise_reduce_scatter", {}),
    "rs_rechalving": ("recursive_halving_reduce_scatter", {}),
    "reduce_binomial": ("binomial_reduce", {}),
}


def goldens():
    """{name: (p, n, facts, steps)}; a step is {(src, dst, op): the elements it carries}."""
    found = {}
    for line in TEXT.splitlines():
        if match := HEADER.fullmatch(line):
            facts = dict(re.findall(r"(\w+)=(\w+|\(.*?\))", match["facts"]))
            found[match["name"]] = steps = (int(match["p"]), int(match["n"]), facts, [])
        elif line.startswith("  s"):
            steps[3].append({(int(s), int(d), op): elements(ranges) for s, d, op, ranges in TRANSFER.findall(line)})
    return found


def elements(ranges):
    return sorted(e for low, high in re.findall(r"\[(\d+):(\d+)\)", ranges) for e in range(int(low), int(high)))


def our_steps(schedule, num_elements, layout):
    bounds = chunk_bounds(num_elements, schedule.num_chunks, layout)
    steps = []
    for step in schedule:
        carried = defaultdict(list)
        for src, dst, chunk, count, op in zip(step.src, step.dst, step.chunk, step.count, step.op):
            carried[int(src), int(dst), "=" if op == COPY else "+"] += range(bounds[chunk], bounds[chunk + count])
        steps.append({key: sorted(carried[key]) for key in carried if carried[key]})  # empty chunks do not travel
    return steps


GOLDENS = goldens()


def test_every_golden_has_an_algorithm():
    assert set(OURS) == set(GOLDENS)
    assert len(GOLDENS) == TEXT.count("\n### ")
    assert sum(len(step) for *_, steps in GOLDENS.values() for step in steps) == len(TRANSFER.findall(TEXT))


@pytest.mark.parametrize("name", GOLDENS)
def test_the_same_transfers_in_the_same_steps(name):
    world_size, num_elements, facts, steps = GOLDENS[name]
    algorithm, options, layout = (*OURS[name], "even")[:3]
    schedule = ALGORITHMS[algorithm](world_size, **options)
    assert our_steps(schedule, num_elements, layout) == steps
    assert schedule.num_steps == int(facts["steps"])
    assert ALGORITHMS[algorithm].collective.name.replace("-", "") == facts.get("collective", "allreduce").replace(
        "_", ""
    )


@pytest.mark.parametrize("name", [name for name in GOLDENS if "total_sent" in GOLDENS[name][2]])
def test_the_counts_of_the_header(name):
    *_, facts, steps = GOLDENS[name]
    volumes = [(src, dst, op, len(carried)) for step in steps for (src, dst, op), carried in step.items()]
    vertices = 1 + max(max(src, dst) for src, dst, *_ in volumes)
    sent, received, adds = np.zeros((3, vertices), int)
    for src, dst, op, amount in volumes:
        sent[src] += amount
        received[dst] += amount
        adds[dst] += amount * (op == "+")
    assert (sent.sum(), sent.max(), received.max()) == tuple(
        int(facts[k]) for k in ("total_sent", "max_sent", "max_recv")
    )
    assert (adds.min(), adds.max(), adds.sum()) == ast.literal_eval(facts["adds"])


def test_census_digits():
    line = next(line for line in TEXT.splitlines() if line.startswith("census "))
    given = re.findall(r"p=(\d+) (\[.*?\])(?= p=|$)", line)
    assert [int(p) for p, _ in given] == [4, 5, 6, 7, 8]
    for world_size, pairs in given:
        assert digits(int(world_size)) == ast.literal_eval(pairs)


TREES = [line for line in TEXT.splitlines() if line.startswith("dtree ")]


@pytest.mark.parametrize("line", TREES)
def test_double_trees(line):
    world_size, *trees = re.fullmatch(r"dtree (\d+) T0 (\{.*\}) T1 (\{.*\})", line).groups()
    for ours, given in zip((first_tree, second_tree), map(ast.literal_eval, trees)):
        parent = ours(int(world_size)).tolist()
        assert [None if up < 0 else up for up in parent] == [given[rank][0] for rank in range(int(world_size))]
        for rank, (_, children) in given.items():
            assert {child for child, up in enumerate(parent) if up == rank} == set(children)
