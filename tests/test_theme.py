"""The palette, by numbers: contrast (WCAG 2.2) and distance under normal and colour-blind vision (Machado 2009)."""

import itertools

import numpy as np
import pytest

from core.figures.theme import CONTRIBUTORS, DARK, LIGHT, ROLES, contributors, oklch

THEMES = {"light": LIGHT, "dark": DARK}
GROUNDS = ("background", "surface")
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
EYES = {
    "normal": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def linear(colour):
    channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    dark, light = sorted(TO_XYZ[1] @ linear(colour) for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def lab(rgb):
    ratio = TO_XYZ @ np.clip(rgb, 0, 1) / [0.95047, 1, 1.08883]
    f = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(one, other, eye):
    matrix = np.array(EYES[eye])
    return np.linalg.norm(lab(matrix @ linear(one)) - lab(matrix @ linear(other)))


def test_the_yardsticks_themselves():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)  # the well-known lightest grey for text
    assert distance("#000000", "#ffffff", "normal") == pytest.approx(100, abs=0.1)
    assert distance("#d01c1c", "#5a6b00", "deutan") < distance("#d01c1c", "#5a6b00", "normal") / 2


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ground", GROUNDS)
def test_text_can_be_read(theme, ground):
    colours = THEMES[theme]
    words = ["ink", "muted", *(name for name in colours if name.endswith("_text"))]
    assert {
        name: contrast(colours[name], colours[ground])
        for name in words
        if contrast(colours[name], colours[ground]) < 4.5
    } == {}


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ground", GROUNDS)
def test_graphics_can_be_seen(theme, ground):
    colours = THEMES[theme]
    assert {n: c for n in (*ROLES, "switch", "line") if (c := contrast(colours[n], colours[ground])) < 3} == {}


@pytest.mark.parametrize("theme", THEMES)
def test_the_number_on_a_packet_can_be_read(theme):
    colours = THEMES[theme]
    for fill in ("reduce_text", "copy_text"):
        assert contrast(colours["on_packet"], colours[fill]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("eye", EYES)
def test_roles_stay_apart_for_every_eye(theme, eye):
    colours = THEMES[theme]
    near = {
        pair: d for pair in itertools.combinations(ROLES, 2) if (d := distance(*(colours[n] for n in pair), eye)) < 25
    }
    assert near == {}


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("eye", EYES)
def test_complete_stands_out_from_every_amount(theme, eye):
    colours = THEMES[theme]
    assert min(distance(colours["done"], amount, eye) for amount in colours["amount"]) >= 15


@pytest.mark.parametrize("theme", THEMES)
def test_complete_is_calm(theme):
    """In the end it fills the picture: no neon. Chroma in CIELAB; pure green has 120."""
    assert np.hypot(*lab(linear(THEMES[theme]["done"]))[1:]) <= 50


@pytest.mark.parametrize("theme", THEMES)
def test_more_contributions_are_further_from_the_background(theme):
    colours = THEMES[theme]
    steps = [contrast(colour, colours["background"]) for colour in (colours["empty"], *colours["amount"])]
    assert steps == sorted(steps)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("world_size", [2, 3, 8, CONTRIBUTORS])
def test_contributors_have_different_hues_that_can_be_seen(world_size, dark):
    hues = contributors(world_size, dark)
    assert len(set(hues)) == world_size
    ground = (DARK if dark else LIGHT)["background"]
    assert min(contrast(hue, ground) for hue in hues) >= 3


def test_oklch_knows_black_white_and_red():
    assert (oklch(0, 0, 0), oklch(1, 0, 0)) == ("#000000", "#ffffff")
    assert oklch(0.62796, 0.25768, 29.234) == "#ff0000"
