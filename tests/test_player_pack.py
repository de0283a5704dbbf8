"""What travels to the browser: small, complete, and the same for the same trace."""

import zlib
from itertools import accumulate, islice

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.collective import ALL_GATHER, ALL_REDUCE, COLLECTIVES
from core.container import unpack
from core.figures.folded import fold
from core.figures.player import MAX_CELLS, MAX_TRANSFERS, TooLarge, identity_of, pack_trace
from core.machines import MACHINES
from core.mutants import mutants
from core.schedule import COPY, REDUCE, Schedule, send
from core.trace import Trace, lockstep
from core.verify import verify

MACHINE = MACHINES["400 Gb InfiniBand"]


def traced(name, world_size, **options):
    return lockstep(ALGORITHMS[name](world_size, **options), 1 << 20, MACHINE)


def unfolded(modulus, kept):
    """The way back from core.figures.folded.fold, number by number."""
    columns, size = {name: [] for name in modulus}, kept["size"].tolist()
    for bit, (name, top) in enumerate(modulus.items()):
        left, before, change = iter(kept[name].tolist()), [], []
        for step, many in enumerate(size):
            if not kept["again"][step] >> bit & 1:
                change = [number % top for number in accumulate(islice(left, many))]
            start = before if step and size[step - 1] == many else [0] * many
            before = [(old + further) % top for old, further in zip(start, change, strict=True)]
            columns[name] += before
        assert next(left, None) is None  # nothing is left over
    return columns


@pytest.mark.parametrize(
    ("world_size", "most"), [(4, 1000), (8, 1000), (64, 1000), (256, 1000), (1024, 1000), (1000, 1000)]
)
def test_a_ring_is_hardly_larger_for_more_ranks(world_size, most):
    assert len(pack_trace(traced("ring", world_size))) <= most


@pytest.mark.parametrize(("world_size", "most"), [(16, 3000), (64, 10_000), (256, 20_000)])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_stays_small(name, world_size, most):
    algorithm = ALGORITHMS[name]
    if not algorithm.refuse(world_size) and algorithm.num_chunks(world_size) * world_size <= MAX_CELLS:
        assert len(pack_trace(traced(name, world_size), algorithm.collective, source=algorithm.source)) <= most


@pytest.mark.parametrize("top", [1, 2, 255, 256, 257, 65_535, 65_536, 65_537])
@pytest.mark.parametrize("sizes", [[], [0], [3], [3, 3, 3], [2, 2, 0, 0, 2, 2], [1, 2, 3, 3, 3, 1, 1], [0, 0, 4, 4, 4]])
def test_columns_survive_folding_whatever_their_numbers(sizes, top):
    """Numbers that just fill a type, steps that are empty, equal, or not."""
    random, step_ptr = np.random.default_rng(top), np.cumsum([0, *sizes])
    columns = {name: random.integers(0, top, step_ptr[-1]) for name in ("any", "other")}
    columns["largest"] = np.full(step_ptr[-1], top - 1)
    columns["rising"] = np.arange(step_ptr[-1]) % top
    modulus, kept = fold(columns, step_ptr)
    assert unfolded(modulus, kept) == {name: column.tolist() for name, column in columns.items()}


def test_times_that_repeat_cost_little():
    """Two messages of a rank, one after the other, in each of 126 steps: the times are but a few bytes of this."""
    _, arrays = unpack(pack_trace(traced("bidirectional_ring", 64)))
    assert [len(zlib.compress(arrays[name].tobytes())) <= 50 for name in ("later", "start", "took")] == [True] * 3


def test_what_repeats_is_sent_once():
    schedule = ALGORITHMS["ring"](32)
    _, kept = fold({"src": schedule.src, "chunk": schedule.chunk, "op": schedule.op}, schedule.step_ptr)
    # the first step and what the second does with it; for `op` also where adding turns into copying, and stays so
    assert [len(kept[name]) // 32 for name in ("src", "chunk", "op")] == [2, 2, 4]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_nothing_is_lost(name):
    algorithm, trace = ALGORITHMS[name], traced(name, 8)
    schedule = trace.schedule
    header, arrays = unpack(pack_trace(trace, algorithm.collective))
    columns = unfolded(header["modulus"], arrays)
    for column in ("src", "dst", "chunk", "op"):
        assert columns[column] == getattr(schedule, column).tolist()
    assert arrays["size"].tolist() == np.diff(schedule.step_ptr).tolist()
    assert columns.get("count", [1] * schedule.num_transfers) == schedule.count.tolist()
    assert columns.get("into", columns["chunk"]) == schedule.into.tolist()
    assert (header["world_size"], header["num_chunks"]) == (schedule.world_size, schedule.num_chunks)
    assert [phase for phase, first, last in header["phases"] for _ in range(first, last)] == list(schedule.phases)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_times_survive(name):
    trace = traced(name, 8)
    header, arrays = unpack(pack_trace(trace))
    step = trace.schedule.step_of
    if "later" in arrays:
        columns = unfolded(header["modulus"], arrays)
        start = np.cumsum(arrays["later"].astype(float))[step] + header["tick"] * np.array(columns["start"])
        end = start + header["tick"] * np.array(columns["took"])
    else:  # steps are uniform: a gap before each, and its length
        last = np.cumsum(arrays["gap"].astype(float) + arrays["length"])
        start, end = (last - arrays["length"])[step], last[step]
    assert start == pytest.approx(trace.start, rel=1e-5, abs=1e-5 * trace.seconds)
    assert end == pytest.approx(trace.end, rel=1e-5, abs=1e-5 * trace.seconds)


def test_uneven_times_are_sent_one_by_one():
    trace = traced("ring", 4)
    late = Trace(trace.schedule, trace.nbytes, trace.start, trace.end + np.arange(24) * 1e-6, "simulation")
    header, arrays = unpack(pack_trace(late))
    assert len(arrays["later"]) == 6
    assert (
        arrays["again"] >> list(header["modulus"]).index("took") & 1
    ).sum() == 4  # each as much later as the one before
    assert "length" not in arrays


def test_the_promise_of_a_collective_travels_as_bits():
    _, arrays = unpack(pack_trace(traced("ring", 4), ALL_GATHER))
    own = np.unpackbits(arrays["own"], count=16, bitorder="little").reshape(4, 4)
    assert own.tolist() == np.eye(4, dtype=int).tolist()
    assert "needs" not in arrays
    _, arrays = unpack(pack_trace(traced("ring", 4), ALL_REDUCE))
    assert "own" not in arrays


@pytest.mark.parametrize("collective", COLLECTIVES.values(), ids=COLLECTIVES)
def test_inputs_start_at_their_origin(collective):
    """The bits say (rank, chunk) only: no collective may let a rank start with another's input."""
    rank, chunk, origin = np.ogrid[:6, :36, :6]
    starts = np.broadcast_to(collective.starts(rank, chunk, origin), (6, 36, 6))
    assert not (starts & (rank != origin)).any()


def test_the_same_trace_has_the_same_identity_and_another_has_not():
    one, same, other = (pack_trace(traced(*what)) for what in (("ring", 8), ("ring", 8), ("ring", 9)))
    assert identity_of(one) == identity_of(same) != identity_of(other)


def test_groups_are_what_the_trace_says():
    trace = traced("ring", 6)
    told = Trace(trace.schedule, trace.nbytes, trace.start, trace.end, "simulation", {"node_of": [0, 0, 0, 1, 1, 1]})
    assert unpack(pack_trace(told))[1]["group"].tolist() == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("name", "groups"), [("ring", None), ("halving_doubling", None), ("recursive_doubling", None), ("hierarchical", 2)]
)
def test_groups_are_seen_where_a_schedule_has_them(name, groups):
    _, arrays = unpack(pack_trace(traced(name, 16)))
    assert (len(set(arrays["group"].tolist())) if "group" in arrays else None) == groups


def test_a_ghost_travels_inside():
    ghost = pack_trace(traced("halving_doubling", 8))
    _, arrays = unpack(pack_trace(traced("ring", 8), ghost=ghost))
    assert arrays["ghost"].tobytes() == ghost


def test_an_empty_schedule_and_empty_steps_can_be_sent():
    nothing = Schedule.from_steps([], name="nothing", world_size=1, num_chunks=1)
    pause = Schedule.from_steps(
        [send([], [], [], op=COPY), send(0, 1, 0, op=REDUCE)], name="pause", world_size=2, num_chunks=1
    )
    for schedule in (nothing, pause):
        times = np.zeros(schedule.num_transfers)
        header, _ = unpack(pack_trace(Trace(schedule, 0, times, times, "model")))
        assert header["name"] == schedule.name


def test_too_many_transfers_are_refused_in_words():
    src = np.zeros(MAX_TRANSFERS + 1, np.int32)
    schedule = Schedule.from_steps([send(src, src + 1, 0, op=COPY)], name="flood", world_size=2, num_chunks=1)
    trace = Trace(schedule, 0, np.zeros(len(src)), np.zeros(len(src)), "model")
    with pytest.raises(TooLarge, match="Choose fewer ranks"):
        pack_trace(trace)


@pytest.mark.parametrize(("ranks", "chunks"), [(4, MAX_CELLS // 4 + 1), (2, MAX_CELLS // 2 + 1)])
def test_too_many_cells_are_refused_in_words(ranks, chunks):
    def few_transfers(chunks):
        step = send(0, 1, 0, op=COPY)
        return lockstep(Schedule.from_steps([step], name="wide", world_size=ranks, num_chunks=chunks), 1 << 20, MACHINE)

    with pytest.raises(TooLarge, match=r"cells: the player shows up to 4,194,304. Choose fewer ranks or fewer chunks"):
        pack_trace(few_transfers(chunks))
    assert pack_trace(few_transfers(chunks - 1))


@pytest.mark.parametrize(
    ("name", "world_size", "columns"),
    [
        ("torus", 16, 4),
        ("torus", 12, None),
        ("ring", 16, 0),
        ("halving_doubling", 16, 0),
        ("direct", 8, 0),
        ("chain", 9, 0),
    ],
)
def test_a_grid_is_seen_where_a_schedule_has_one(name, world_size, columns):
    header, _ = unpack(pack_trace(traced(name, world_size)))
    assert header["grid"] == columns if columns is not None else header["grid"] in (3, 4, 6)


@pytest.mark.parametrize("kind", ["drop", "flip"])
def test_a_mistake_travels_with_the_trace(kind):
    (mutant,) = mutants(ALGORITHMS["ring"](4), [5], [kind])
    trace, report = lockstep(mutant.schedule, 1 << 20, MACHINE), verify(mutant.schedule, ALL_REDUCE)
    fault = unpack(pack_trace(trace, report=report))[0]["fault"]
    assert (fault["step"], fault["sentence"]) == (mutant.original.step, report.sentence)
    assert fault["transfers"] == ([] if kind == "drop" else [mutant.row])
    assert fault["hops"] == [[hop.step, hop.src, hop.dst] for hop in report.hops]
    assert fault["cells"][0] == [mutant.original.dst, mutant.original.chunk, mutant.original.step + 1]
    assert {tuple(cell) for cell in fault["cells"][1:]} == {(rank, mutant.original.chunk, 6) for rank in range(4)}


def test_only_a_wrong_schedule_is_marked_and_only_at_64_places():
    right = traced("ring", 16)
    assert "fault" not in unpack(pack_trace(right, report=verify(right.schedule, ALL_REDUCE)))[0]
    wrong = verify(Schedule.from_steps([], name="nothing", world_size=16, num_chunks=16), ALL_REDUCE)
    assert len(wrong.cells) == 256
    nothing = lockstep(Schedule.from_steps([], name="nothing", world_size=16, num_chunks=16), 1 << 20, MACHINE)
    assert len(unpack(pack_trace(nothing, report=wrong))[0]["fault"]["cells"]) == 64
