"""What the proof finds wrong is seen in the player: on the way, on the time axis, in the cells, on the scrubber."""

import base64

import pytest

from core.algorithms import ALGORITHMS
from core.collective import ALL_REDUCE
from core.figures.player import pack_trace
from core.figures.theme import LIGHT
from core.machines import MACHINES
from core.mutants import mutants
from core.trace import lockstep
from core.verify import verify

pytestmark = pytest.mark.browser
STAGE = "document.querySelector('.arl').arlPlayer"
MOUNT = """async (data) => {
  document.body.innerHTML = '<div class="arl" data-home="/vendor/" data-plotly="plotly.js"></div>';
  const player = await import('/player.js');
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  player.default({ data: bytes, parentElement: document.body, setStateValue() {} });
}"""
PAINTED = """async ([name, colours]) => {
  const stage = document.querySelector('.arl').arlPlayer;
  const { SvgPen } = await import('/pen.js');
  const pen = new SvgPen();
  stage.decks.map((deck) => deck.view).find((view) => view.name === name).paintStill(pen);
  return pen.parts.filter((part) => colours.some((colour) => part.includes(colour)));
}"""


@pytest.fixture
def broken(modules, open_page):
    """broken(kind) -> (mutant of transfer 5 of the ring on 4 ranks, its report, a page with the player)."""

    def opened(kind):
        (mutant,) = mutants(ALGORITHMS["ring"](4), [5], [kind])
        report = verify(mutant.schedule, ALL_REDUCE)
        trace = lockstep(mutant.schedule, 1 << 20, MACHINES["400 Gb InfiniBand"])
        page = open_page(f"{modules}/blank")
        page.add_style_tag(url=f"{modules}/player.css")
        page.evaluate(MOUNT, base64.b64encode(pack_trace(trace, report=report, linked=False)).decode())
        page.wait_for_selector(".arl[data-ready]")
        return mutant, report, page

    return opened


def painted(page, view, colour):
    return page.evaluate(PAINTED, [view, [LIGHT[colour]]])


def step(page):
    return page.evaluate(f"() => {STAGE}.conductor.step")


def test_a_missing_transfer_is_drawn_where_it_should_be(broken):
    mutant, report, page = broken("drop")
    assert page.locator(".arl-mistake p").inner_text() == f"✗ {report.sentence}"
    assert painted(page, "network", "fault") == []  # another step
    page.get_by_role("button", name="Go to the mistake", exact=True).click()
    assert step(page) == mutant.original.step == 1
    here = [hop for hop in report.hops if hop.step == 1]
    lines = painted(page, "network", "fault")
    assert sum("stroke-dasharray" in line for line in lines) == len(here) == 2
    assert len(painted(page, "network", "fault_text")) == 2  # one cross, on the likeliest
    x = page.evaluate(f"() => [{STAGE}.lanes[0].trace.fault.marks[0]].map(({{ src, dst }}) => [src, dst])")
    assert x == [[mutant.original.src, mutant.original.dst]]
    assert sum("stroke-dasharray" in line for line in painted(page, "spacetime", "fault")) == len(report.hops)
    assert painted(page, "buffers", "fault_text") == []
    page.evaluate(f"() => {STAGE}.playback.jump(2)")  # after the step, one cell is wrong; at the end, four are
    assert len(painted(page, "buffers", "fault_text")) == 2
    page.evaluate(f"() => {STAGE}.playback.jump(6)")
    assert len(painted(page, "buffers", "fault_text")) == 2 * len(report.cells)
    assert len(painted(page, "network", "fault_text")) == 2 * len(report.cells)


def test_a_wrong_transfer_is_crossed_and_the_scrubber_leads_there(broken):
    mutant, report, page = broken("flip")
    mark = page.get_by_role("button", name="Go to the mistake, step 2")
    place, scrubber = mark.bounding_box(), page.get_by_label("Step", exact=True).bounding_box()
    part = (place["x"] + 12 - scrubber["x"] - 8) / (scrubber["width"] - 16)
    assert part == pytest.approx(1 / 6, abs=0.01)
    mark.click()
    assert step(page) == 1
    solid = [line for line in painted(page, "network", "fault") if "stroke-dasharray" not in line]
    assert any('stroke-width="4"' in line for line in solid)
    assert page.evaluate(f"() => {STAGE}.lanes[0].trace.fault.marks[0].transfer") == report.transfers[0] == mutant.row
    page.evaluate(f"() => {STAGE}.forks.make({{ kind: 'flip', transfer: {mutant.row} }})")
    page.get_by_text("Still right").wait_for()  # mended by the reader: nothing is marked any more
    assert page.locator(".arl-mistake").is_hidden()
    assert mark.is_hidden()
    page.get_by_role("button", name="Undo").click()
    page.locator(".arl-mistake").wait_for()
