"""Real time: which traces start on it, stepping through steps that overlap, and what a rerun leaves as it was."""

import base64

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.figures.player import pack_trace
from core.machines import MACHINES
from core.trace import Trace, lockstep

pytestmark = pytest.mark.browser
SHOW = """async ([packed, query]) => {
  window.stopLast?.();
  history.replaceState(null, '', `/blank?${query}`);
  document.body.innerHTML = '<div class="arl" data-home="/vendor/" data-plotly="plotly.js"></div>';
  const host = document.querySelector('.arl');
  const { default: mount } = await import('/player.js');
  const found = [];
  for (const data of packed) {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    const before = host.dataset.ready;
    window.stopLast = mount({ data: bytes, parentElement: document.body, setStateValue() {} });
    while (host.dataset.ready === before) await new Promise((done) => setTimeout(done, 5));
    found.push(host.arlPlayer.conductor.clock);
  }
  return found;
}"""
STEPS = """async () => {
  const { conductor, playback, lanes } = document.querySelector('.arl').arlPlayer;
  const walk = async (act) => {
    const places = [conductor.position];
    for (let k = 0; k <= lanes[0].trace.steps; k++) {
      await playback.act(act);
      places.push(conductor.position);
    }
    return places;
  };
  return [await walk('forward'), conductor.end, await walk('back')];
}"""


@pytest.fixture(scope="module")
def page(chromium, modules):
    page = chromium.new_page()
    page.goto(f"{modules}/blank")
    page.add_style_tag(url=f"{modules}/player.css")
    yield page
    page.close()


def predicted(name="ring", world_size=4):
    return lockstep(ALGORITHMS[name](world_size), 1 << 20, MACHINES["400 Gb InfiniBand"])


def measured(name="ring", world_size=4):
    """Everybody at a pace of his own, so that steps overlap and some end before the one before them."""
    schedule = ALGORITHMS[name](world_size)
    length = np.random.default_rng(1).uniform(1e-6, 9e-6, schedule.num_transfers)
    start = 2e-6 * schedule.step_of
    return Trace(schedule, 1 << 20, start, start + length, source="threads")


def packed(trace, **options):
    return base64.b64encode(pack_trace(trace, **options)).decode()


def test_unlinked_traces_start_on_the_clock_that_shows_what_is_in_them(page):
    traces = [measured(), predicted("direct"), measured("direct"), measured("chain"), predicted()]
    found = page.evaluate(SHOW, [[packed(one, linked=False) for one in traces], "clock=time"])
    assert found == [one.source != "model" for one in traces]


@pytest.mark.parametrize("query", ["clock=time", ""])
def test_linked_traces_start_on_the_clock_of_the_address_whichever_comes_next(page, query):
    traces = [measured(), predicted("direct"), measured("chain")]
    assert page.evaluate(SHOW, [[packed(one) for one in traces], query]) == [bool(query)] * 3


@pytest.mark.parametrize("name", ["ring", "halving_doubling", "direct"])
def test_steps_that_overlap_in_real_time_can_be_stepped_through_both_ways(page, name):
    trace = measured(name)
    ends = [trace.end[trace.schedule.step_of == s].max() for s in range(trace.schedule.num_steps)]
    places = {0.0, *np.maximum.accumulate(ends).astype(np.float32).tolist()}
    assert page.evaluate(SHOW, [[packed(trace, linked=False)], ""]) == [True]
    forward, end, back = page.evaluate(STEPS)
    assert forward[-1] == end
    assert back[-1] == 0
    assert sorted(set(forward)) == pytest.approx(sorted(places), rel=1e-5)
    assert list(dict.fromkeys(back)) == list(dict.fromkeys(reversed(forward)))


def test_a_player_that_was_taken_away_hears_no_keys(page):
    assert page.evaluate(SHOW, [[packed(predicted(), linked=False)], ""]) == [False]
    steps = page.evaluate(
        """async () => {
          const host = document.querySelector('.arl');
          const old = host.arlPlayer;
          const { default: mount } = await import('/player.js');
          window.stopLast();
          window.stopLast = mount({ data: old.bytes, parentElement: document.body, setStateValue() {} });
          const shown = () => host.arlPlayer !== old && host.arlPlayer.lanes.length;
          while (!shown()) await new Promise((done) => setTimeout(done, 5));
          host.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }));
          return [old.conductor.step, host.arlPlayer.conductor.step];
        }"""
    )
    assert steps == [0, 1]
