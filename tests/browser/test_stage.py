"""The player shows every kind of schedule, in every view, without a complaint; no page of the app takes part."""

import base64

import pytest

from core.algorithms import ALGORITHMS
from core.figures.player import pack_trace
from core.figures.source_lines import source_lines
from core.machines import MACHINES
from core.trace import lockstep

pytestmark = pytest.mark.browser
KINDS = [  # each has a picture of its own
    *("ring", "bidirectional_ring", "halving_doubling", "direct", "census"),  # rings, exchanges, a scratch buffer
    *("binomial_tree", "double_tree", "chain", "hierarchical", "torus"),  # trees, groups, a grid
    *("sharp", "nvls", "collnet"),  # switches
    *("bruck_all_to_all", "linear_gather", "dissemination_barrier"),  # other promises than a sum
]
SIZES = (1, 2, 6)

MOUNT = """async (data) => {
  document.body.innerHTML = '<div class="arl" data-home="/vendor/" data-plotly="plotly.js"></div>';
  const host = document.querySelector('.arl');
  const player = await import('/player.js');
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const stop = player.default({ data: bytes, parentElement: document.body, setStateValue() {} });
  const until = performance.now() + 15000;
  while (!host.dataset.ready && !host.classList.contains('arl-failed')) {
    if (performance.now() > until) throw new Error('not ready');
    await new Promise((done) => setTimeout(done, 5));
  }
  if (host.classList.contains('arl-failed')) throw new Error(host.textContent);
  const stage = host.arlPlayer;
  for (const view of ['buffers', 'rank', 'code', 'words', 'filmstrip', 'spacetime']) {
    for (const deck of stage.decks) if (deck.open(view)) await stage.buildDeck(deck);
    await stage.playback.act('forward');
  }
  stage.look(0, 0);
  if (stage.lanes[0].canTime) await stage.useClock(true);
  stage.useCritical(true);
  stage.load = true;
  stage.useNumbers('small', '');
  for (let part = 0; part <= 4; part++) await stage.playback.slide(part / 4);
  const [done, cells] = stage.lanes[0].replay.progress();
  stop();
  return done === cells;
}"""


@pytest.mark.parametrize("world_size", SIZES)
def test_every_kind_in_every_view(chromium, modules, world_size):
    page = chromium.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(f"{name}: {error}"))
    page.on("console", lambda m: m.type == "error" and errors.append(f"{name}: {m.text}"))
    name = ""
    page.goto(f"{modules}/blank")
    page.add_style_tag(url=f"{modules}/player.css")
    shown = 0
    for name in KINDS if world_size > 1 else KINDS[:4]:
        algorithm = ALGORITHMS[name]
        if algorithm.refuse(world_size):
            continue
        source, lines = source_lines(algorithm, world_size)
        trace = lockstep(algorithm(world_size), 1 << 20, MACHINES["400 Gb InfiniBand"])
        data = pack_trace(trace, algorithm.collective, source=source, lines=lines, linked=False)
        assert page.evaluate(MOUNT, base64.b64encode(data).decode()), name
        shown += 1
    page.close()
    assert errors == []
    assert shown >= min(4, world_size) * 3
