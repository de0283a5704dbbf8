"""Invariants that hold for whole families of schedules, tried on many of them. The examples are the same every time."""

from functools import cache

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.algorithms import ALGORITHMS, by_collective
from core.chunks import LAYOUTS
from core.collective import ALL_GATHER, ALL_REDUCE, REDUCE_SCATTER
from core.cost import measure
from core.edits import all_edits, edited
from core.fingerprint import probably_right
from core.replay import reduce_buffers
from core.schedule import COPY, REDUCE, Schedule, send
from core.verify import verify
from tests.slow_proof import is_right

GROUPS = by_collective()
settings.register_profile("steady", derandomize=True, deadline=None, database=None, max_examples=60)
STEADY = settings.get_profile("steady")
COLLECTIVES = st.sampled_from([ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER])


@cache
def choices(collective, most):
    """(algorithm, options, numbers of ranks it takes)"""
    every = [(a, options) for a in GROUPS[collective.name] for options in a.variants]
    sizes = [[n for n in range(1, most + 1) if not a.refuse(n, **options)] for a, options in every]
    return [(*one, some) for one, some in zip(every, sizes) if some]


@st.composite
def schedules_of(draw, collective, most=12):
    """A schedule of some algorithm for this collective, with some of its options."""
    algorithm, options, sizes = draw(st.sampled_from(choices(collective, most)))
    return algorithm(draw(st.sampled_from(sizes)), **options)


def rebuilt(schedule, name="changed", **columns):
    """The schedule with some columns replaced; step by step, so that step_ptr stays."""
    into = schedule.into if schedule.moves_chunks else None
    every = {"src": schedule.src, "dst": schedule.dst, "chunk": schedule.chunk, "into": into, **columns}
    steps = []
    for first, last in zip(schedule.step_ptr, schedule.step_ptr[1:]):
        rows = slice(first, last)
        one = {c: None if column is None else column[rows] for c, column in every.items()}
        steps.append(send(**one, count=schedule.count[rows], op=schedule.op[rows]))
    return Schedule.from_steps(
        steps,
        name=name,
        world_size=schedule.world_size,
        num_chunks=schedule.num_chunks,
        num_buffers=schedule.num_buffers,
    )


@settings(STEADY)
@given(schedules_of(ALL_REDUCE), st.randoms(use_true_random=False))
def test_renaming_the_ranks_changes_no_count(schedule, random):
    ranks = list(range(schedule.world_size))
    random.shuffle(ranks)
    renamed = np.array([*ranks, *range(schedule.world_size, schedule.num_vertices)])
    other = rebuilt(schedule, src=renamed[schedule.src], dst=renamed[schedule.dst])
    assert verify(other, ALL_REDUCE).right
    assert measure(other) == measure(schedule)


@settings(STEADY)
@given(schedules_of(ALL_REDUCE), st.randoms(use_true_random=False))
def test_the_order_of_a_step_s_transfers_does_not_matter_for_integers(schedule, random):
    order = [
        row
        for first, last in zip(schedule.step_ptr.tolist(), schedule.step_ptr[1:].tolist())
        for row in random.sample(range(first, last), last - first)
    ]
    columns = {c: getattr(schedule, c)[order] for c in ("src", "dst", "chunk", "count", "op")}
    steps = [slice(a, b) for a, b in zip(schedule.step_ptr, schedule.step_ptr[1:])]
    into = schedule.into[order]
    other = Schedule.from_steps(
        [send(**{c: column[rows] for c, column in columns.items()}, into=into[rows]) for rows in steps],
        name="shuffled",
        world_size=schedule.world_size,
        num_chunks=schedule.num_chunks,
        num_buffers=schedule.num_buffers,
    )
    inputs = np.arange(schedule.world_size * 17).reshape(schedule.world_size, 17) ** 2
    assert verify(other, ALL_REDUCE).right
    assert (reduce_buffers(other, inputs) == reduce_buffers(schedule, inputs)).all()


@settings(STEADY)
@given(schedules_of(ALL_GATHER))
def test_an_all_gather_backwards_is_a_reduce_scatter(gather):
    backwards = [send(s.dst, s.src, s.chunk, s.count, op=REDUCE, into=None) for s in reversed(list(gather))]
    if gather.num_vertices == gather.world_size:  # a switch holds nothing to begin with, so not with switches
        scatter = Schedule.from_steps(
            backwards, name="backwards", world_size=gather.world_size, num_chunks=gather.num_chunks
        )
        assert verify(scatter, REDUCE_SCATTER).right
        assert measure(scatter).traffic == measure(gather).traffic


@settings(STEADY)
@given(st.sampled_from(GROUPS["reduce-scatter"]), st.sampled_from(GROUPS["all-gather"]), st.integers(1, 12))
def test_a_reduce_scatter_and_then_an_all_gather_is_an_all_reduce(first, second, ranks):
    if first.refuse(ranks) or second.refuse(ranks):
        return
    parts = first(ranks), second(ranks)
    both = Schedule.from_steps(
        [step for part in parts for step in part],
        name="both",
        world_size=ranks,
        num_chunks=parts[0].num_chunks,
        num_buffers=max(part.num_buffers for part in parts),
    )
    assert parts[0].num_chunks == parts[1].num_chunks == ranks
    assert verify(both, ALL_REDUCE).right
    assert measure(both).steps == measure(parts[0]).steps + measure(parts[1]).steps


@settings(STEADY)
@given(schedules_of(ALL_REDUCE), st.integers(0, 40), st.integers(0, 2**32))
def test_the_sum_does_not_depend_on_how_the_buffer_is_cut(schedule, num_elements, seed):
    """Also with fewer elements than chunks or ranks."""
    inputs = np.random.default_rng(seed).integers(-99, 99, (schedule.world_size, num_elements))
    for layout in LAYOUTS:
        assert (reduce_buffers(schedule, inputs, layout=layout)[: schedule.world_size] == inputs.sum(axis=0)).all()


@st.composite
def small_schedules(draw):
    """Any transfers at all between a few vertices, most of them nonsense."""
    ranks, chunks, buffers = draw(st.integers(1, 4)), draw(st.integers(1, 3)), draw(st.integers(1, 2))
    vertex, slot = st.integers(0, ranks), st.integers(0, chunks * buffers - 1)
    transfer = st.tuples(vertex, vertex, slot, st.sampled_from([REDUCE, COPY]), slot)
    stays = draw(st.booleans())
    steps = []
    for rows in draw(st.lists(st.lists(transfer, max_size=5), max_size=4)):
        src, dst, chunk, op, into = np.array(rows, int).reshape(-1, 5).T
        steps.append(send(src, dst, chunk, op=op, into=None if stays else into))
    return Schedule.from_steps(steps, name="random", world_size=ranks, num_chunks=chunks, num_buffers=buffers)


@settings(STEADY, max_examples=400)
@given(small_schedules(), COLLECTIVES)
def test_the_proof_agrees_with_plain_counting_on_anything(schedule, collective):
    report = verify(schedule, collective)
    assert report.right == is_right(schedule, collective)
    assert report.right == probably_right(schedule, collective)
    if not report.right:
        assert report.sentence
        assert report.kind


@settings(STEADY, max_examples=150)
@given(COLLECTIVES.flatmap(lambda c: st.tuples(st.just(c), schedules_of(c, most=6))), st.data())
def test_the_proof_agrees_with_plain_counting_on_nearly_right_schedules(pair, data):
    collective, schedule = pair
    for _ in range(data.draw(st.integers(0, 2))):
        if schedule.num_transfers:
            row = data.draw(st.integers(0, schedule.num_transfers - 1))
            schedule = edited(schedule, data.draw(st.sampled_from(list(all_edits(schedule, row)))))
    report = verify(schedule, collective)
    assert report.right == is_right(schedule, collective)
    for repair in report.repairs:
        assert is_right(edited(schedule, repair), collective)


@settings(STEADY, max_examples=150)
@given(
    st.lists(st.tuples(*[st.integers(-3, 9)] * 5, st.integers(0, 255)), max_size=6),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 2),
)
def test_nonsense_is_refused_and_never_raises(rows, ranks, chunks, buffers):
    src, dst, chunk, count, into, op = np.array(rows, int).reshape(-1, 6).T
    steps = [send(src, dst, chunk, count, op=op, into=into)]
    schedule = Schedule.from_steps(steps, name="nonsense", world_size=ranks, num_chunks=chunks, num_buffers=buffers)
    report = verify(schedule, ALL_REDUCE)
    assert report.right == probably_right(schedule, ALL_REDUCE)
    assert report.right or report.kind


def test_three_names_for_one_schedule():
    """BlueConnect on 2 x 2 x 2 ranks, bcube of radix 2, and halving and doubling with the nearest partner first."""

    def pairs(schedule):
        return {
            (s, *row) for s, step in enumerate(schedule) for row in zip(step.src.tolist(), step.dst.tolist(), step.op)
        }

    nearest = pairs(ALGORITHMS["halving_doubling"](8, order="near"))
    assert pairs(ALGORITHMS["bcube"](8, radix=2)) == nearest
    assert pairs(ALGORITHMS["blueconnect"](8, ranks_per_node=2, nodes_per_rack=2)) == nearest
