"""What a reader takes away: pictures, a film, a strip, a table, a page that plays offline."""

import base64
import csv
import io
import re

import pytest

from core.algorithms import ALGORITHMS
from core.figures.narrate import COLUMNS, rows
from core.figures.theme import DARK, LIGHT

pytestmark = pytest.mark.browser
READY = ".arl[data-ready]"
STAGE = "document.querySelector('.arl').arlPlayer"


def test_every_step_as_csv(explore, saved):
    page = explore("algorithm=halving_doubling&ranks=4")
    text = saved(page, "All steps (CSV)").read_text(encoding="utf-8")
    head, *body = csv.reader(io.StringIO(text))
    assert head == list(COLUMNS)
    assert body == [[str(cell) for cell in row] for row in rows(ALGORITHMS["halving_doubling"](4))]


STANDS_OUT = """(svg) => {
  const host = document.createElement('div');
  host.style.cssText = 'position: absolute; left: 0; top: 0';
  host.innerHTML = svg;
  document.body.append(host);
  const sheet = host.firstElementChild.getBoundingClientRect();
  const words = host.querySelectorAll(':scope > svg > text');
  const boxes = Array.from(words, (text) => text.getBoundingClientRect());
  host.remove();
  const furthest = (box) => Math.max(box.right - sheet.right, sheet.left - box.left, box.bottom - sheet.bottom);
  return Math.max(...boxes.map(furthest));
}"""


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_picture_says_what_it_shows_and_where_it_is_from(explore, width, theme, saved):
    query = f"algorithm=ring&ranks=8&net=Fat+tree,+three+levels&step=3&theme={theme}"
    page = explore(f"{query}&embed_options={theme}_theme", viewport={"width": width, "height": 800})
    svg = saved(page, "Picture (SVG)").read_text(encoding="utf-8")
    assert svg.count("<svg") == 4  # the sheet, network, buffers, space-time
    words = re.sub(r"\s+", " ", " ".join(re.findall(r"<text[^>]*>([^<]*)<", svg)))
    for said in ("ring, 8 ranks", "square = chunk", "row = rank", "a line is a message", "add (reduce)"):
        assert said in words
    for said in ("rank to leaf, 12.5 GB/s", "a pod of several racks", "of its bandwidth [simulated]"):
        assert said in words
    source = words[words.index("AllReduce Lab.") :]
    for said in ("after step 3 of", "67,108,864 bytes", "times: simulated", "network: fat tree of 8"):
        assert said in source
    assert {"light": LIGHT, "dark": DARK}[theme]["background"] in svg
    assert 'font-face{font-family:"Source Sans"' in svg
    assert page.evaluate(STANDS_OUT, svg) <= 0
    fallback = svg.replace("Source Sans", "a font that nobody has")
    assert page.evaluate(STANDS_OUT, fallback) <= 0, "a reader without the page's font sees all of it, too"


def test_pictures_as_pixels(explore, saved):
    page = explore("algorithm=ring&ranks=2")
    assert saved(page, "Picture (PNG)").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    gif = base64.b64encode(saved(page, "Animation (GIF)").read_bytes()).decode()
    frames, width, height = page.evaluate(
        """async (gif) => {
          const data = Uint8Array.from(atob(gif), (letter) => letter.charCodeAt(0));
          const decoder = new ImageDecoder({ data, type: 'image/gif' });
          await decoder.tracks.ready;
          await decoder.completed;
          const { frameCount } = decoder.tracks.selectedTrack;
          const { image } = await decoder.decode({ frameIndex: frameCount - 1 });
          return [frameCount, image.displayWidth, image.displayHeight];
        }""",
        gif,
    )
    assert frames == 2 * 4 + 1  # four pictures a step, and the end
    assert width > height > 300


def test_the_film_strip_prints_whole_rows(explore, saved):
    strip = saved(explore("algorithm=ring&ranks=4"), "Film strip to print").read_text(encoding="utf-8")
    assert "all 6 steps" in strip
    assert strip.count('class="row"') == 2  # seven pictures, six in a row
    assert "break-inside:avoid" in strip
    assert "complete (all 4)" in strip
    assert "Contributions are counted." in strip


def test_a_strip_too_fine_to_read_is_refused_in_a_sentence(explore):
    page = explore("algorithm=ring&ranks=64")
    page.locator(".arl-more summary").click()
    page.get_by_role("button", name="Film strip to print").click()
    page.get_by_text("That did not work: A film strip is legible up to 1024 cells").wait_for()


def test_the_animation_plays_offline(explore, chromium, saved):
    path = saved(explore("algorithm=ring&ranks=4"), "Animation, plays offline")
    asked = []
    context = chromium.new_context(offline=True)
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    copy = path.with_suffix(".html")
    copy.write_bytes(path.read_bytes())
    page.goto(copy.as_uri())
    page.wait_for_selector(READY)
    page.get_by_role("button", name="Last step").click()
    assert page.evaluate(f"() => [...new Set({STAGE}.lanes[0].replay.held)]") == [4]
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    context.close()
