"""A link brings back everything that the reader saw: state, theme, and what was changed."""

import pytest

from core.figures.theme import DARK, LIGHT

pytestmark = pytest.mark.browser
READY = ".arl[data-ready]"
STAGE = "document.querySelector('.arl').arlPlayer"


def test_a_link_brings_everything_back(explore):
    page = explore("algorithm=ring&ranks=4")
    page.evaluate(
        f"""async () => {{
          const stage = {STAGE};
          stage.useSpeed(4);
          stage.conductor.loop = true;
          stage.useNumbers('own', '1 2 3 4\\n5\\n6\\n7');
          await stage.forks.make({{ kind: 'flip', transfer: 5 }});
          await stage.forks.make({{ kind: 'redirect', transfer: 9, to: 3 }});
          await stage.playback.jump(4);
          stage.useCritical(true);
          stage.load = true;
          stage.decks[1].choose('words');
          stage.words = 'table';
          stage.look(1, 2);
          stage.showMenu();
          stage.publisher.now();
        }}"""
    )
    everything = f"""() => {{
      const stage = {STAGE};
      const {{ conductor, values, forks, chosen, load, wantsCritical, words, focus, lanes }} = stage;
      const clock = [conductor.step, conductor.speed, conductor.loop];
      const state = [...clock, values, forks.told, chosen, load, wantsCritical, words];
      const inMenu = ['loop', 'load', 'critical'].map((name) => stage.menu.field(`[name=${{name}}]`).checked);
      return JSON.stringify([...state, focus, Array.from(lanes[0].replay.value), stage.controls.speed.value, inMenu]);
    }}"""
    before, seen = page.evaluate(everything), page.locator(".arl-told").inner_text()
    again = explore(page.url.split("?")[1])
    again.locator(".arl-fork").get_by_text("goes to rank 3 instead").wait_for()
    assert again.evaluate(everything) == before
    assert again.locator(".arl-told").inner_text() == seen
    assert again.locator(".arl-inspector").inner_text().startswith("rank 1, chunk 2")


def test_a_link_brings_back_a_moment_between_steps(explore):
    for query in ("clock=time&moment=30.5", "step=2&moment=0.4"):
        page = explore(f"algorithm=ring&ranks=4&size=1+MiB&{query}")
        position = page.evaluate(f"() => {STAGE}.conductor.position")
        assert position == pytest.approx(30.5e-6 if "clock" in query else 2.4)
        page.evaluate(f"() => {STAGE}.publisher.now()")
        assert query.split("&")[-1] in page.url


def test_a_link_that_makes_no_sense_shows_what_it_can(explore):
    nonsense = "fork=drop.999999_flip.1&cell=99.99&speed=7&values=1+x&show=all&told=song&moment=-3&loop=no&theme=pink"
    page = explore(f"algorithm=ring&ranks=4&step=2&{nonsense}")
    stage = page.evaluate(
        f"() => {{ const {{ conductor, values, forks, chosen, words }} = {STAGE};"
        "return [conductor.step, conductor.speed, values, forks.changes.length, chosen, words] }"
    )
    assert stage == [2, 1, "none", 0, {"vertex": 3, "slot": 3}, "full"]


@pytest.mark.parametrize("more", ["", "&embed=player"])
@pytest.mark.parametrize(("theme", "page_is"), [("dark", "light"), ("light", "dark"), ("dark", "dark")])
def test_a_link_brings_back_the_theme(explore, theme, page_is, more):
    page = explore(f"algorithm=ring&ranks=4&theme={theme}{more}", color_scheme=page_is)
    page.wait_for_function(f"document.querySelector('.arl')?.arlPlayer?.theme.dark === {str(theme == 'dark').lower()}")
    page.wait_for_selector(READY)
    body = page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    wanted = {"light": LIGHT, "dark": DARK}[theme]["background"]
    assert body == f"rgb({', '.join(str(int(wanted[k : k + 2], 16)) for k in (1, 3, 5))})", "the whole page, too"
    assert f"theme={theme}" in page.url


def test_the_menu_copies_a_link_with_the_theme(explore):
    page = explore(
        "algorithm=ring&ranks=4&step=3", color_scheme="dark", permissions=["clipboard-read", "clipboard-write"]
    )
    page.locator(".arl-more summary").click()
    page.get_by_role("button", name="Copy a link").click()
    page.get_by_text("Copied.").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    assert {"step=3", "theme=dark", "embed_options=dark_theme"} <= set(link.split("?")[1].split("&"))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_itself_shows_a_link_with_the_step_and_the_theme(explore, theme):
    page = explore("algorithm=ring&ranks=4", color_scheme=theme)
    page.evaluate(f"async () => {{ await {STAGE}.playback.jump(3); {STAGE}.publisher.now(); }}")
    page.get_by_text("Take it with you").click()
    link = page.locator("[data-testid=stCode]").filter(has_text="http").inner_text()
    assert {"ranks=4", "step=3", f"theme={theme}"} <= set(link.strip().split("?")[1].split("&"))
