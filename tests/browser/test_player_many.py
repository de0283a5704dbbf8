"""What is drawn of very many messages: which steps are a tangle, and how little the page is asked to hold."""

import base64

import pytest

from core.algorithms import ALGORITHMS
from core.figures.player import pack_trace
from core.machines import MACHINES
from core.trace import lockstep
from tests.browser.scripts import STAGED

pytestmark = pytest.mark.browser
CROWDS = """async (data) => {
  const { readTrace } = await import("/trace.js");
  const { Lane } = await import("/lane.js");
  const { place } = await import("/layout.js");
  const { hasCrowd, trafficOf } = await import("/views/messages.js");
  const trace = await readTrace(Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)));
  const [lane, layout] = [new Lane(trace), place(trace, 455, 394)];
  const steps = Array.from({ length: trace.steps }, (_, s) => {
    lane.goStep(s, 0);
    return trafficOf({ trace, lane, focus: 0 }, layout).crowd;
  });
  return [steps, hasCrowd(trace, layout)];
}"""
DRAWN = (
    "async (data) => {"
    + STAGED
    + """
  const { SpaceTimeView } = await import("/views/spacetime.js");
  const view = new SpaceTimeView();
  view.element.style.width = "900px";
  document.body.replaceChildren(view.element);
  const nobody = { history: null, critical: null, ghost: null, hover: null };
  const common = { Plotly, lane, trace, theme, replay: lane.replay, focus: 0, ...nobody };
  const found = [];
  for (const clock of [false, true]) {
    await view.build({ ...common, clock }, 300);
    const dots = [...view.element.querySelectorAll(".point")];
    const places = dots.map((dot) => dot.getAttribute("transform"));
    const { v0, v1, s0, s1 } = view.window;
    const lines = [...view.element.querySelectorAll(".shapelayer path")].map((path) => path.getAttribute("d"));
    let messages = 0;
    view.walk(() => messages++);
    found.push({
      dots: dots.length, places: new Set(places).size, spots: (v1 - v0) * (s1 - s0), messages,
      lines: lines.join("").split("M").length - 1, others: view.element.querySelectorAll("*").length - dots.length,
      nonsense: lines.filter((line) => /NaN|undefined|null/.test(line)),
    });
  }
  const network = new NetworkView();
  network.element.style.width = "455px";
  document.body.replaceChildren(network.element);
  await network.build({ ...common, clock: false, chosen: null }, 394);
  const ways = [...network.element.querySelectorAll(".shapelayer path")].map((path) => path.getAttribute("d")).join("");
  return [...found, { elements: network.element.querySelectorAll("*").length, ways: ways.split("M").length - 1 }];
}"""
)


@pytest.fixture(scope="module")
def page(chromium, modules):
    page = chromium.new_page()
    page.goto(f"{modules}/blank")
    yield page
    page.close()


def packed(name, world_size):
    algorithm = ALGORITHMS[name]
    trace = lockstep(algorithm(world_size), 1 << 20, MACHINES["400 Gb InfiniBand"])
    return base64.b64encode(pack_trace(trace, algorithm.collective)).decode()


@pytest.mark.parametrize(
    ("name", "world_size", "steps"),
    [
        ("ring", 64, [False] * 126),
        ("nvls", 64, [False] * 4),  # spokes: many and long, but none crosses another
        ("halving_doubling", 16, [False] * 8),
        ("halving_doubling", 64, [True] * 2 + [False] * 8 + [True] * 2),
        ("direct", 16, [True] * 2),
        ("direct", 64, [True] * 2),
    ],
)
def test_a_step_is_a_crowd_when_its_messages_cannot_be_told_apart(page, name, world_size, steps):
    assert page.evaluate(CROWDS, packed(name, world_size)) == [steps, any(steps)]


@pytest.mark.parametrize(
    ("name", "world_size", "pairs"),  # that talk and are drawn
    [("direct", 64, 2016), ("direct", 128, 0), ("ring", 128, 0), ("ring", 4, 4), ("ring", 64, 64)],
)
def test_many_messages_cost_the_page_few_elements(page, name, world_size, pairs):
    steps, real, network = page.evaluate(DRAWN, packed(name, world_size))
    assert network["ways"] == pairs
    assert network["elements"] < 300
    for one in (steps, real):
        assert one["lines"] == one["messages"]
        assert one["dots"] == one["places"]
        assert one["others"] < 250
        assert not one["nonsense"]
    assert steps["dots"] == steps["spots"]
    assert steps["spots"] <= real["dots"] <= 900 / 2 * 17
