"""How the player is measured in a browser, and its budgets: for the benchmark, and for the test that guards them."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

READY = ".arl[data-ready]"
GZIP = b"\x1f\x8b\x08"  # how the player's own bytes begin
FRAMES = """(ms) => new Promise((done) => {
  let frames = 0; const from = performance.now();
  const next = (now) => {
    frames++;
    now - from < ms ? requestAnimationFrame(next) : done((frames * 1000) / (now - from));
  };
  requestAnimationFrame(next); })"""
PAINTED = """async (code) => { const stage = document.querySelector('.arl').arlPlayer; const from = performance.now();
  await new Function('stage', 'return ' + code)(stage);
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return performance.now() - from; }"""
SAY_STEP = (
    "() => document.querySelector('.arl').arlPlayer.publisher.component.setStateValue('at', 'x:' + Math.random())"
)
STEP = "stage.playback.act('forward')"
SEEK = "stage.playback.jump(Math.floor(Math.random() * stage.original.steps))"


@dataclass(frozen=True)
class Budget:
    """What a reader may expect at some number of ranks."""

    nbytes: int  # through the websocket until the page stands
    fps: float  # at speed 1x
    step: float  # ms from a step to painted
    seek: float  # ms
    change: float  # ms from another number of ranks to painted


RERUN_KIB = 6  # through the websocket when the page runs again and the trace is the same
BUDGETS = {
    8: Budget(10_000, 55, 80, 150, 400),
    64: Budget(10_000, 55, 80, 150, 400),
    256: Budget(20_000, 50, 80, 150, 400),
    1024: Budget(100_000, 40, 120, 250, 1000),
}


def opened(page: Page, url: str) -> tuple[float, list[bytes]]:
    """Seconds until the player is painted, and a list that goes on receiving the websocket's messages."""
    received: list[bytes] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda data: received.append(data)))
    begun = time.perf_counter()
    page.goto(url)
    page.wait_for_selector(READY, timeout=60_000)
    return time.perf_counter() - begun, received


def first_load(url: str, query: str) -> list[bytes]:
    """All that the server sends for a page that nobody has opened before, as a browser gets it; it needs none."""
    from streamlit.proto.BackMsg_pb2 import BackMsg
    from websockets.sync.client import connect

    asked, received = BackMsg(), []
    asked.rerun_script.query_string = query
    place = f"{url.replace('http', 'ws', 1)}/_stcore/stream"
    with connect(place, subprotocols=["streamlit"], max_size=None, compression=None) as server:
        server.send(asked.SerializeToString())
        while not received or _kind(received[-1]) != "script_finished":
            received.append(server.recv(timeout=120))
    return received


def listed(received: list[bytes]) -> str:
    """A line for each message, the largest first: its bytes and what it is."""
    lines = sorted(((len(message), _kind(message)) for message in received), reverse=True)
    return "\n".join(f"{size:7,}  {kind}" for size, kind in lines)


def _kind(message: bytes) -> str:
    """What a message is: for an element, which and where on the page."""
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

    told = ForwardMsg.FromString(message)
    if told.WhichOneof("type") != "delta":
        return told.WhichOneof("type")
    inside = getattr(told.delta, told.delta.WhichOneof("type"))
    what = inside.WhichOneof("type") if inside.DESCRIPTOR.oneofs_by_name.get("type") else inside.DESCRIPTOR.name
    return f"{what} {list(told.metadata.delta_path)}"


def kib(received: list[bytes]) -> float:
    return sum(map(len, received)) / 1024


def players(received: list[bytes]) -> list[bytes]:
    """The messages that carry a trace."""
    return [message for message in received if GZIP in message]


def frame_rate(page: Page, seconds: float) -> float:
    """Frames a second that the browser manages now."""
    return page.evaluate(FRAMES, 1000 * seconds)


def to_painted(page: Page, code: str, times: int = 11) -> float:
    """Milliseconds until what `code` does to the stage is painted; the median."""
    return statistics.median(page.evaluate(PAINTED, code) for _ in range(times))
