"""The frame around the lessons: `streamlit run app.py`. Every numbered file in lessons/ becomes a page."""

import gc
from pathlib import Path

import streamlit as st

from lessons.parts.facts import styles

HERE = Path(__file__).parent
START = "explore"


def pages() -> dict[str, list]:
    """{section: [page, ...]}, from the first line of each lesson's docstring: "Section: Title"."""
    sections: dict[str, list] = {}
    for path in sorted((HERE / "lessons").glob("[0-9]*.py")):
        with path.open(encoding="utf-8") as lines:
            section, title = lines.readline().strip().strip('"').split(": ", 1)
        url = path.stem.split("_", 1)[1]  # the name without its number: renumbering breaks no link
        start = url == START
        page = st.Page(path, title=title, url_path="start" if start else url, default=start)
        sections.setdefault(section, []).append(page)
        if start:  # the start page answers at "/" only, so a hidden twin answers at its own name
            sections[section].append(st.Page(path, title=title, url_path=url, visibility="hidden"))
    return sections


@st.cache_resource(show_spinner=False)
def spare_the_collector() -> None:
    """Set aside what the imports left behind: otherwise it is searched for garbage after every click."""
    gc.collect()
    gc.freeze()


st.set_page_config(page_title="AllReduce Lab", page_icon=str(HERE / "assets" / "favicon.png"), layout="wide")
page = st.navigation(pages())
spare_the_collector()
styles()
page.run()
