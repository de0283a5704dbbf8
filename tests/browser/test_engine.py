"""The player's pure functions give Python's results: counts, contributors, words, colours; and nothing overlaps."""

import base64
import json
from itertools import pairwise

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.figures.narrate import rows, sentences
from core.figures.player import pack_trace
from core.figures.theme import DARK, LIGHT, contributors
from core.machines import MACHINES
from core.replay import replay
from core.schedule import COPY, REDUCE, Schedule, send
from core.trace import Trace, lockstep
from core.verify import initial_counts

pytestmark = pytest.mark.browser
MACHINE = MACHINES["400 Gb InfiniBand"]
SIZES = (1, 2, 3, 5, 8, 16)
NARRATED = (4, 8)

REPLAY_ALL = """async (all) => {
  const { readTrace } = await import("/trace.js");
  const { Replay, after } = await import("/replay.js");
  const { short, full, rows } = await import("/narrate.js");
  const { place, fits } = await import("/layout.js");
  const { historyOf } = await import("/history.js");
  const { criticalPath } = await import("/critical.js");
  const { Lane } = await import("/lane.js");
  const out = {};
  for (const [name, data, words] of all) {
    const trace = await readTrace(Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)));
    const replay = new Replay(trace);
    const told = { held: [], who: [], twice: [], short: [], full: [], rows: [], foreseen: true, layouts: [] };
    for (let s = 0; s <= trace.steps; s++) {
      replay.seek(s);
      told.held.push([...replay.held]);
      told.who.push([...(replay.who ?? [])]);
      told.twice.push([...(replay.twice ?? [])]);
      if (!words) continue;
      told.short.push(short(replay));
      told.full.push(full(replay));
      told.rows.push(...rows(replay));
      if (s < trace.steps) {
        const i = trace.stepPtr[s];
        const cell = trace.dst[i] * trace.slots + trace.into[i];
        const next = new Replay(trace);
        next.seek(s + 1);
        const still = i === trace.stepPtr[s + 1];
        told.foreseen &&= still || after(replay, trace.dst[i], trace.into[i]).held === next.held[cell];
      }
    }
    replay.seek(Math.floor(trace.steps / 2));
    told.middle = [...replay.held];
    if (words) {
      const sum = (from) => [...from.values()].reduce((a, b) => a + b, 0);
      const at = (cell) => [Math.floor(cell / trace.slots), cell % trace.slots];
      const from = Array.from(replay.held.keys()).map((cell) => historyOf(trace, replay.step, ...at(cell)));
      told.traced = from.map((history) => sum(history.from));
      told.tracedWho = from.map(({ from }) => [...from.keys()].reduce((bits, rank) => bits + 2 ** rank, 0));
      const lane = new Lane(trace);
      told.timed = [];
      for (let s = 0; s <= trace.steps; s++) {
        lane.goTime(s ? trace.stepEnd[s - 1] : 0);
        told.timed.push([...lane.replay.held]);
      }
      const path = criticalPath(trace);
      told.path = path.map((i) => [lane.timed.start[i], lane.timed.end[i]]);
      told.seconds = lane.seconds;
    }
    for (const [width, height] of [[418, 382], [346, 330], [760, 520]]) {
      const l = place(trace, width, height);
      const distinct = new Set(Array.from(l.x, (x, v) => `${x.toFixed(2)} ${l.y[v].toFixed(2)}`)).size;
      told.layouts.push({ kind: l.kind, clear: l.kind === "dots" || fits(l, 1), distinct, vertices: trace.vertices });
    }
    out[name] = told;
  }
  return JSON.stringify(out); // as text: a hundred times faster to hand over than as objects
}"""


def cases():
    for name, algorithm in ALGORITHMS.items():
        for world_size in SIZES:
            if not algorithm.refuse(world_size) and algorithm.num_chunks(world_size) * world_size <= 1024:
                yield f"{name}-{world_size}", algorithm(world_size), algorithm.collective


BROKEN = Schedule.from_steps(
    [send([0, 1, 2], [1, 2, 0], 0, op=REDUCE), send([0, 1], [1, 0], [0, 1], op=REDUCE), send(1, 2, 0, op=REDUCE)],
    name="broken",
    world_size=3,
    num_chunks=2,
)
SCRATCH = Schedule.from_steps(
    [send([0, 1], [1, 0], 0, 2, op=COPY, into=2), send([0, 1], [0, 1], 2, 2, op=REDUCE, into=0)],
    name="scratch",
    world_size=2,
    num_chunks=2,
    num_buffers=2,
)


@pytest.fixture(scope="module")
def everything():
    found = {name: (schedule, collective) for name, schedule, collective in cases()}
    ring = ALGORITHMS["ring"].collective
    return {**found, "broken": (BROKEN, ring), "scratch": (SCRATCH, ring)}


@pytest.fixture(scope="module")
def replayed(everything, chromium, modules):
    """What the browser makes of every schedule."""
    page = chromium.new_page()
    page.goto(f"{modules}/blank")
    work = [(name, encoded(*what), what[0].world_size in (*NARRATED, 2, 3)) for name, what in everything.items()]
    answer = json.loads(page.evaluate(REPLAY_ALL, work))
    page.close()
    return answer


def encoded(schedule, collective):
    trace = lockstep(schedule, 1 << 20, MACHINE)
    return base64.b64encode(pack_trace(trace, collective)).decode()


def test_counts_after_every_step(everything, replayed):
    for name, (schedule, collective) in everything.items():
        states = [
            state.sum(axis=2).ravel().tolist() for state in replay(schedule, initial_counts(schedule, collective))
        ]
        assert replayed[name]["held"] == states, name
        assert replayed[name]["middle"] == states[schedule.num_steps // 2], name


def test_contributors_after_every_step(everything, replayed):
    for name, (schedule, collective) in everything.items():
        bit = 1 << np.arange(schedule.world_size, dtype=np.int64)
        for s, state in enumerate(replay(schedule, initial_counts(schedule, collective))):
            assert replayed[name]["who"][s] == ((state > 0) @ bit).ravel().tolist(), (name, s)
            assert replayed[name]["twice"][s] == ((state > 1) @ bit).ravel().tolist(), (name, s)


def test_the_same_words(everything, replayed):
    told = 0
    for name, (schedule, collective) in everything.items():
        if replayed[name]["short"]:
            assert replayed[name]["short"] == list(sentences(schedule, collective, "short")), name
            assert replayed[name]["full"] == list(sentences(schedule, collective, "full")), name
            assert replayed[name]["rows"] == [list(row) for row in rows(schedule, collective)], name
            assert replayed[name]["foreseen"], name
            told += 1
    assert told > 2 * len(ALGORITHMS)


def test_history_finds_what_counting_finds(everything, replayed):
    for name, (schedule, collective) in everything.items():
        if "traced" in replayed[name]:
            *_, middle = replay(list(schedule)[: schedule.num_steps // 2], initial_counts(schedule, collective))
            assert replayed[name]["traced"] == middle.sum(axis=2).ravel().tolist(), name
            bit = 1 << np.arange(schedule.world_size, dtype=np.int64)
            assert replayed[name]["tracedWho"] == ((middle > 0) @ bit).ravel().tolist(), name


def test_real_time_passes_through_the_same_states(everything, replayed):
    """In a lock-step trace all of a step has arrived when it ends, and nothing of the next."""
    for name, told in replayed.items():
        if "timed" in told and told["seconds"] > 0 and name not in ("broken", "scratch"):
            assert told["timed"] == told["held"], name


def test_the_critical_path_is_a_chain_from_the_start_to_the_end(replayed):
    for name, told in replayed.items():
        path, seconds = told.get("path"), told.get("seconds")
        if not path or not seconds:
            continue
        slack = 1e-5 * seconds
        assert path[-1][1] == pytest.approx(seconds), name
        assert all(start >= before - slack for (_, before), (start, _) in pairwise(path)), name
        if name.rsplit("-", 1)[0] in ("ring", "halving_doubling", "hierarchical", "binomial_tree", "swing", "sharp"):
            assert path[0][0] <= slack, name  # one message a port: nothing but the chain itself takes time
            assert all(start <= before + slack for (_, before), (start, _) in pairwise(path)), name


def test_layouts_are_clear(replayed):
    for name, told in replayed.items():
        for layout in told["layouts"]:
            assert layout["clear"], (name, layout)
            assert layout["distinct"] == layout["vertices"], (name, layout)


def test_up_to_16_ranks_are_cards(replayed):
    for name, told in replayed.items():
        assert {layout["kind"] for layout in told["layouts"]} == {"cards"}, name


def test_large_traces_and_times(chromium, modules):
    """A thousand ranks: the final counts are complete, and the times are the server's."""
    trace = lockstep(ALGORITHMS["ring"](1024), 1 << 30, MACHINE)
    page = chromium.new_page()
    page.goto(f"{modules}/blank")
    told = page.evaluate(
        """async (data) => {
          const { readTrace, seconds } = await import("/trace.js");
          const { Replay } = await import("/replay.js");
          const trace = await readTrace(Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)));
          const replay = new Replay(trace);
          replay.seek(trace.steps);
          return { progress: replay.progress(), seconds: seconds(trace), transfers: trace.src.length };
        }""",
        base64.b64encode(pack_trace(trace)).decode(),
    )
    page.close()
    assert told["progress"] == [1024 * 1024, 1024 * 1024]
    assert told["transfers"] == trace.schedule.num_transfers
    assert told["seconds"] == pytest.approx(trace.seconds, rel=1e-5)


def test_single_times_arrive(chromium, modules):
    base = lockstep(ALGORITHMS["ring"](4), 1 << 20, MACHINE)
    trace = Trace(base.schedule, base.nbytes, base.start, base.end + np.arange(24) * 1e-6, "mpi")
    page = chromium.new_page()
    page.goto(f"{modules}/blank")
    got = page.evaluate(
        """async (data) => {
          const { readTrace, timesOf } = await import("/trace.js");
          const trace = await readTrace(Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)));
          return [timesOf(trace, 5, 1), trace.origin];
        }""",
        base64.b64encode(pack_trace(trace)).decode(),
    )
    page.close()
    assert got[0] == pytest.approx([trace.start[5], trace.end[5]], rel=1e-6)
    assert got[1] == trace.origin


def test_the_same_colours(chromium, modules):
    page = chromium.new_page()
    page.goto(f"{modules}/blank")
    hues = page.evaluate(
        """async () => {
          const { contributor } = await import("/palette.js");
          return [false, true].map((dark) => Array.from({ length: 8 }, (_, r) => contributor(r, 8, dark)));
        }"""
    )
    page.close()
    assert hues == [contributors(8), contributors(8, dark=True)]
    assert json.dumps([LIGHT, DARK])  # the tokens travel to the browser as JSON


def test_early_contributions_among_many_can_be_told_apart(chromium, modules):
    """With 1,024 ranks the scale of amounts is stretched: 1 %, 10 %, 30 % and all but one differ clearly."""
    page = chromium.new_page()
    page.goto(f"{modules}/blank")
    bright = page.evaluate(
        """async () => {
          const { levelColour, luminance, themeOf } = await import("/palette.js");
          const themes = await (await fetch("/vendor/themes.json")).json();
          const shown = (ground, ranks) => {
            document.body.style.setProperty("--st-background-color", ground);
            const theme = themeOf(document.body, themes, ranks);
            return [0.01, 0.1, 0.3, 0.999].map((level) => luminance(levelColour(level, theme)));
          };
          return ["#ffffff", "#0f1420"].map((ground) => [shown(ground, 1024), shown(ground, 8)]);
        }"""
    )
    page.close()
    for many, few in bright:
        apart = [abs(np.log((a + 0.05) / (b + 0.05))) for a, b in pairwise(many)]
        assert min(apart) >= 0.2, apart
        assert few[3] == pytest.approx(many[3], rel=0.01)
        assert abs(np.log((few[0] + 0.05) / (few[1] + 0.05))) < apart[0]
