"""The player's budgets, for a machine with other things to do: bytes as they are, speeds with slack."""

import pytest

from benchmarks.measuring import (
    BUDGETS,
    RERUN_KIB,
    SAY_STEP,
    STEP,
    frame_rate,
    kib,
    opened,
    players,
    to_painted,
)

pytestmark = pytest.mark.browser
PAGE_KIB = 10  # of the start page besides the player: menus, numbers, links, Streamlit's own
SLOWEST, SLACK = 20, 3  # frames a second; times the budget


@pytest.mark.parametrize("ranks", [8, 64, 256])
def test_the_start_page_keeps_its_budgets(app, open_page, ranks):
    budget, page, asked = BUDGETS[ranks], open_page("about:blank"), []
    page.on("request", lambda request: asked.append(request.url))
    _, received = opened(page, f"{app}/?algorithm=ring&ranks={ranks}&step={ranks // 2}")
    _wait_for_silence(page, received)
    (message,) = players(received)
    assert kib([message]) <= budget.kib
    assert kib(received) - kib([message]) <= PAGE_KIB
    assert len(asked) > 10  # it does see what is asked for
    assert [url for url in asked if not url.startswith((app, "data:", "blob:", "about:"))] == []
    before = len(received)
    page.evaluate(SAY_STEP)
    _wait_for_silence(page, received)
    assert len(received) > before  # the page did run again
    assert kib(received[before:]) <= RERUN_KIB, [len(m) for m in received[before:]]
    page.evaluate("() => document.querySelector('.arl').arlPlayer.playback.play()")
    assert frame_rate(page, 0.7) >= SLOWEST
    page.evaluate("() => document.querySelector('.arl').arlPlayer.playback.pause()")
    assert to_painted(page, STEP, 5) <= SLACK * budget.step


def _wait_for_silence(page, received):
    """Until the server has nothing more to say."""
    seen = -1
    while seen < len(received):
        seen = len(received)
        page.wait_for_timeout(500)
