"""How tests open a page of the app and read what it says."""

import html
import json
import re
from pathlib import Path

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[1]
PAGES = sorted(path.name for path in (ROOT / "lessons").glob("[0-9]*.py"))
LESSONS = [name for name in PAGES if (ROOT / "lessons" / name).read_text(encoding="utf-8").startswith('"""Course: ')]
START = "10_explore.py"


def opened(name: str = START, **query: str) -> AppTest:
    """The page, as somebody with this link sees it."""
    page = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    if name != START:
        page.run().switch_page(f"lessons/{name}")
    for key, value in query.items():
        page.query_params[key] = value
    return fine(page.run())


def fine(page: AppTest) -> AppTest:
    assert [e.message for e in page.exception] == []
    assert "help_info" not in {element.type for element in page.main}, "an expression statement dumped its help"
    return page


def texts(page: AppTest) -> list[str]:
    """Everything a page says in words."""
    kinds = (page.markdown, page.caption, page.error, page.warning, page.info, page.success, page.get("html"))
    return [str(element.value) for kind in kinds for element in kind]


def numbers(page: AppTest) -> dict[str, tuple[str, str]]:
    """{label: (value, small print)} of the rows of facts."""
    found = re.findall(r"<dt>(.*?)</dt><dd>(.*?)<small>(.*?)</small>", " ".join(e.value for e in page.get("html")))
    return {html.unescape(label): (html.unescape(value), html.unescape(small)) for label, value, small in found}


def facts(page: AppTest) -> list[tuple[str, str, str]]:
    """(label, value, small print) of every number in a row of facts."""
    found = re.findall(r"<dt>(.*?)</dt><dd>(.*?)<small>(.*?)</small>", " ".join(e.value for e in page.get("html")))
    return [tuple(map(html.unescape, fact)) for fact in found]


def fact(page: AppTest, label: str) -> str:
    return next(value for name, value, _ in facts(page) if name == label)


def said(page: AppTest) -> str:
    kinds = (page.markdown, page.error, page.warning, page.info, page.get("html"))
    return " ".join(str(element.value) for kind in kinds for element in kind)


def alts(page: AppTest) -> list[str]:
    return [json.loads(chart.proto.spec)["layout"]["meta"]["alt"] for chart in page.get("plotly_chart")]
