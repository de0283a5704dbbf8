"""Numbers on a page. Each says where it comes from: that is not optional."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import streamlit as st

ORIGINS = ("formula", "counted", "proved", "simulated", "measured here", "recorded", "published")
STYLES = """<script>
document.currentScript.closest("[data-testid=stElementContainer]").hidden = true;
window.facts ??= document.head.appendChild(document.createElement("link"));
Object.assign(facts, {rel: "stylesheet", href: "app/static/facts.css"});
</script>"""


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


def styles() -> None:
    """Load static/facts.css once for all pages. Not by @import: Firefox ignores that in what st.html has cleaned."""
    st.html(STYLES, unsafe_allow_javascript=True)


def facts(*them: Fact) -> None:
    """A compact row of numbers."""
    st.html('<dl class="facts">' + "".join(fact.html for fact in them) + "</dl>")


def listed(lines: dict[str, str], lead: str = "") -> None:
    """A few lines of small print, each with a name; empty ones are left out. `lead` stands above, in normal print."""
    first = f'<p class="lead">{escape(lead)}</p>' if lead else ""
    rows = (f"<p><b>{escape(name)}.</b> {escape(text)}</p>" for name, text in lines.items() if text)
    st.html(f'<div class="listed">{first}{"".join(rows)}</div>')


def small(text: str) -> None:
    """Small print that is still dark enough to read."""
    st.html(f'<div class="listed"><p>{escape(text)}</p></div>')


def grid_of_facts(caption: str, columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """A table; the caption says where its numbers come from, the first column names the rows."""
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>' + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:]) + "</tr>"
        for row in rows
    )
    st.html(
        f'<div class="scroll" tabindex="0"><table class="facts"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def compact(title: str, sentence: str) -> None:
    """A page header of one line, so that what follows is above the fold."""
    st.html(f'<div class="compact"><h1>{escape(title)}</h1><p>{escape(sentence)}</p></div>')
