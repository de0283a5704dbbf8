"""Every algorithm in the registry must pass all of these, with all its options: a new one needs no new test."""

import ast
import inspect
from itertools import pairwise, product

import numpy as np
import pytest

from core.algorithms import ALGORITHMS, FOLDERS, by_collective
from core.algorithms.base import MAX_RANKS, backwards
from core.chunks import LAYOUTS, chunk_bounds
from core.collective import ALL_GATHER, ALL_REDUCE, COLLECTIVES, REDUCE_SCATTER
from core.cost import measure, volumes
from core.replay import OPS, reduce_buffers
from core.schedule import REDUCE, Schedule
from core.verify import check

WORLD_SIZES = [*range(1, 34), 48, 63, 64, 65]
ELEMENTS = [0, 1, 2, 3, 7, 16, 33]
VARIANTS = [(a, options) for a in ALGORITHMS.values() for options in a.variants]
EVERY_VARIANT = pytest.mark.parametrize(
    ("algorithm", "options"), [pytest.param(a, o, id=f"{a.name}-{'-'.join(map(str, o.values()))}") for a, o in VARIANTS]
)
EVERY_ALGORITHM = pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=ALGORITHMS)

PICKY = {  # the only algorithms that refuse some numbers of ranks with their default options, and why they may
    "recursive_doubling_all_gather": lambda n: n & (n - 1) == 0,
    "neighbour_exchange_all_gather": lambda n: n % 2 == 0 or n == 1,
}
REDUNDANT = {  # all-reduces that move or add more than they must, for fewer steps; with switches, others do the work
    "one_shot",
    "full_vector_ring",
    "recursive_doubling",
    "recursive_multiplying",
    "census",
    "sharp",
    "switchml",
    "nvls",
    "nvls_tree",
    "collnet",
}


def schedules(algorithm, options, world_sizes=WORLD_SIZES):
    """(world_size, schedule) for all of these numbers of ranks that the algorithm takes."""
    for world_size in world_sizes:
        if not algorithm.refuse(world_size, **options):
            yield world_size, algorithm(world_size, **options)


@EVERY_VARIANT
def test_keeps_the_promise_of_its_collective(algorithm, options):
    for _, schedule in schedules(algorithm, options):
        check(schedule, algorithm.collective)


@EVERY_VARIANT
def test_costs_what_it_declares(algorithm, options):
    for world_size, schedule in schedules(algorithm, options):
        declared, counted = algorithm.cost(world_size, **options), measure(schedule)
        counted = counted.scaled(algorithm.collective.buffers(world_size))
        for number in ("steps", "messages", "traffic", "work"):
            expected = pytest.approx(getattr(declared, number), abs=1e-9)
            assert getattr(counted, number) == expected, f"{number} with {world_size} ranks"


@EVERY_VARIANT
def test_moves_no_more_than_it_must_unless_that_saves_steps(algorithm, options):
    if algorithm.collective is not ALL_REDUCE:
        return
    redundant = algorithm.name in REDUNDANT or "latency" in options.values() or needs_more(algorithm, options)
    for world_size, schedule in schedules(algorithm, options):
        total, least = volumes(schedule).total, 2 * (world_size - 1)
        if redundant:
            assert schedule.num_vertices > world_size or total >= least - 1e-9
        else:
            assert total == pytest.approx(least), f"{world_size} ranks"


def needs_more(algorithm, options):
    """Folds that swap halves or give back a chunk move a little more; a hierarchy is as wasteful as its middle."""
    wasteful = {"recursive_doubling", "halves", "recursive_halving", "butterfly"}
    return bool(wasteful & {str(value) for value in options.values()})


def promised(collective, inputs, bounds, op):
    """What every rank must end with where it needs a chunk: each input that exists, once; and where it needs it."""
    world_size, num_elements = inputs.shape
    result, needed = np.zeros(num_elements, inputs.dtype), np.zeros(inputs.shape, bool)
    rank = np.arange(world_size)
    for chunk, (low, high) in enumerate(pairwise(bounds)):
        has_one = np.broadcast_to(collective.starts(rank, chunk, rank), world_size)
        result[low:high] = OPS[op].reduce(inputs[has_one, low:high], axis=0)
        needed[:, low:high] = np.broadcast_to(collective.needs(rank, chunk), world_size)[:, None]
    return (result // world_size if op == "avg" else result), needed


def assert_exact(algorithm, schedule, num_elements, layout, op="sum", dtype=np.int64):
    shape = schedule.world_size, num_elements
    inputs = np.random.default_rng(num_elements).integers(-9, 10, shape).astype(dtype)
    bounds = chunk_bounds(num_elements, schedule.num_chunks, layout)
    result, needed = promised(algorithm.collective, inputs, bounds, op)
    buffers = reduce_buffers(schedule, inputs, op, layout)[: schedule.world_size]
    wrong = (buffers != result) & needed
    assert not wrong.any(), f"{op} of {num_elements} elements, {layout}, {shape[0]} ranks: {np.argwhere(wrong)[:3]}"


@EVERY_VARIANT
def test_exact_on_few_ranks_with_every_size_and_layout(algorithm, options):
    for _, schedule in schedules(algorithm, options, (1, 2, 3, 4, 6)):
        for num_elements, layout in product(ELEMENTS, LAYOUTS):
            assert_exact(algorithm, schedule, num_elements, layout)


@EVERY_VARIANT
def test_exact_on_many_ranks(algorithm, options):
    for world_size, schedule in schedules(algorithm, options, WORLD_SIZES[4:]):
        assert_exact(algorithm, schedule, ELEMENTS[-1 - world_size % 3], LAYOUTS[world_size % 4])


@EVERY_ALGORITHM
@pytest.mark.parametrize("op", OPS)
def test_exact_with_every_operation(algorithm, op):
    if op != "sum" and not adds(algorithm):
        return
    for _, schedule in schedules(algorithm, {}, (1, 4, 5, 8)):
        for dtype in (np.int64,) if op == "avg" else (np.int64, np.float64):
            assert_exact(algorithm, schedule, 7, "even", op, dtype)


def adds(algorithm):
    return measure(algorithm(4)).work > 0 or algorithm.collective is ALL_REDUCE


@EVERY_ALGORITHM
def test_takes_any_number_of_ranks(algorithm):
    may = PICKY.get(algorithm.name, lambda n: True)
    for world_size in WORLD_SIZES:
        assert bool(algorithm.refuse(world_size)) != may(world_size), world_size


@EVERY_ALGORITHM
def test_every_option_is_used_and_explained(algorithm):
    defaults = {name: p.default for name, p in list(inspect.signature(algorithm.steps).parameters.items())[1:]}
    assert defaults == {name: option.default for name, option in algorithm.options.items()}
    for name, option in algorithm.options.items():
        assert option.help.endswith("."), name
        assert not any(option.refuse(name, value) for value in option.samples)
        assert option.refuse(name, "no such value")
        assert option.choices or (option.refuse(name, option.low - 1) and option.refuse(name, option.high + 1))


@EVERY_ALGORITHM
def test_every_variant_is_possible_somewhere(algorithm):
    for options in algorithm.variants:
        assert any(not algorithm.refuse(world_size, **options) for world_size in WORLD_SIZES[1:]), options


@EVERY_ALGORITHM
def test_says_what_it_is(algorithm):
    for text in (algorithm.idea, algorithm.reference, algorithm.users, algorithm.also_called, algorithm.extra):
        assert text
    assert algorithm.idea.endswith((".", "?"))
    assert algorithm.collective is COLLECTIVES[algorithm.collective.name]


@EVERY_ALGORITHM
def test_lives_in_one_short_file_named_after_it(algorithm):
    module = inspect.getmodule(algorithm.steps)
    assert module.__name__.split(".")[-1] == algorithm.name
    code = inspect.getsource(module).replace(module.__doc__, "")
    assert len(code.splitlines()) <= 100
    for node in ast.walk(ast.parse(code)):
        assert not isinstance(node, ast.FunctionDef) or node.end_lineno - node.lineno < 20, node.name
    assert f"def {algorithm.name}(" in algorithm.source


def test_the_registry_is_in_order():
    assert [name for names in FOLDERS.values() for name in names] == list(ALGORITHMS)
    assert all(name == algorithm.name for name, algorithm in ALGORITHMS.items())
    groups = by_collective()
    assert next(iter(groups)) == "all-reduce"
    assert sum(map(len, groups.values())) == len(ALGORITHMS)
    assert set(groups) == set(COLLECTIVES)


def test_the_same_schedule_under_two_names():
    """Landmarks between families: special cases of one algorithm that are another."""
    for one, other in [
        (
            ALGORITHMS["blueconnect"](8, ranks_per_node=2, nodes_per_rack=2),
            ALGORITHMS["halving_doubling"](8, order="near"),
        ),
        (ALGORITHMS["bcube"](16), ALGORITHMS["halving_doubling"](16, order="near")),
        (ALGORITHMS["bcube"](7), ALGORITHMS["direct"](7)),
        (ALGORITHMS["recursive_multiplying"](8, radix=2), ALGORITHMS["recursive_doubling"](8)),
        (ALGORITHMS["recursive_multiplying"](6, radix=6), ALGORITHMS["one_shot"](6)),
        (ALGORITHMS["knomial_tree"](13, radix=2), ALGORITHMS["binomial_tree"](13)),
        (ALGORITHMS["kary_tree"](5, arity=1, num_segments=3), ALGORITHMS["chain"](5, num_segments=3)),
        (ALGORITHMS["hierarchical"](6, ranks_per_node=1), ALGORITHMS["ring"](6)),
        (ALGORITHMS["segmented_ring"](5, num_segments=1), ALGORITHMS["ring"](5)),
        (ALGORITHMS["multi_ring"](7, num_rings=1), ALGORITHMS["ring"](7)),
    ]:
        assert transfers(one) == transfers(other), f"{one.name} and {other.name}"


@EVERY_VARIANT
def test_an_all_gather_backwards_is_a_reduce_scatter(algorithm, options):
    if algorithm.collective is not ALL_GATHER:
        return
    for world_size, schedule in schedules(algorithm, options, WORLD_SIZES[:17]):
        if schedule.num_vertices == world_size:
            steps = backwards(schedule, op=REDUCE, phase="reduce-scatter")
            mirrored = Schedule.from_steps(steps, name="mirror", world_size=world_size, num_chunks=world_size)
            check(mirrored, REDUCE_SCATTER)


def transfers(schedule):
    columns = (schedule.step_of, schedule.src, schedule.dst, schedule.chunk, schedule.count, schedule.op)
    return sorted(zip(*(column.tolist() for column in columns)))


def test_the_closed_forms_of_the_literature():
    ring, tree, nvls = ALGORITHMS["ring"], ALGORITHMS["binomial_tree"], ALGORITHMS["nvls"]
    assert (ring.cost(8).steps, ring.cost(8).traffic, ring.cost(8).work) == (14, 1.75, 0.875)
    assert (tree.cost(9).steps, tree.cost(9).traffic, tree.cost(9).work) == (8, 8, 4)
    assert nvls.cost(8).traffic == pytest.approx(2 * (1 + 1 / 8))
    assert nvls.cost(8, num_segments=4096).traffic == pytest.approx(1 + 1 / 8, rel=1e-3)
    assert ALGORITHMS["double_tree"].cost(64, num_segments=4096).traffic == pytest.approx(2, rel=0.02)
    assert ALGORITHMS["bruck_all_to_all"].cost(8).traffic == pytest.approx(12 / 8)


@pytest.mark.parametrize("world_size", [0, -1, 2.5, "4", True, None, MAX_RANKS + 1, 10**9])
def test_refuses_impossible_numbers_of_ranks(world_size):
    with pytest.raises(ValueError, match=f"ring: world_size is {world_size!r}: it must be a whole number of ranks"):
        ALGORITHMS["ring"](world_size)


def test_refuses_schedules_too_large_to_hold():
    with pytest.raises(ValueError, match="ring: 100000 ranks would make about 2e\\+10 transfers"):
        ALGORITHMS["ring"](100_000)
    assert ALGORITHMS["binomial_tree"](1 << 16).num_transfers == 2 * ((1 << 16) - 1)


@EVERY_ALGORITHM
def test_answers_for_the_largest_world_without_building_it(algorithm):
    assert isinstance(algorithm.refuse(MAX_RANKS), str)


def test_refuses_options_in_words():
    for options, words in [
        ({"radix": 2}, "there is no option 'radix'"),
        ({"direction": 2}, "direction is 2: choose one of 1, -1"),
        ({"offset": 5000}, "offset is 5000: it must be -1024 to 1024"),
        ({"offset": "0"}, "offset is '0': it must be a whole number"),
    ]:
        with pytest.raises(ValueError, match=f"ring: {words}"):
            ALGORITHMS["ring"](4, **options)
    with pytest.raises(ValueError, match="10 ranks do not fill nodes of 4: choose 1 or 2 or 5 or 10"):
        ALGORITHMS["hierarchical"](10, ranks_per_node=4)
