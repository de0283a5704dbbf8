"""Every small mistake in every all-reduce is either harmless (says a second, plain proof) or rejected with a cause."""

import random

import pytest

from core.algorithms import ALGORITHMS
from core.blame.report import KINDS as CAUSES
from core.blame.report import MAX_REPAIRS
from core.collective import ALL_REDUCE
from core.edits import edited, hop
from core.mutants import KINDS, mutants, place_named, steps_away
from core.verify import verify
from tests.slow_proof import is_right

FAMILIES = (
    "ring",
    "binomial_tree",
    "recursive_doubling",
    "halving_doubling",
    "hierarchical",
    "sharp",
    "reduce_scatter_all_gather",
    "ring_reduce_scatter",
    "ring_all_gather",
)
ALWAYS_CHANGES = ("drop", "flip", "reverse", "shift")
VARIANTS = [
    pytest.param(algorithm, options, id=f"{name}-{'-'.join(map(str, options.values()))}")
    for name, algorithm in ALGORITHMS.items()
    if algorithm.collective is ALL_REDUCE
    for options in algorithm.variants
]


def judge(mutant, collective=ALL_REDUCE):
    """The report about a mutant, compared with the plain proof and checked for a cause. None if it does no harm."""
    report = verify(mutant.schedule, collective)
    assert report.right == is_right(mutant.schedule, collective)
    if report.right:
        return None
    assert report.kind in CAUSES
    assert 0 <= report.step < mutant.schedule.num_steps
    assert report.transfers or report.hops
    for word in (f"step {report.step + 1}", "chunk"):
        assert word in report.sentence
    assert "rank " in report.sentence or "switch " in report.sentence
    assert len(report.repairs) <= MAX_REPAIRS
    assert report.faults == 1  # undoing the mistake repairs it
    for repair in report.repairs[:1]:
        assert is_right(edited(mutant.schedule, repair), collective)
    return report


@pytest.mark.parametrize("world_size", [4, 8])
@pytest.mark.parametrize("name", FAMILIES)
def test_every_mistake_in_the_main_families(name, world_size):
    algorithm = ALGORITHMS[name]
    chosen = mutants(algorithm(world_size), kinds=ALWAYS_CHANGES)
    harmless = [mutant.edit for mutant in chosen if judge(mutant, algorithm.collective) is None]
    adds_to_nothing = {"flip"} if name == "ring_all_gather" else set()  # which is as good as overwriting it
    assert {edit.kind for edit in harmless} == adds_to_nothing


@pytest.mark.parametrize(("algorithm", "options"), VARIANTS)
def test_a_sample_of_all_mistakes_in_every_algorithm(algorithm, options):
    usual = options == algorithm.variants[0]
    for world_size in range(4, 10) if usual else (5, 8):
        if not algorithm.refuse(world_size, **options):
            schedule = algorithm(world_size, **options)
            for mutant in mutants(schedule, sample(schedule, 2 if usual else 1)):
                judge(mutant)


def sample(schedule, size):
    rows = range(schedule.num_transfers)
    return sorted(random.Random(f"{schedule.name} {len(rows)}").sample(rows, min(size, len(rows))))


def test_the_very_transfer_is_named_most_of_the_time():
    reports = []
    for algorithm in ALGORITHMS.values():
        for world_size in (5, 8):
            if algorithm.collective is ALL_REDUCE and not algorithm.refuse(world_size):
                schedule = algorithm(world_size)
                chosen = mutants(schedule, sample(schedule, 4), ALWAYS_CHANGES)
                reports += [(r, m) for m in chosen if not (r := verify(m.schedule, ALL_REDUCE)).right]
    near = sum(steps_away(report, mutant) <= 1 for report, mutant in reports)
    named = sum(place_named(report, mutant) is not None for report, mutant in reports)
    assert len(reports) > 500
    assert near >= 0.95 * len(reports)
    assert named >= 0.95 * len(reports)


def test_what_each_mistake_is():
    schedule = ALGORITHMS["ring"](4)
    found = {mutant.kind: mutant for mutant in mutants(schedule, rows=[5])}  # step 1: rank 1 -> rank 2, chunk 3
    assert tuple(found) == KINDS
    now = {kind: None if m.row is None else hop(m.schedule, m.row) for kind, m in found.items()}
    old = hop(schedule, 5)
    assert (old.step, old.src, old.dst, old.chunk) == (1, 1, 2, 3)
    assert now["drop"] is None
    assert found["drop"].schedule.num_transfers == schedule.num_transfers - 1
    assert now["duplicate"] == old
    assert found["duplicate"].schedule.num_transfers == schedule.num_transfers + 1
    assert now["flip"] == old._replace(op=1 - old.op)
    assert now["reverse"] == old._replace(src=2, dst=1)
    assert now["redirect"] == old._replace(dst=3)
    assert now["shift"] == old._replace(chunk=0, into=0)
    assert now["earlier"] == old._replace(step=0)
    assert now["later"] == old._replace(step=2)


def test_redirect_never_sends_to_itself():
    for name in ("direct", "sharp"):
        for mutant in mutants(ALGORITHMS[name](6), kinds=("redirect",)):
            assert (mutant.schedule.src != mutant.schedule.dst).all()
            assert mutant.schedule.num_vertices <= ALGORITHMS[name](6).num_vertices
