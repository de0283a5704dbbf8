// What the reader points at, in words; and, for a transfer, what could go differently.

import { describeCell, describeTransfer } from "./describe.js";
import { announce } from "./speech.js";

/** @typedef {import("./edits.js").Change} Change */

export class Inspector {
  /** @param {{close: () => void, change: (change: Change) => void}} asked */
  constructor(asked) {
    this.element = document.createElement("div");
    this.element.className = "arl-inspector";
    this.element.hidden = true;
    this.element.innerHTML = `<p role="status"></p><div class="arl-change" role="group" aria-label="What if this transfer">
      <span>What if it</span> <button type="button" data-kind="drop">is dropped</button> <button type="button" data-kind="delay">comes a step later</button>
      <button type="button" data-kind="flip"></button> <label>goes to rank <input type="number" min="0" aria-label="goes to rank"></label> <button type="button" data-kind="redirect">send there</button></div>
      <button type="button" class="arl-close" aria-label="Close">×</button>`;
    this.text = /** @type {HTMLElement} */ (this.element.querySelector("p"));
    this.changes = /** @type {HTMLElement} */ (this.element.querySelector(".arl-change"));
    this.target = /** @type {HTMLInputElement} */ (this.element.querySelector("input"));
    /** @type {number|null} */
    this.transfer = null;
    this.element.addEventListener("click", (event) => {
      const button = /** @type {HTMLElement} */ (event.target).closest("button");
      if (!button) return;
      if (button.classList.contains("arl-close")) asked.close();
      else if (this.transfer !== null) asked.change({ kind: /** @type {Change["kind"]} */ (button.dataset.kind), transfer: this.transfer, to: Number(this.target.value) });
    });
  }

  /** @param {import("./replay.js").Replay} replay @param {{vertex: number, slot: number}} cell @param {import("./history.js").History} history */
  showCell(replay, { vertex, slot }, history) {
    this.show(describeCell(replay, vertex, slot, history), null);
  }

  /** @param {import("./lane.js").Lane} lane @param {number} i @param {boolean} clock is time real? */
  showTransfer(lane, i, clock) {
    this.show(describeTransfer(lane, i, clock), i);
    const { trace } = lane;
    /** @type {HTMLElement} */ (this.element.querySelector("[data-kind=flip]")).textContent = trace.op[i] ? "is copied, not added" : "is added, not copied";
    this.target.max = String(trace.vertices - 1);
    this.target.value = String((trace.dst[i] + 1) % trace.ranks);
  }

  /** @param {string} text @param {number|null} transfer */
  show(text, transfer) {
    this.text.textContent = text;
    this.transfer = transfer;
    this.changes.hidden = transfer === null;
    if (this.element.hidden) announce(this.text);
    this.element.hidden = false;
  }

  hide() {
    const inside = this.element.contains(document.activeElement);
    this.element.hidden = true;
    if (inside) /** @type {HTMLElement|null} */ (this.element.closest(".arl"))?.focus(); // the focus does not fall off the page
  }
}
