"""The network picture, measured: nothing overlaps or sticks out, words fit, at every size, for every algorithm."""

import base64
import json

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.figures.player import pack_trace
from core.machines import MACHINES
from core.trace import lockstep
from tests.browser.scripts import STAGED

pytestmark = pytest.mark.browser
LAPTOP, PHONE, ZOOMED = (455, 400), (346, 330), (260, 280)  # pixels of the picture; zoomed: 200 % in two columns
CARDS = [8, 16]
MANY = [17, 32, 64, 96, 256, 1024]
SHAPES = [  # a ring, chords, boxes, a grid, trees of ranks and of switches, a crowd
    *("ring", "halving_doubling", "recursive_doubling", "hierarchical", "torus", "binomial_tree", "double_tree"),
    *("sharp", "nvls_tree", "switchml", "direct_all_to_all", "full_vector_ring"),
]

MEASURE = (
    "async ([data, sizes]) => {"
    + STAGED
    + """
  const { arrange } = await import("/views/lens.js");
  const { binAt } = await import("/layout.js");
  const { SvgPen } = await import("/pen.js");
  lane.goStep(Math.floor(trace.steps / 3), 0.5);
  const scene = { Plotly, lane, trace, theme, replay: lane.replay, focus: 0, chosen: null, history: null, hover: null };
  const told = [];
  for (const [width, height] of sizes) {
    const view = new NetworkView();
    view.element.style.width = `${width}px`;
    document.body.replaceChildren(view.element);
    await view.build(scene, height);
    const l = view.layout;
    const { left, top } = view.element.getBoundingClientRect();
    const words = [...view.element.querySelectorAll("svg text")].filter((t) => t.textContent).map((t) => {
      const r = t.getBoundingClientRect();
      return { text: t.textContent, x0: r.left - left, y0: r.top - top, x1: r.right - left, y1: r.bottom - top };
    });
    const [w, h] = [l.cardWidth, l.cardHeight];
    const marks = Array.from(l.x, (x, v) => ({ x0: x - w / 2, y0: l.y[v] - h / 2, x1: x + w / 2, y1: l.y[v] + h / 2 }));
    const places = (v) => Array.from({ length: l.bins.count }, (_, bin) => binAt(l, v, bin));
    const cells = l.kind === "cards" ? Array.from(l.x, (_, v) => places(v)) : [];
    let lens = null;
    if (l.lens) {
      const { cast, left, top, w, h, cell } = arrange(scene, l.lens);
      lens = { cell, cards: cast.map((_, k) => ({ x0: left(k), y0: top, x1: left(k) + w, y1: top + h })) };
    }
    const c = document.createElement("canvas").getContext("2d");
    c.font = `13px ${theme.font}`;
    const pen = new SvgPen();
    view.paint(pen);
    const frame = pen.parts.length;
    view.paintStill(pen);
    const nonsense = pen.parts.filter((part) => /NaN|undefined|Infinity|null/.test(part));
    const { mark, cell, bins, band } = l;
    const how = { how: view.how, howWide: c.measureText(view.how).width };
    const cost = { frame, step: pen.parts.length - frame, nonsense };
    told.push({ width, height, mark, cell, bins: bins.count, words, marks, cells, lens, band, ...how, ...cost });
    view.destroy();
  }
  return JSON.stringify(told);
}"""
)


@pytest.fixture(scope="module")
def measured(chromium, modules):
    page = chromium.new_page()
    page.goto(f"{modules}/blank")
    page.add_style_tag(url=f"{modules}/player.css")

    def measure(name, world_size, sizes):
        algorithm = ALGORITHMS[name]
        trace = lockstep(algorithm(world_size), 1 << 20, MACHINES["400 Gb InfiniBand"])
        data = base64.b64encode(pack_trace(trace, algorithm.collective)).decode()
        return json.loads(page.evaluate(MEASURE, [data, sizes]))

    yield measure
    page.close()


def overlap(one, other, slack=0.5):
    return (
        min(one["x1"], other["x1"]) - max(one["x0"], other["x0"]) > slack
        and min(one["y1"], other["y1"]) - max(one["y0"], other["y0"]) > slack
    )


def inside(box, outer, slack=1.0):
    return (
        box["x0"] >= outer["x0"] - slack
        and box["y0"] >= outer["y0"] - slack
        and box["x1"] <= outer["x1"] + slack
        and box["y1"] <= outer["y1"] + slack
    )


def apart(boxes):
    ordered = sorted(boxes, key=lambda box: box["x0"])
    for k, one in enumerate(ordered):
        for other in ordered[k + 1 :]:
            if other["x0"] >= one["x1"]:
                break
            if overlap(one, other):
                return False
    return True


def discs_apart(boxes):
    middles = np.array([[box["x0"] + box["x1"], box["y0"] + box["y1"]] for box in boxes]) / 2
    gaps = np.linalg.norm(middles[:, None] - middles, axis=2) + 1e9 * np.eye(len(boxes))
    return gaps.min() >= boxes[0]["x1"] - boxes[0]["x0"]


def faults(picture):
    """What is wrong with a picture, in words."""
    pane = {"x0": 0, "y0": 0, "x1": picture["width"], "y1": picture["height"]}
    wrong = [f"{word['text']!r} is cut" for word in picture["words"] if not inside(word, pane)]
    wrong += picture["nonsense"][:2]
    if not all(inside(mark, pane) for mark in picture["marks"]):
        wrong.append("a mark sticks out")
    if not (discs_apart if picture["mark"] == "gauge" else apart)(picture["marks"]) and picture["mark"] != "band":
        wrong.append("two marks overlap")
    if not apart(picture["words"]):
        wrong.append("two words overlap")
    if picture["mark"] == "card":
        wrong += _faults_of_cards(picture)
    elif picture["mark"] == "gauge":
        wrong += [
            f"{word['text']} lies on a mark"
            for word in picture["words"]
            for mark in picture["marks"]
            if overlap(word, mark, slack=2)
        ]
    if picture["lens"]:
        wrong += _faults_of_lens(picture, pane)
    return wrong


def _faults_of_cards(picture):
    wrong, half = [], picture["cell"] / 2
    for mark, cells in zip(picture["marks"], picture["cells"]):
        boxes = [{"x0": x - half, "y0": y - half, "x1": x + half, "y1": y + half} for x, y in cells]
        if not all(inside(box, mark) for box in boxes):
            wrong.append("a cell sticks out of its card")
        names = [word for word in picture["words"] if overlap(word, mark)]
        if len(names) != 1 or not inside(names[0], mark, slack=2):
            wrong.append(f"a card has the names {[word['text'] for word in names]}")
        elif any(overlap(names[0], box, slack=2.5) for box in boxes):
            wrong.append(f"{names[0]['text']} lies on a cell")
    return wrong


def _faults_of_lens(picture, pane):
    cards = picture["lens"]["cards"]
    wrong = [] if apart(cards) and all(inside(card, pane) for card in cards) else ["the lens overlaps itself"]
    if picture["mark"] != "band":
        on = [mark for mark in picture["marks"] for card in cards if overlap(mark, card)]
        return wrong + (["the lens lies on a mark"] if on else [])
    edge = [{"x0": x, "y0": y, "x1": x, "y1": y} for x, y in picture["band"]["inner"]]
    on = [point for point in edge for card in cards if overlap(point, card, slack=-1)]
    return wrong + (["the lens lies on the band"] if on else [])


def allowed(world_size, names=ALGORITHMS):
    return [name for name in names if not ALGORITHMS[name].refuse(world_size)]


@pytest.mark.parametrize("world_size", CARDS)
def test_every_algorithm_has_clear_cards(measured, world_size):
    seen, wrong = 0, {}
    for name in allowed(world_size):
        for picture in measured(name, world_size, [LAPTOP, PHONE, ZOOMED]):
            seen += 1
            if found := faults(picture):
                wrong[name, picture["width"]] = sorted(set(found))
            if picture["mark"] != "card" and picture["width"] >= PHONE[0]:
                wrong[name, picture["width"]] = [f"no cards but {picture['mark']}"]
    assert wrong == {}
    assert seen > 200


@pytest.mark.parametrize("world_size", MANY)
def test_many_ranks_are_clear_too(measured, world_size):
    wrong = {}
    for name in allowed(world_size, SHAPES[: 4 if world_size > 256 else 10 if world_size > 64 else None]):
        for picture in measured(name, world_size, [LAPTOP, PHONE]):
            if found := faults(picture):
                wrong[name, picture["width"]] = sorted(set(found))[:5]
    assert wrong == {}


def test_the_judge_sees_faults(measured):
    (picture,) = measured("ring", 16, [LAPTOP])
    assert faults(picture) == []
    picture["marks"][3] = picture["marks"][2]
    picture["words"][5] |= {"x0": -9}
    assert set(faults(picture)) >= {"two marks overlap", "'rank 5' is cut"}


def test_16_ranks_can_be_read_on_a_laptop(measured):
    cells = {name: measured(name, 16, [LAPTOP])[0]["cell"] for name in ("ring", "halving_doubling", "torus")}
    assert min(cells.values()) >= 12, cells
    for name in ("torus", "direct_all_to_all", "bruck_all_to_all"):
        assert measured(name, 16, [LAPTOP])[0]["bins"] <= 25, name


@pytest.mark.parametrize("world_size", [8, 16, 32, 64, 256])
def test_how_to_read_it_fits_beside_the_title(measured, world_size):
    for name in allowed(world_size, SHAPES[:10]):
        (picture,) = measured(name, world_size, [LAPTOP])
        assert picture["howWide"] <= 350, (name, picture["how"])


@pytest.mark.parametrize(
    ("name", "world_size", "frame", "step"),  # at most so many strokes of the pen in every frame, and in every step
    [
        ("ring", 16, 60, 120),
        ("ring", 64, 150, 1500),
        ("direct", 64, 300, 2000),
        ("ring", 256, 10, 4000),
        ("ring", 1024, 10, 4000),
        ("hierarchical", 1024, 10, 18_000),
    ],
)
def test_a_picture_takes_few_strokes(measured, name, world_size, frame, step):
    (picture,) = measured(name, world_size, [LAPTOP])
    assert 0 < picture["frame"] <= frame
    assert world_size < picture["step"] <= step


def test_squares_that_stand_for_several_chunks_say_so(measured):
    (picture,) = measured("direct_all_to_all", 16, [LAPTOP])
    assert "square = 16 chunks" in picture["how"]
    assert "pale = other ranks" in picture["how"]
    (picture,) = measured("ring", 16, [LAPTOP])
    assert "square = chunk" in picture["how"]
    assert "pale" not in picture["how"]
