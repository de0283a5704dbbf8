"""What others wrote, in an address or a file, is shown as text and nothing else."""

from dataclasses import replace

import pytest

from core.algorithms import ALGORITHMS
from core.machines import MACHINES
from core.run.sweep import to_json
from core.trace import lockstep, save
from lessons.parts.links import parse_size, plain
from tests.pages import fine, numbers, opened, texts
from tests.sweeps import ABOUT

RING = ALGORITHMS["ring"]


def test_what_others_wrote_becomes_no_link():
    page = opened(size="[free](http://a.b)")
    assert r"\[free\](http\://a.b" in page.error[0].value
    assert plain("0->1:c0+ `x` $y$ [z]") == r"0-\>1\:c0+ \`x\` \$y\$ \[z\]"


def test_sizes_may_be_elements():
    assert parse_size("10 elements") == parse_size("10element") == 40
    assert parse_size("1K") == 1024


@pytest.mark.parametrize(
    "about", [{}, {"median": 1e308, "foreign": 10**400, "command": "x" * 10**6, "machine": [], "clock": {"kind": {}}}]
)
def test_a_trace_file_is_played_whatever_it_says_about_itself(about):
    trace = lockstep(RING(4), 1 << 20, MACHINES["NVLink 4"])
    data = save(replace(trace, about=about))
    page = opened("18_live.py", backend="threads")
    page = fine(page.file_uploader(key="live.file").upload("x.arl", data, "application/octet-stream").run())
    assert numbers(page)["Length of this run"][1].startswith("formula")
    assert max(map(len, texts(page))) < 20_000


def test_a_sweep_file_brings_no_picture_from_elsewhere():
    label = "![x](http://elsewhere/x.png)"
    row = dict.fromkeys(("nbytes", "median", "best", "worst", "algbw", "busbw"), 8) | {"label": label}
    text = to_json({"rows": [row], "about": ABOUT})
    page = opened("20_sweep.py", backend="threads")
    page = fine(page.file_uploader(key="sweep.file").upload("x.json", text.encode(), "application/json").run())
    tables = [element.value for element in page.get("html")]  # no Markdown there: an exclamation mark stays one
    assert any(plain(label) in text for text in texts(page))
    assert not any(label in text for text in texts(page) if text not in tables)
    assert not any("<img" in text for text in tables)
