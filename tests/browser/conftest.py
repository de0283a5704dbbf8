"""A Chromium that may only talk to this computer, a server for the player's modules, and the running app."""

import functools
import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import plotly
import pytest

from core.figures.theme import DARK, LIGHT

ROOT = Path(__file__).resolve().parents[2]
PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
QUIET += ["--disable-component-update", "--disable-sync"]
STREAMLIT_OWN = re.compile(
    r"Download the React DevTools|was preloaded using link preload|WebSocket|componentWillUpdate"
)
PROBES = re.compile(r"/\w+/_stcore/(health|host-config)$")  # below a page's own address it asks there first


@pytest.fixture(scope="session")
def chromium(without):
    try:
        from playwright import sync_api
    except ImportError:
        without("playwright is not installed: pip install -r requirements-dev.txt")
    with sync_api.sync_playwright() as playwright:
        found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
        try:
            browser = playwright.chromium.launch(executable_path=found, args=QUIET)
        except sync_api.Error as problem:
            without(f"no Chromium here: install one, or run `playwright install chromium` ({problem})")
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def contexts(chromium):
    """One browser context for each set of options, kept for all tests: what is loaded once stays in its cache."""
    made = {}

    def context(**options):
        key = repr(sorted(options.items()))
        if key not in made:
            made[key] = chromium.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
        return made[key]

    yield context
    for one in made.values():
        one.close()


@pytest.fixture
def open_page(contexts):
    """open_page(url, **context options) -> page; the test fails on a console error or a request to elsewhere."""
    pages, complaints = [], []

    def opened(url, **options):
        page = contexts(**options).new_page()
        pages.append(page)
        page.set_default_timeout(20_000)
        page.on("console", lambda m: _is_trouble(m) and complaints.append(m.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda r: _is_elsewhere(r.url) and complaints.append(f"request to {r.url}"))
        page.goto(url)
        return page

    opened.complaints = complaints
    yield opened
    for page in pages:
        page.close()
    assert complaints == []


def _is_trouble(message):
    known = STREAMLIT_OWN.search(message.text) or PROBES.search(message.location["url"])
    return message.type == "error" and not known


def _is_elsewhere(url):
    return not re.match(r"(https?|wss?)://(127\.0\.0\.1|localhost)[:/]|data:|blob:|about:|file:", url)


@pytest.fixture(scope="session")
def modules():
    """The address of static/player, served as plain files with a blank page beside them."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript"}

        def log_message(self, *_):
            pass

        def do_GET(self):
            made = {"/blank": (b"<!doctype html><title>blank</title><link rel=icon href=data:,>", "text/html")}
            made["/vendor/player.css"] = ((ROOT / "static/player/player.css").read_bytes(), "text/css")
            made["/vendor/plotly.js"] = (PLOTLY.read_bytes(), "text/javascript")
            made["/vendor/themes.json"] = (json.dumps({"light": LIGHT, "dark": DARK}).encode(), "application/json")
            if self.path not in made:
                return super().do_GET()
            body, kind = made[self.path]
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(body)

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=ROOT / "static" / "player")
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


@pytest.fixture(scope="session")
def app():
    """The address of the running app."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        "app.py",
        "--server.port",
        str(port),
        "--server.headless",
        "true",
    ]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{address}/_stcore/health", server)
        yield address
    finally:
        server.terminate()
        server.wait(10)


@pytest.fixture
def explore(app, open_page):
    """explore(query, **context options) -> the page Explore, its player ready."""

    def opened(query="algorithm=ring&ranks=4", **options):
        page = open_page(f"{app}/?{query}", **options)
        page.wait_for_selector(".arl[data-ready]")
        return page

    return opened


@pytest.fixture
def saved():
    """saved(page, label) -> the path of the file that this button of the player's menu gives."""

    def save(page, label):
        if not page.locator(".arl-menu").is_visible():
            page.locator(".arl-more summary").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=label).click()
        return download.value.path()

    return save


def _wait_for(url, server, seconds=30):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        assert server.poll() is None, "the app ended before it answered"
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"the app did not answer within {seconds} s")
