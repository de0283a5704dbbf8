"""What one browser forgives and another does not: found in Firefox and WebKit, guarded in Chromium."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[2]
HIDDEN = "() => [...document.querySelectorAll('[data-testid=stElementContainer]')].filter((e) => e.hidden).length"


def test_the_style_sheet_comes_once_and_takes_no_room(app, open_page):
    page = open_page(f"{app}/compare")
    page.wait_for_selector("h1")
    page.get_by_role("link", name="Explore", exact=True).click()
    page.wait_for_selector("dl.facts")
    assert page.evaluate("() => getComputedStyle(document.querySelector('dl.facts')).display") == "flex"
    assert page.locator("link[href='app/static/facts.css']").count() == 1
    assert page.evaluate(HIDDEN) == 1  # the element that loads it leaves no gap


def test_no_page_imports_a_style_sheet():
    """Firefox never loads what an @import names in HTML that was parsed apart from the page, as st.html does."""
    places = [ROOT / "app.py", *(ROOT / "lessons").rglob("*.py")]
    assert [str(file) for file in places if re.search(r"@import\s+[\"'u]", file.read_text(encoding="utf-8"))] == []
