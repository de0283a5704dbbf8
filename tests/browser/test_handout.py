"""The hand-out plays from a file, without a server and without asking anybody for anything."""

import pytest

from core.algorithms import ALGORITHMS
from core.figures.frames import html
from core.machines import MACHINES
from core.trace import lockstep

pytestmark = pytest.mark.browser


def test_the_hand_out_plays_offline(open_page, tmp_path):
    file = tmp_path / "ring.html"
    file.write_text(html(lockstep(ALGORITHMS["ring"](4), 1 << 20, MACHINES["NVLink 4"])), encoding="utf-8")
    page = open_page(file.as_uri())
    page.wait_for_selector(".gtitle")
    assert page.text_content(".gtitle").startswith("Start.")
    page.locator(".updatemenu-button", has_text="Play").click()
    page.wait_for_function("document.querySelector('.gtitle').textContent.includes('Step 2 of 6')")
    assert not open_page.complaints
