"""The player in the running app: it plays, steps, seeks, listens to keys, and keeps its step."""

import pytest

pytestmark = pytest.mark.browser
READY = ".arl[data-ready]"
STAGE = "document.querySelector('.arl').arlPlayer"
STEP = f"() => {STAGE}.conductor.step"
HELD = f"() => [...{STAGE}.lanes[0].replay.held]"


@pytest.fixture
def explore(app, open_page):
    def opened(query="algorithm=ring&ranks=8", **options):
        page = open_page(f"{app}/?{query}", **options)
        page.wait_for_selector(READY)
        return page

    return opened


def press(page, label):
    page.locator(".arl").get_by_role("button", name=label).click()


def test_it_steps_seeks_and_plays(explore):
    page = explore()
    assert page.evaluate(STEP) == 0
    assert "Step 1 of 14, reduce-scatter" in page.locator(".arl-words").inner_text()
    start = page.evaluate(HELD)
    press(page, "Step forward")
    press(page, "Step forward")
    assert page.evaluate(STEP) == 2
    press(page, "Step back")
    press(page, "First step")
    assert page.evaluate(HELD) == start
    press(page, "Last step")
    assert page.locator(".arl-words").inner_text().startswith("Done: every rank holds what it needs, in all 64 cells.")
    assert set(page.evaluate(HELD)) == {8}
    page.locator(".arl input[type=range]").first.fill("5")
    assert page.evaluate(STEP) == 5
    page.locator(".arl").get_by_role("combobox", name="Speed").select_option("16")
    press(page, "Play")
    page.wait_for_function(f"() => {STAGE}.conductor.step === 14")
    assert set(page.evaluate(HELD)) == {8}
    page.locator(".arl").get_by_role("button", name="Play").wait_for()  # it stopped by itself at the end


def test_keys_work_while_it_has_the_focus_and_only_then(explore):
    page = explore()
    page.locator(".arl").focus()
    for key, step in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 14), ("Home", 0)):
        page.keyboard.press(key)
        assert page.evaluate(STEP) == step
    page.keyboard.press(" ")
    page.locator(".arl").get_by_role("button", name="Pause").wait_for()
    page.keyboard.press(" ")
    page.locator(".arl").get_by_role("button", name="Play").wait_for()
    page.evaluate("() => document.activeElement.blur()")
    before = page.evaluate(STEP)
    page.keyboard.press("ArrowRight")
    assert page.evaluate(STEP) == before


def test_the_step_is_in_the_address_and_survives_reruns(explore):
    page = explore("algorithm=ring&ranks=8&step=3")
    assert page.evaluate(STEP) == 3
    press(page, "Step forward")
    page.wait_for_url("**step=4*")
    page.reload()
    page.wait_for_selector(READY)
    assert page.evaluate(STEP) == 4
    page.evaluate(f"() => {{ window.firstPlayer = {STAGE} }}")
    page.get_by_label("Buffer size", exact=True).fill("1 MiB")  # other times, the same schedule: the step stays
    page.get_by_label("Buffer size", exact=True).press("Enter")
    page.wait_for_url("**size=1*")
    page.wait_for_timeout(500)
    assert page.evaluate(STEP) == 4
    assert page.evaluate(f"() => window.firstPlayer === {STAGE}")
    page.get_by_label("Ranks", exact=True).fill("4")  # another schedule: from its start
    page.get_by_label("Ranks", exact=True).press("Enter")
    page.wait_for_function(f"() => {STAGE}.lanes[0].trace.ranks === 4")
    page.wait_for_function(f"() => ({STEP})() === 0")


def test_nothing_moves_unasked_and_motion_can_be_off(explore):
    page = explore(reduced_motion="reduce")
    page.wait_for_timeout(400)
    assert page.evaluate(STEP) == 0
    press(page, "Play")
    seen = page.evaluate(
        """() => new Promise((done) => {
          const seen = {};
          const canvas = document.querySelector('.arl-left canvas.arl-moving');
          const look = () => {
            const { step } = document.querySelector('.arl').arlPlayer.conductor;
            (seen[step] ??= new Set()).add(canvas.toDataURL());
            step < 3 ? requestAnimationFrame(look) : done(Object.values(seen).map((pictures) => pictures.size));
          };
          requestAnimationFrame(look);
        })"""
    )
    assert seen == [1] * len(seen)  # within a step nothing slides


def test_a_phone_sees_everything_in_one_column(explore):
    page = explore(viewport={"width": 390, "height": 844})
    boxes = page.locator(".arl-card").evaluate_all(
        "cards => cards.map((c) => c.getBoundingClientRect()).map((r) => [r.left, r.right])"
    )
    assert len({left for left, _ in boxes}) == 1
    assert max(right for _, right in boxes) <= 390
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390


def test_controls_words_network_and_buffers_fit_a_laptop(explore):
    page = explore()
    for part in (".arl-bar", ".arl-words", ".arl-left", ".arl-right"):
        box = page.locator(part).bounding_box()
        assert box["y"] + box["height"] <= 800, part


@pytest.mark.parametrize(
    ("broken", "words"),
    [("**/plotly-*.js", "plotly.js, which draws the pictures, did not load"), ("**/player.js", "could not load")],
)
def test_a_failed_load_is_said_in_words(app, open_page, broken, words):
    page = open_page("about:blank")
    page.route(broken, lambda route: route.abort())
    page.goto(f"{app}/?algorithm=ring&ranks=4")
    page.get_by_text(words).wait_for()
    open_page.complaints.clear()  # the browser complains about the load that this test broke
