"""Plotly figures on a page, always with their text alternative and never with a tool bar."""

import streamlit as st


def chart(figure, own_colours: bool = False) -> None:
    """Show a figure of core.figures; `own_colours` keeps the figure's own instead of the page's theme."""
    theme = None if own_colours else "streamlit"
    st.plotly_chart(figure, config={"displayModeBar": False}, alt=figure.layout.meta["alt"], theme=theme)


def is_dark() -> bool:
    return st.context.theme.type == "dark"
