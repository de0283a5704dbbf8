"""Numbers on a page. Each says where it comes from: that is not optional."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import streamlit as st

ORIGINS = ("formula", "counted", "proved", "simulated", "measured here", "recorded", "published")
STYLE = """<style>
dl.facts {display:flex; flex-wrap:wrap; gap:.35rem 1.75rem; margin:0; padding:0 !important}
.facts div {min-width:4rem}
.facts dt, .facts small {font-size:.8rem; opacity:.85}
.facts dd {margin:0; font-size:1.15rem; font-weight:600; line-height:1.25; font-variant-numeric:tabular-nums}
.facts small {display:block; font-weight:400}
.scroll {overflow-x:auto}
table.facts {border-collapse:collapse; font-size:.9rem; font-variant-numeric:tabular-nums}
table.facts caption {text-align:left; font-size:.8rem; opacity:.85; padding:0 0 .3rem}
table.facts th, table.facts td {text-align:left; font-weight:400; padding:.25rem 1.2rem .25rem 0; white-space:nowrap}
table.facts tr {border-bottom:1px solid rgba(127,138,163,.35)}
table.facts thead th, table.facts tbody th {font-weight:600}
.listed p {margin:0 0 .15rem; font-size:.9rem; opacity:.85}
</style>"""


@dataclass(frozen=True)
class Fact:
    """One number with its name and origin; `note` is a few more words."""

    label: str
    value: str
    origin: str
    note: str = ""

    def __post_init__(self):
        if self.origin not in ORIGINS:
            raise ValueError(f"{self.label}: the origin is {self.origin!r}; say one of {', '.join(ORIGINS)}")

    @property
    def html(self) -> str:
        small = f"{self.origin}, {self.note}" if self.note else self.origin
        return f"<div><dt>{escape(self.label)}</dt><dd>{escape(self.value)}<small>{escape(small)}</small></dd></div>"


def facts(*them: Fact) -> None:
    """A compact row of numbers."""
    st.html(STYLE + '<dl class="facts">' + "".join(fact.html for fact in them) + "</dl>")


def listed(lines: dict[str, str]) -> None:
    """A few lines of small print, each with a name; empty ones are left out."""
    rows = (f"<p><b>{escape(name)}.</b> {escape(text)}</p>" for name, text in lines.items() if text)
    st.html(f'{STYLE}<div class="listed">{"".join(rows)}</div>')


def small(text: str) -> None:
    """Small print that is still dark enough to read."""
    st.html(f'{STYLE}<div class="listed"><p>{escape(text)}</p></div>')


def grid_of_facts(caption: str, columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """A table; the caption says where its numbers come from, the first column names the rows."""
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>' + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:]) + "</tr>"
        for row in rows
    )
    st.html(
        f'{STYLE}<div class="scroll" tabindex="0"><table class="facts"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def compact(title: str, sentence: str) -> None:
    """A page header of one line, so that what follows is above the fold."""
    st.html(
        "<style>.stMainBlockContainer {padding-top:3.25rem; padding-bottom:4rem}"
        "@media (min-width:800px) {.stMainBlockContainer {padding-left:2.5rem; padding-right:2.5rem}}"
        ".compact {display:flex; flex-wrap:wrap; align-items:baseline; gap:.1rem .9rem}"
        ".compact h1 {font-size:1.5rem; padding:0; margin:0} .compact p {margin:0; opacity:.85}</style>"
        f'<div class="compact"><h1>{escape(title)}</h1><p>{escape(sentence)}</p></div>'
    )
