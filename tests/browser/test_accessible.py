"""axe-core finds nothing wrong, level A or AA of WCAG 2.2: on every page, in light and in dark."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.browser
LESSONS = sorted(Path(__file__).resolve().parents[2].glob("lessons/[0-9]*.py"))
PAGES = ["" if path.stem.endswith("_explore") else path.stem.split("_", 1)[1] for path in LESSONS]
LEVEL = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
NOT_OURS = [  # (rule, part of the page); a page cannot change what is wrong there
    ("list", "[data-testid=stSidebarNavItems]"),  # Streamlit puts a header of each section between the items
    ("listitem", "[data-testid=stSidebarNavItems] li"),  # and the items of a section into a list of their own
]
INSIDE = "([selector, places]) => places.every((place) => document.querySelector(place)?.closest(selector))"


@pytest.fixture(scope="module")
def axe(without):
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        without("axe is not installed: pip install -r requirements-dev.txt")
    return Axe()


def violations(axe, page, context=None):
    """[(rule, where, what is wrong)]; without NOT_OURS."""
    found = axe.run(page, context=context, options={"runOnly": LEVEL}).response["violations"]
    return [
        (rule["id"], node["html"][:160], node["failureSummary"][:300])
        for rule in found
        for node in rule["nodes"]
        if not any(rule["id"] == id and page.evaluate(INSIDE, [part, node["target"]]) for id, part in NOT_OURS)
    ]


@pytest.mark.parametrize("name", PAGES)
def test_every_page(app, open_page, axe, name):
    page = open_page(f"{app}/{name}", color_scheme="light")
    page.wait_for_selector("h1")
    _wait_for_calm(page)
    assert page.locator("[data-testid=stException]").count() == 0
    light = _background(page)
    assert violations(axe, page) == []
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(
        "(light) => getComputedStyle(document.querySelector('.stApp')).backgroundColor !== light", arg=light
    )
    _wait_for_calm(page)
    assert violations(axe, page) == []


def _background(page):
    return page.evaluate("() => getComputedStyle(document.querySelector('.stApp')).backgroundColor")


def _wait_for_calm(page):
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    if page.locator(".arl").count():
        page.wait_for_selector(".arl[data-ready]")
    page.wait_for_timeout(400)  # charts appear after their page, colours change slowly


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_of_the_player(app, open_page, axe, scheme):
    page = open_page(f"{app}/?algorithm=sharp&ranks=8&step=1&view=filmstrip", color_scheme=scheme)
    page.wait_for_selector(".arl[data-ready]")
    for view in ("Buffers", "My rank", "Code", "Words"):
        page.get_by_role("tab", name=view, exact=True).click()
        if view == "Words":  # everything open: a transfer looked at, the menu
            page.locator("[data-transfer]").first.click()
            page.locator(".arl-more summary").click()
        assert violations(axe, page, ".arl") == [], view


def test_it_does_find_what_is_wrong(open_page, axe):
    page = open_page("data:text/html,<html lang=en><title>x</title><p style='color:%23aaa;background:white'>pale</p>")
    assert [rule for rule, *_ in violations(axe, page)] == ["color-contrast"]
