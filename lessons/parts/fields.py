"""Linked fields by name: a menu, a slider, a number. Each is kept in session state as "key.name"."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from lessons.parts.links import linked, one_of, whole


def yes(text: str) -> bool:
    return one_of((True, False))(text)


def within(parse: Callable, low: float, high: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            value = parse(text)
        except ValueError:
            raise ValueError("it must be a number" if parse is float else "it must be a whole number") from None
        if not low <= value <= high:
            raise ValueError(f"it must be {low:g} to {high:g}")
        return value

    return read


def number(key: str, name: str, label: str, default: int, low: int, high: int) -> int:
    limits = {"min_value": low, "max_value": high, "step": 1, "width": 110}
    where = {"key": f"{key}.{name}", "name": name, "default": default}
    return linked(st.number_input, label, read=within(whole, low, high), **where, **limits)


def menu(key: str, name: str, label: str, default, options: Sequence, **more):
    if st.session_state.get(f"{key}.{name}", default) not in options:
        del st.session_state[f"{key}.{name}"]  # a choice that is gone, such as rank 9 of 8
        st.query_params.pop(name, None)
    where = {"key": f"{key}.{name}", "name": name, "default": default}
    return linked(st.selectbox, label, read=one_of(options), options=options, **where, **more)


def slider(key: str, name: str, label: str, default, options: Sequence, words: Callable):
    where = {"key": f"{key}.{name}", "name": name, "default": default}
    return linked(st.select_slider, label, read=one_of(options), options=options, format_func=words, **where)
