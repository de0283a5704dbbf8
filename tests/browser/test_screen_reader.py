"""The player for whoever hears it, for keys alone, for large print and for colours that the system chooses."""

import pytest

pytestmark = pytest.mark.browser
RING = "?algorithm=ring&ranks=8"
SPOKEN = """() => {
  window.spoken = 0;
  const words = document.querySelector('.arl-words');
  new MutationObserver(() => words.getAttribute('aria-live') === 'polite' && window.spoken++)
    .observe(words, { childList: true });
}"""
STEP = "() => document.querySelector('.arl').arlPlayer.conductor.step"
CONTROLS = {"button", "slider", "spinbutton", "combobox", "tab", "checkbox", "textbox", "DisclosureTriangle", "link"}
OUTSIDE = """() => [...document.querySelectorAll('.arl :is(button, select, input, summary, .arl-words, .arl-how)')]
  .filter((part) => part.getClientRects().length && !part.closest('.arl-menu'))
  .filter((part) => part.getBoundingClientRect().left < -1 || part.getBoundingClientRect().right > innerWidth + 1)
  .map((part) => part.className || part.ariaLabel)"""
OVERLAPS = """() => {
  const boxes = [...document.querySelectorAll('.arl > *, .arl-card')].filter((part) => part.getClientRects().length);
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  return boxes.flatMap((a, k) => boxes.slice(k + 1).filter((b) => !a.contains(b))
    .filter((b) => meet(a.getBoundingClientRect(), b.getBoundingClientRect()))
    .map((b) => `${a.className}, ${b.className}`));
}"""


@pytest.fixture
def explore(app, open_page):
    def opened(query=RING, **options):
        page = open_page(f"{app}/{query}", **options)
        page.wait_for_selector(".arl[data-ready]")
        return page

    return opened


def tree(page):
    """[(role, name, description, roles of what it lies in)] of the player, as a screen reader meets it."""
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    known = {node["nodeId"]: node for node in nodes}
    found = []

    def walk(node, inside):
        role = node.get("role", {}).get("value", "")
        if not node.get("ignored"):
            name, told = (node.get(key, {}).get("value", "") for key in ("name", "description"))
            found.append((role, name, told, inside))
            inside = (*inside, role)
        for child in node.get("childIds", []):
            if child in known:
                walk(known[child], inside)

    walk(nodes[0], ())
    first = next(k for k, (role, name, *_) in enumerate(found) if role == "group" and name.startswith("Animation of"))
    depth = len(found[first][3])
    inside = [k for k in range(first + 1, len(found)) if len(found[k][3]) <= depth]
    return found[first : inside[0] if inside else None]


def test_every_control_has_a_name_and_every_picture_one_name_and_the_step_in_words(explore):
    page = explore()
    page.locator(".arl-more summary").click()
    parts = tree(page)
    unnamed = [
        (role, name) for role, name, *_ in parts if role in {*CONTROLS, "tablist", "region", "image"} and not name
    ]
    assert unnamed == []
    assert {role for role, *_ in parts} >= CONTROLS - {"textbox", "link"}  # it did look at them
    pictures = [(name, told) for role, name, told, _ in parts if role == "image"]
    assert len(pictures) == 3
    assert {told for _, told in pictures} == {page.locator(".arl-words").inner_text()}
    assert [name for _, name, _, inside in parts if "image" in inside] == []  # not dozens of loose labels


@pytest.mark.parametrize("speed", ["1", "16"])
def test_playing_is_silent_and_the_end_is_told_once(explore, speed):
    page = explore("?algorithm=ring&ranks=4&step=3")
    page.locator(".arl-speed").select_option(speed)
    page.wait_for_timeout(600)
    page.evaluate(SPOKEN)
    page.locator(".arl [data-act=play]").click()
    page.wait_for_function(f"() => ({STEP})() === 6")
    page.wait_for_function("() => window.spoken > 0")
    page.wait_for_timeout(600)
    assert page.evaluate("window.spoken") == 1
    assert page.locator(".arl-words").inner_text().startswith("Done")


def test_a_hand_that_hurries_is_told_where_it_rests(explore):
    page = explore()
    page.wait_for_timeout(600)
    page.evaluate(SPOKEN)
    page.locator(".arl").focus()
    page.evaluate("""() => { for (let k = 0; k < 10; k++) document.querySelector('.arl').dispatchEvent(
        new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true })); }""")
    page.wait_for_function("() => window.spoken > 0")
    page.wait_for_timeout(600)
    assert (page.evaluate(STEP), page.evaluate("window.spoken")) == (10, 1)


def test_the_focus_never_falls_off(explore):
    """What is looked at, changed, undone and closed with keys leaves the focus inside the player."""
    page = explore(f"{RING}&view=words")
    inside = "() => document.activeElement.closest('.arl') !== null"
    page.locator(".arl-told [data-transfer]").nth(1).focus()
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.dataset.transfer") == "1"
    page.locator(".arl-inspector [data-kind=drop]").focus()
    page.keyboard.press("Enter")
    page.locator(".arl-fork").wait_for()
    assert page.evaluate(inside)
    page.locator(".arl-fork button").focus()
    page.keyboard.press("Enter")
    page.locator(".arl-fork").wait_for(state="hidden")
    assert page.evaluate(inside)
    page.locator(".arl-told [data-transfer]").first.click()
    page.locator(".arl-close").focus()
    page.keyboard.press("Enter")
    assert page.evaluate(inside)


def test_no_letter_is_a_key_and_a_region_scrolls_with_the_arrows(explore):
    page = explore(f"{RING}&view=code", viewport={"width": 390, "height": 844})
    page.locator(".arl").focus()
    for letter in "abcdefghijklmnopqrstuvwxyz0123456789":
        page.keyboard.press(letter)
    assert page.evaluate(STEP) == 0
    page.locator(".arl-view-code").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('.arl-view-code').scrollLeft > 0")
    assert page.evaluate(STEP) == 0


def test_the_keys_walk_through_and_out_again(explore):
    page = explore()
    page.locator(".arl").focus()
    seen = []
    for _ in range(40):
        page.keyboard.press("Tab")
        here = page.evaluate(
            """() => { const at = document.activeElement; if (!at.closest('.arl')) return null;
            const { outlineStyle, outlineWidth } = getComputedStyle(at);
            const outlined = outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
            return [at.ariaLabel || at.textContent || at.name, outlined]; }"""
        )
        if here is None:
            break
        seen.append(here)
    assert here is None  # no trap
    assert len(seen) >= 10
    assert [name for name, outlined in seen if not outlined] == []


@pytest.mark.parametrize("ranks", [8, 16])
@pytest.mark.parametrize(("width", "height"), [(640, 400), (320, 256)])
def test_zoom_cuts_and_covers_nothing(explore, ranks, width, height):
    """A window of 1280 x 800 at 200 %, and of 1280 x 1024 at 400 %."""
    page = explore(f"?algorithm=ring&ranks={ranks}", viewport={"width": width, "height": height})
    assert page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollWidth - innerWidth") <= 0
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate(OVERLAPS) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_that_carry_meaning_survive_forced_colours(explore, scheme):
    page = explore(f"{RING}&view=code", forced_colors="active", color_scheme=scheme)
    ground = "(part) => getComputedStyle(part).backgroundColor"
    grounds = page.locator(".arl-phase").evaluate_all(f"(all) => all.map({ground})")
    assert len(set(grounds)) == 2  # adding and copying
    lit = page.locator(".arl-code .arl-lit").evaluate(ground)
    other = page.locator(".arl-code code:not(.arl-lit)").first.evaluate(ground)
    assert lit != other
    tab = "(part) => getComputedStyle(part).borderBottomWidth"
    chosen, unchosen = (page.locator(f".arl [aria-selected={is_}]").first.evaluate(tab) for is_ in ("true", "false"))
    assert chosen != unchosen


def test_reduced_motion_is_the_default_of_whoever_asked_the_system_for_it(explore):
    page = explore(reduced_motion="reduce")
    assert page.evaluate("() => document.querySelector('.arl').arlPlayer.still") is True
