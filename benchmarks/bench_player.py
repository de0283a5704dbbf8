"""How fast the player is: starts the app, drives it in Chromium, prints a table of measured against budget.

python benchmarks/bench_player.py [--quick] [--switches 200]     (a quiet machine gives the fairest numbers)
python benchmarks/bench_player.py --messages "algorithm=ring&ranks=64"      (what the first load of a page consists of)
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.measuring import (  # noqa: E402
    BUDGETS,
    READY,
    RERUN_KIB,
    SAY_STEP,
    SEEK,
    STEP,
    first_load,
    frame_rate,
    kib,
    listed,
    opened,
    players,
    to_painted,
)

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
rows: list[tuple[str, float, float, str, bool]] = []


def note(what: str, measured: float, budget: float, unit: str, at_least: bool = False) -> None:
    rows.append((what, measured, budget, unit, measured >= budget if at_least else measured <= budget))
    print(f"  {what}: {measured:,.1f} {unit}", flush=True)


class App:
    """The running app."""

    def __enter__(self) -> App:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        begun = time.perf_counter()
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
        self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.url = f"http://127.0.0.1:{port}"
        while True:
            try:
                urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1).close()
                break
            except OSError:
                if time.perf_counter() - begun > 30 or self.process.poll() is not None:
                    raise SystemExit("the app did not start: run `streamlit run app.py` to see why") from None
                time.sleep(0.02)
        self.health = time.perf_counter() - begun
        return self

    def __exit__(self, *_) -> None:
        self.process.terminate()
        self.process.wait(10)

    def cpu(self) -> float:
        """Seconds of processor that the server has used, as Linux counts them."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def load(app: App, browser) -> None:
    """Page ready with an empty cache, bytes of the first load and of a rerun, server CPU of a rerun."""
    times = []
    for _ in range(3):
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        times.append(opened(context.new_page(), app.url)[0])
        context.close()
    note("page ready, empty cache", statistics.median(times), 4, "s")
    for ranks, budget in BUDGETS.items():
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        page = context.new_page()
        _, received = opened(page, f"{app.url}/?algorithm=ring&ranks={ranks}")
        page.wait_for_timeout(700)
        note(f"the player's message, {ranks} ranks", sum(map(len, players(received))), budget.nbytes, "B")
        note(f"all websocket bytes, first load, {ranks} ranks", sum(map(len, received)), budget.nbytes, "B")
        if ranks == 64:
            rerun(app, page, received)
        context.close()


def rerun(app: App, page: Page, received: list[bytes]) -> None:
    page.wait_for_timeout(500)
    before, cpu, reruns = len(received), app.cpu(), 10
    for _ in range(reruns):
        page.evaluate(SAY_STEP)
        page.wait_for_timeout(250)
    note("websocket bytes, rerun, same trace", kib(received[before:]) / reruns, RERUN_KIB, "KiB")
    note("server CPU, rerun, same trace", 1000 * (app.cpu() - cpu) / reruns, 15, "ms")


def play(app: App, browser, ranks: int, seconds: float) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    opened(page, f"{app.url}/?algorithm=ring&ranks={ranks}&step={ranks // 2}")
    page.wait_for_timeout(500)
    page.evaluate("() => document.querySelector('.arl').arlPlayer.playback.play()")
    budget = BUDGETS[ranks]
    note(f"frames a second, {ranks} ranks, 1x", frame_rate(page, seconds), budget.fps, "fps", True)
    page.evaluate("() => { document.querySelector('.arl').arlPlayer.conductor.speed = 16 }")
    note(f"frames a second, {ranks} ranks, 16x", frame_rate(page, seconds), 30, "fps", True)
    page.evaluate("() => document.querySelector('.arl').arlPlayer.playback.pause()")
    note(f"step to painted, {ranks} ranks", to_painted(page, STEP), budget.step, "ms")
    note(f"seek to painted, {ranks} ranks", to_painted(page, SEEK), budget.seek, "ms")
    context.close()


def change(app: App, browser, ranks: int, algorithm: str = "ring") -> None:
    """Type another number of ranks: from Enter to painted."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    opened(page, f"{app.url}/?algorithm={algorithm}&ranks={ranks - 8}")
    field, times = page.get_by_label("Ranks", exact=True), []
    for count in (ranks - 1, ranks - 2, ranks - 3):
        before = page.get_attribute(".arl", "data-ready")
        field.fill(str(count))
        begun = time.perf_counter()
        field.press("Enter")
        page.wait_for_function(
            "(before) => document.querySelector('.arl')?.dataset.ready !== before", arg=before, timeout=60_000
        )
        times.append(time.perf_counter() - begun)
    note(
        f"control change to painted, {algorithm}, {ranks} ranks",
        1000 * statistics.median(times),
        BUDGETS[ranks].change,
        "ms",
    )
    context.close()


def memory(app: App, browser, switches: int) -> None:
    """The heap of the tab after going to another page and back, many times."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    opened(page, app.url)
    heap = page.context.new_cdp_session(page)
    links = page.locator("[data-testid=stSidebarNavLink]")
    sizes = []
    for turn in range(switches + 1):
        if turn:
            links.nth(1 if turn % 2 else 0).click()
            page.wait_for_timeout(250)
        if turn in (switches // 4 * 2, switches // 2 * 2):
            page.wait_for_selector(READY)
            heap.send("HeapProfiler.collectGarbage")
            sizes.append(heap.send("Runtime.getHeapUsage")["usedSize"] / 2**20)
    note(f"heap growth in the second half of {switches} page switches", sizes[-1] - sizes[0], 5, "MiB")
    page.context.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer sizes, shorter plays")
    parser.add_argument("--switches", type=int, default=200, help="page switches of the memory test; 0 leaves it out")
    parser.add_argument("--messages", metavar="QUERY", help="only list the messages of the first load of this address")
    asked = parser.parse_args()
    if asked.messages is not None:
        with App() as app:
            received = first_load(app.url, asked.messages)
        print(f"{listed(received)}\n{sum(map(len, received)):7,}  in {len(received)} messages")
        return
    with App() as app, sync_playwright() as playwright:
        note("health after start", app.health, 1.5, "s")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        load(app, browser)
        for ranks in (64, 1024) if asked.quick else (64, 256, 1024):
            play(app, browser, ranks, 2 if asked.quick else 5)
        for ranks in (64, 256, 1024):
            change(app, browser, ranks)
        for algorithm in ("direct", "halving_doubling", "hierarchical", "double_tree"):
            change(app, browser, 256, algorithm)
        if asked.switches:
            memory(app, browser, asked.switches)
        browser.close()
    width = max(len(what) for what, *_ in rows)
    print(f"\n{'':{width}}  {'measured':>10}  {'budget':>8}")
    for what, measured, budget, unit, kept in rows:
        print(f"{what:{width}}  {measured:10,.1f}  {budget:8,.1f} {unit:4} {'' if kept else '  over budget'}")


if __name__ == "__main__":
    main()
