// The pointer: resting on something tells what it is, a click keeps it.

import { describeTransfer } from "./describe.js";
import { run } from "./narrate.js";
import { vertexName } from "./trace.js";

/** @typedef {import("./views/view.js").Pick} Pick */

export class Pointing {
  /** @param {import("./stage.js").Stage} stage */
  constructor(stage) {
    this.stage = stage;
    this.tip = document.createElement("div");
    this.tip.className = "arl-tip";
    this.tip.hidden = true;
    stage.table.append(this.tip);
    stage.table.addEventListener("pointermove", (event) => event.pointerType !== "touch" && this.moved(event));
    stage.table.addEventListener("pointerleave", () => this.rest(null));
    stage.table.addEventListener("click", (event) => this.clicked(event));
  }

  /** @param {MouseEvent} event @returns {{pick: Pick, lane: import("./lane.js").Lane}|null} */
  under(event) {
    const deck = this.stage.decks.find((one) => one.view.element.contains(/** @type {Node} */ (event.target)));
    if (!deck) return null;
    const { left, top } = deck.view.element.getBoundingClientRect();
    const pick = deck.view.pick(event.clientX - left, event.clientY - top);
    return pick && { pick, lane: this.stage.lanes[deck.view.lane] ?? this.stage.lanes[0] };
  }

  /** @param {PointerEvent} event */
  moved(event) {
    const found = this.stage.conductor.playing ? null : this.under(event);
    this.rest(found && found.lane === this.stage.lanes[0] ? found.pick : null);
    this.tip.hidden = !found;
    if (!found) return;
    this.tip.textContent = this.say(found.pick, found.lane);
    const box = this.stage.table.getBoundingClientRect();
    const right = event.clientX - box.left > box.width / 2;
    this.tip.style.left = right ? "" : `${event.clientX - box.left + 14}px`;
    this.tip.style.right = right ? `${box.right - event.clientX + 14}px` : "";
    this.tip.style.top = `${event.clientY - box.top + 14}px`;
    if (!this.tip.isConnected) this.stage.table.append(this.tip);
  }

  /** @param {Pick|null} pick what every view marks */
  rest(pick) {
    this.tip.hidden = true;
    const before = this.stage.hover;
    if (before?.vertex === pick?.vertex && before?.slot === pick?.slot && before?.transfer === pick?.transfer) return;
    this.stage.hover = pick;
    if (!this.stage.conductor.playing) this.stage.playback.draw();
  }

  /** @param {Pick} pick @param {import("./lane.js").Lane} lane @returns {string} */
  say({ vertex, slot, transfer }, lane) {
    const { replay, trace } = lane;
    if (transfer !== undefined) return describeTransfer(lane, transfer, this.stage.conductor.clock);
    if (vertex === undefined) return "";
    if (slot === undefined) return vertexName(trace, vertex);
    return `${vertexName(trace, vertex)}, ${run(trace, slot, 1)}: ${replay.held[vertex * trace.slots + slot]} of ${trace.total[slot % trace.chunks]} contributions`;
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const found = this.under(event);
    if (!found || found.lane !== this.stage.lanes[0]) return;
    this.tip.hidden = true;
    const { vertex, slot, transfer } = found.pick;
    if (transfer === undefined && slot === undefined) this.stage.lookAs(/** @type {number} */ (vertex));
    else this.stage.choose(found.pick);
  }
}
