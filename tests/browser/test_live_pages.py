"""The live pages in a browser: what opens on a click can be read, and nothing is wider than a telephone."""

import pytest

from core.run import sweep
from tests.browser.test_accessible import axe, violations  # noqa: F401 - a fixture
from tests.sweeps import result, row

pytestmark = pytest.mark.browser

SIZES = (8, 1024, 1 << 20)
ONE = result(*(row(name, size, size * 1e-9 + 5e-6) for name in ("ring", "native") for size in SIZES))
OTHER = result(*(row("ring", size, size * 2e-9 + 1e-5) for size in SIZES), world_size=8, backend="gloo")
RIGHTMOST = """() => Math.max(
    ...[...document.querySelectorAll('.legendtext')].map((text) => text.getBoundingClientRect().right))"""
WIDER = "() => { const m = document.querySelector('[data-testid=stMain]'); return m.scrollWidth - m.clientWidth }"


def calm(page):
    page.set_default_timeout(60_000)  # these pages do much, and machines that test are busy
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    page.wait_for_timeout(400)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("where", ["live?backend=nccl&ranks=4", "sweep?backend=gloo"])
def test_the_lines_for_a_cluster_can_be_read(app, open_page, axe, where, scheme):  # noqa: F811
    page = open_page(f"{app}/{where}", color_scheme=scheme)
    calm(page)
    page.get_by_text("From a terminal, or on a cluster").click()
    page.get_by_text("torchrun, on one machine").wait_for()
    calm(page)
    assert violations(axe, page) == []


@pytest.mark.parametrize("width", [390, 1280])
def test_sweeps_are_overlaid_and_fit(app, open_page, axe, width):  # noqa: F811
    page = open_page(f"{app}/sweep?backend=threads", viewport={"width": width, "height": 900})
    calm(page)
    files = [
        {"name": f"{i}.json", "mimeType": "application/json", "buffer": sweep.to_json(one).encode()}
        for i, one in enumerate((ONE, OTHER))
    ]
    page.locator("input[type=file]").set_input_files(files)
    page.locator(".js-plotly-plot .legend").wait_for()
    calm(page)
    names = page.locator(".js-plotly-plot .legend .legendtext").all_text_contents()
    assert [name.partition(":")[0] for name in names] == ["A", "B", "ring", "native"]
    right = (
        "() => Math.max(...[...document.querySelectorAll('.legendtext')].map((t) => t.getBoundingClientRect().right))"
    )
    assert page.evaluate(right) <= width
    assert page.evaluate(WIDER) <= 0
    assert violations(axe, page) == []
