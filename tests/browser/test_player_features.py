"""What a reader can do with the player beyond playing: look closer, change things, take it away."""

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.collective import ALL_REDUCE
from core.replay import replay
from core.schedule import COLUMNS as NAMES
from core.schedule import Schedule, Step
from core.verify import initial_counts

pytestmark = pytest.mark.browser
READY = ".arl[data-ready]"
STAGE = "document.querySelector('.arl').arlPlayer"


def test_views_open_by_tab_and_by_link(explore):
    page = explore("algorithm=ring&ranks=4&step=4&view=code.filmstrip")
    lit = page.locator(".arl-lit")
    assert "op=COPY" in lit.inner_text()
    page.get_by_role("button", name="First step").click()
    assert "op=REDUCE" in lit.inner_text()
    page.get_by_role("tab", name="Code", exact=True).press("ArrowLeft")
    assert page.get_by_role("tab", name="My rank").get_attribute("aria-selected") == "true"
    page.get_by_label("I am rank").fill("2")
    page.get_by_label("I am rank").press("Enter")
    assert "chunk 1 → rank 3" in page.locator(".arl-current").inner_text()
    page.get_by_role("tab", name="Words", exact=True).click()
    told = page.locator(".arl-told").inner_text()
    assert "Rank 3 sends chunk 2 to rank 0 to add; rank 0 now holds chunk 2 from ranks 0, 3." in told
    page.get_by_label("Tell it").select_option("table")
    assert page.locator(".arl-told tbody tr").count() == 4
    page.wait_for_url("**view=words.filmstrip*")


def test_a_cell_tells_its_history(explore):
    page = explore("algorithm=ring&ranks=4&step=3")
    x, y = page.evaluate(
        f"() => {{ const view = {STAGE}.decks[1].view; const [x, y, w, h] = view.box(3, 3);"
        "view.element.scrollIntoView({ block: 'center' });"
        "const box = view.element.getBoundingClientRect(); return [box.left + x + w / 2, box.top + y + h / 2] }"
    )
    page.mouse.click(x, y)
    told = page.locator(".arl-inspector p").inner_text()
    assert told.startswith("rank 3, chunk 3: 4 of 4 contributions (all ranks). 3 transfers brought it here.")
    assert page.evaluate(f"() => {STAGE}.history.used.reduce((a, b) => a + b)") == 3
    page.get_by_role("button", name="Close").click()
    assert page.locator(".arl-inspector").is_hidden()


def test_what_if_a_transfer_is_changed(explore):
    page = explore("algorithm=ring&ranks=4&view=words")
    page.locator("[data-transfer='0']").click()
    told = page.locator(".arl-inspector p").inner_text()
    assert told.startswith("rank 0 sends chunk 3 to rank 1, which adds: 1 there + 1 arriving = 2 contributions.")
    page.get_by_role("button", name="is dropped").click()
    verdict = page.locator(".arl-fork").inner_text()
    assert "What if, in step 1, chunk 3 from rank 0 to rank 1 is lost?" in verdict
    assert "Wrong: 4 of 16 cells at the end. Chunk 3 of rank 0 misses the contribution of rank 0." in verdict
    page.get_by_role("button", name="Undo").click()
    assert page.locator(".arl-fork").is_hidden()
    page.locator("[data-transfer='0']").click()
    page.get_by_role("spinbutton", name="goes to rank").fill("2")
    page.get_by_role("button", name="send there").click()
    page.locator(".arl-fork").get_by_text("goes to rank 2 instead").wait_for()
    assert "Still right" in page.locator(".arl-fork").inner_text()  # rank 2 adds it before its own sum moves on


def test_changes_say_what_the_engine_says(explore):
    """Every single change of every transfer: right or wrong as Python's counting finds it."""
    page = explore("algorithm=halving_doubling&ranks=4")
    judged = page.evaluate(
        """async () => {
          const { edited, verdict } = await import('/app/static/player/edits.js');
          const { trace } = document.querySelector('.arl').arlPlayer.lanes[0];
          return ['drop', 'flip', 'delay'].map((kind) =>
            Array.from(trace.src.keys()).map((transfer) => verdict(edited(trace, { kind, transfer })).right));
        }"""
    )
    schedule = ALGORITHMS["halving_doubling"](4)
    assert judged == [
        [_right(schedule, kind, i) for i in range(schedule.num_transfers)] for kind in ("drop", "flip", "delay")
    ]


def _right(schedule, kind, i):
    """Does the schedule still give every rank everything once, with transfer i dropped, flipped or delayed?"""
    steps, late = [], None
    for s, step in enumerate(schedule):
        columns = {name: getattr(step, name).copy() for name in NAMES}
        at, moved = i - int(schedule.step_ptr[s]), None
        if 0 <= at < len(step) and kind == "flip":
            columns["op"][at] ^= 1
        elif 0 <= at < len(step):
            moved = {name: column[at : at + 1] for name, column in columns.items()}
            columns = {name: np.delete(column, at) for name, column in columns.items()}
        if late:
            columns = {name: np.concatenate([column, late[name]]) for name, column in columns.items()}
        late = moved if kind == "delay" else None
        steps.append(Step(**columns, phase=step.phase))
    if late:
        steps.append(Step(**late))
    changed = Schedule.from_steps(steps, name="changed", world_size=schedule.world_size, num_chunks=schedule.num_chunks)
    *_, end = replay(changed, initial_counts(changed, ALL_REDUCE))
    return bool((end == 1).all())


def test_real_time_shows_the_same_end(explore):
    page = explore("algorithm=halving_doubling&ranks=8&clock=time")
    assert "µs" in page.locator(".arl-words").inner_text()
    assert page.evaluate(f"() => {STAGE}.conductor.clock")
    page.get_by_role("button", name="Last step").click()
    assert page.evaluate(f"() => [...new Set({STAGE}.lanes[0].replay.held)]") == [8]
    page.get_by_role("button", name="Step back").click()
    assert page.evaluate(f"() => {STAGE}.conductor.step") == 5
    assert page.evaluate(
        f"() => {{ const {{ stepped, timed }} = {STAGE}.lanes[0]; stepped.seek(5);"
        "return String(stepped.held) === String(timed.held) }"
    )


def test_numbers_in_the_cells_add_up(explore):
    page = explore("algorithm=ring&ranks=4")
    page.locator(".arl-more summary").click()
    page.get_by_label("In the cells").select_option("own")
    page.get_by_label("Your own numbers").fill("1\n2\n3\n4.5")
    page.get_by_label("Your own numbers").blur()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Last step").click()
    assert page.evaluate(f"() => [...new Set({STAGE}.lanes[0].replay.value)]") == [10.5]
    page.locator(".arl-more summary").click()
    page.get_by_label("Your own numbers").fill("1 x")
    page.get_by_label("Your own numbers").blur()
    page.get_by_text("Line 1: number 2 cannot be read").wait_for()


def test_alone_in_a_frame(explore):
    page = explore("algorithm=ring&ranks=4&embed=player")
    box = page.locator(".arl").bounding_box()
    assert (box["x"], box["y"], box["width"]) == (0, 0, 1280)


HOW = """() =>
  [...document.querySelectorAll('.arl-how')].map((how) => [how.textContent, how.scrollWidth - how.clientWidth])"""


@pytest.mark.parametrize("width", [1280, 1024])
def test_how_to_read_two_algorithms_is_not_cut(open_page, app, width):
    page = open_page(f"{app}/compare?ranks=16", viewport={"width": width, "height": 800})
    page.wait_for_selector(".arl[data-ready]")
    told = page.evaluate(HOW)
    assert all(": " in how and how.partition(": ")[2] for how, _ in told[:2])
    assert [how for how, over in told[:2] if over > 0] == []
