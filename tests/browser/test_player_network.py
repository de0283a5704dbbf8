"""The chosen network in the player: pods, classes of links, how full they are."""

import re

import pytest

from core.algorithms import ALGORITHMS
from core.explain import link_loads
from core.shapes import make

pytestmark = pytest.mark.browser
STAGE = "document.querySelector('.arl').arlPlayer"
NETWORK = "algorithm=ring&ranks=16&net=Fat+tree,+three+levels"


def test_racks_and_classes_of_links_only_with_a_network(explore):
    page = explore("algorithm=ring&ranks=16")
    assert page.evaluate(f"() => {STAGE}.lanes[0].trace.links") is None
    assert "leaf" not in page.locator(".arl-legend").inner_text()
    page = explore(NETWORK)
    legend = page.locator(".arl-legend").inner_text()
    for said in (
        "a pod of several racks",
        "rank to leaf, 12.5 GB/s",
        "leaf to middle",
        "middle to core",
        "[simulated]",
    ):
        assert said in legend
    boxes = page.evaluate(f"() => {STAGE}.decks[0].view.layout.boxes")
    assert page.evaluate(
        f"""async () => {{
          const {{ keepsInside }} = await import('/app/static/player/pods.js');
          const {{ layout }} = {STAGE}.decks[0].view;
          const larger = {{ ...layout, cardHeight: layout.height }};
          return layout.kind === 'cards' && keepsInside(layout) && !keepsInside(larger);
        }}"""
    ), "no card stands out of the box of its node"
    pods = [box for box in boxes if box.get("outer")]
    leaves = [box for box in boxes if not box.get("outer")]
    assert (len(pods), len(leaves)) == (4, 8)
    around = lambda a, b: a["x0"] <= b["x0"] and a["x1"] >= b["x1"] and a["y0"] <= b["y0"] and a["y1"] >= b["y1"]  # noqa: E731
    assert [sum(around(pod, leaf) for leaf in leaves) for pod in pods] == [2, 2, 2, 2]


def test_the_load_adds_up_to_the_bytes_that_the_engine_counts(explore):
    """Over all steps: how full each link is, times what it could carry in that time."""
    page = explore(f"{NETWORK}&pace=lock-step&size=1+MiB")
    carried = page.evaluate(
        f"""async () => {{
          const {{ fullness }} = await import('/app/static/player/load.js');
          const {{ timesOf }} = await import('/app/static/player/trace.js');
          const lane = {STAGE}.lanes[0];
          const {{ trace }} = lane;
          const sum = new Float64Array(trace.links.capacity.length);
          for (let s = 0; s < trace.steps; s++) {{
            lane.goStep(s, 0);
            const times = lane.moving.map((i) => timesOf(trace, i, s));
            const took = Math.max(...times.map(([, end]) => end)) - Math.min(...times.map(([start]) => start));
            fullness(lane, false).forEach((full, link) => {{ sum[link] += full * trace.links.capacity[link] * took; }});
          }}
          return Array.from(sum);
        }}"""
    )
    engine = link_loads(ALGORITHMS["ring"](16), 1 << 20, make("Fat tree, three levels", 16)).nbytes
    assert sorted(carried) == pytest.approx(sorted(engine[engine > 0]), rel=1e-4)


def test_a_transfer_tells_its_way_and_how_full_it_is(explore):
    page = explore(f"{NETWORK}&view=words")
    page.locator("[data-transfer='3']").click()
    told = page.locator(".arl-inspector p").inner_text()
    assert "Its way over fat tree of 16, three levels: slowest is link, middle to core" in told
    assert re.search(r"the fullest link on it is \d+ % full \[simulated\]", told)
