"""Widgets whose values stand in the address of the page, so that a link brings back what you see."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from difflib import get_close_matches
from time import monotonic
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from core.units import parse_bytes

SETTLED = 1.0  # seconds
ELEMENT_BYTES = 4  # an "element" is a float32


def linked(
    widget: Callable, label: str, *, key: str, name: str, default, read: Callable = str, write: Callable = str, **more
):
    """A widget, as widget(label, key=...), bound to the query parameter `name`; returns its value.

    `read` turns the text of the parameter into a value, or raises ValueError with a sentence, which is shown.
    `write` turns a value into that text. A value that equals the default is left out of the address.
    """
    state, text = st.session_state, st.query_params.get(name)
    if key not in state or _went_back(key, text, write(default)):
        try:
            state[key] = default if text is None else _allowed(read(text), **more)
        except (ValueError, OverflowError) as problem:
            _warn(plain(f"The link says {name}={text[:40]}, but {problem}. Shown is {write(default) or 'nothing'}."))
            state[key] = default
    value = widget(label, key=key, **more)
    if value == default:
        st.query_params.pop(name, None)
    elif text != write(value):
        st.query_params[name] = write(value)
    state[f"{key} in link"] = Written(value, write(value), monotonic() if text != write(value) else 0.0)
    return value


FOLDED = ContextVar("folded", default=False)  # is what is drawn now inside something that may be closed?


@contextmanager
def folded():
    """Inside it, a warning about the link is seen even while the popover is closed."""
    token = FOLDED.set(True)
    try:
        yield
    finally:
        FOLDED.reset(token)


def _warn(text: str) -> None:
    st.warning(text)
    if FOLDED.get():
        st.toast(text, duration="infinite")


def _allowed(value, min_value=None, max_value=None, max_selections=None, **_):
    """The value, if the widget can hold it: Streamlit would change it in silence, or fail."""
    if min_value is not None and value < min_value:
        raise ValueError(f"it must be {min_value:g} or more")
    if max_value is not None and value > max_value:
        raise ValueError(f"it must be {max_value:g} or less")
    if max_selections is not None and len(value) > max_selections:
        raise ValueError(f"no more than {max_selections} can be chosen")
    return value


@dataclass(frozen=True)
class Written:
    """What a linked widget last put into the address."""

    value: object
    text: str
    at: float  # when, on the monotonic clock; 0: it stood there already


def _went_back(key: str, text: str | None, default: str) -> bool:
    """Did the reader move in the browser's history? Then the address has changed, but not the widget.

    An address that is younger than a second proves nothing: the browser may not have heard of it yet.
    """
    last = st.session_state.get(f"{key} in link")
    return (
        last is not None
        and (default if text is None else text) != last.text
        and st.session_state[key] == last.value
        and monotonic() - last.at > SETTLED
    )


def some_of(choices) -> Callable[[str], list]:
    """A reader of several of `choices`, with commas between them."""
    one = one_of(choices)
    return lambda text: list(dict.fromkeys(one(part) for part in text.split(",") if part))


def one_of(choices) -> Callable[[str], object]:
    """A reader of one of `choices`, whatever their type."""
    by_text = {str(choice): choice for choice in choices}

    def read(text: str):
        if text not in by_text:
            near = get_close_matches(text, by_text, 1) or list(by_text)[:1]
            raise ValueError(f"that is not one of the choices (did you mean {near[0]}?)")
        return by_text[text]

    return read


def whole(text: str) -> int:
    """A whole number that a browser can hold."""
    try:
        number = int(text)
    except ValueError:
        raise ValueError("it must be a whole number") from None
    if abs(number) > 1 << 53:
        raise ValueError("it is beyond every limit")
    return number


def size_field(key: str, default: str = "64 MiB", *, name: str = "size", **more) -> int:
    """A text field for the size of the buffer; returns bytes. Stops the page with a sentence if it cannot be read."""
    text = linked(
        st.text_input,
        "Buffer size",
        key=key,
        name=name,
        default=default,
        help="Bytes, as in 64 KiB, 16M, 2 MB; or elements of 4 bytes, as in 10 elements.",
        **more,
    )
    try:
        return parse_size(text)
    except ValueError as problem:
        st.error(plain(f"Buffer size: {problem}, or 10 elements."))
        st.stop()


def parse_size(text: str) -> int:
    """Bytes, from a size or from a number of float32 elements such as "10 elements"."""
    number = text.strip().removesuffix("s").removesuffix("element")
    if number == text.strip().removesuffix("s"):
        return parse_bytes(text)
    elements = parse_bytes(number)
    parse_bytes(str(elements * ELEMENT_BYTES))  # not too large as bytes either
    return elements * ELEMENT_BYTES


def plain(text: str) -> str:
    """Text that Markdown leaves as it is: what others wrote becomes no link and no formula."""
    return re.sub(r"([\\`*_\[\]<>$#:~|])", r"\\\1", text)


def here(**parameters) -> str:
    """The address of this page at this run: every linked value that is not the default, the theme, and parameters.

    The parameters are what the server is told in other ways, as the player's step; those that are None are left out.
    """
    address = urlsplit(st.context.url or "http://localhost:8501/")
    known = {"theme": st.context.theme.type, **parameters}
    said = [(name, value) for name in st.query_params for value in st.query_params.get_all(name) if name not in known]
    said += [(name, value) for name, value in known.items() if value is not None]
    return urlunsplit((address.scheme, address.netloc, address.path, urlencode(said), ""))


def link(page: str, **parameters) -> str:
    """The address of a page with these query parameters; parameters that are None are left out."""
    address = urlsplit(st.context.url or "http://localhost:8501/")
    query = urlencode({name: value for name, value in parameters.items() if value is not None})
    return urlunsplit((address.scheme, address.netloc, f"/{page}", query, ""))
