"""The colours of every figure, light and dark, and what each one means.

Hue means one thing at a time: orange adds, blue copies, green is complete, rose is a fault; violet outlines a switch.
Names ending in _text are for words and for the squares that carry a number; the others are for lines and areas of
3 pixels or more. tests/test_theme.py measures contrast and the distance under three kinds of colour blindness.
"""

from __future__ import annotations

import math

LIGHT = {
    "background": "#ffffff",
    "surface": "#f4f6fa",
    "ink": "#1b2333",
    "muted": "#56607a",
    "line": "#7f8aa3",  # borders that carry meaning, edges of the network
    "faint": "#dde3ee",  # grid lines, borders that only decorate
    "reduce": "#e2621b",
    "copy": "#268cd6",
    "done": "#00602c",
    "fault": "#c0608a",
    "switch": "#7c5cc8",
    "reduce_text": "#b3430f",
    "copy_text": "#17659f",
    "done_text": "#00602c",
    "fault_text": "#a02560",
    "switch_text": "#6544b5",
    "on_packet": "#ffffff",  # the number on a moving square, which is filled with reduce_text or copy_text
    "empty": "#f4f6fa",  # a cell that holds nothing yet
    "amount": ("#cfdcf3", "#9db9e6", "#678fd2", "#345fae"),  # from one contribution to all but one
}
DARK = {
    "background": "#0f1420",
    "surface": "#171e2e",
    "ink": "#e7ecf6",
    "muted": "#a3aec5",
    "line": "#6d7b98",
    "faint": "#2a3550",
    "reduce": "#ec6420",
    "copy": "#3389d2",
    "done": "#83dc97",
    "fault": "#c0687a",
    "switch": "#a58cf0",
    "reduce_text": "#ff8a50",
    "copy_text": "#6cb4f2",
    "done_text": "#83dc97",
    "fault_text": "#f58fa6",
    "switch_text": "#bba6f7",
    "on_packet": "#0f1420",
    "empty": "#171e2e",
    "amount": ("#2b3f66", "#3f5f99", "#5d84c9", "#8fb2f0"),
}
ROLES = ("reduce", "copy", "done", "fault")  # what must stay apart for every eye
CONTRIBUTORS = 16  # beyond this many ranks, hues can no longer be told apart and counts take over


def oklch(lightness: float, chroma: float, hue: float) -> str:
    """The colour #rrggbb at a place in OKLCH (hue in degrees); out-of-gamut channels are clipped. Source: Ottosson."""
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    red = 4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short
    green = -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short
    blue = -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short
    return "#" + "".join(f"{round(255 * _encode(channel)):02x}" for channel in (red, green, blue))


def _encode(linear: float) -> float:
    linear = min(1.0, max(0.0, linear))
    return 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055


def contributors(world_size: int, dark: bool = False) -> list[str]:
    """One hue per rank, evenly spaced: whose input is inside a chunk."""
    return [oklch(0.74 if dark else 0.62, 0.14, (25 + 360 * rank / world_size) % 360) for rank in range(world_size)]
