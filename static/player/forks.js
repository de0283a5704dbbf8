// What if: the reader's changes to the schedule, and what the proof says of them.

import { edited, stepOf, tell, verdict } from "./edits.js";
import { announce } from "./speech.js";
import { vertexName } from "./trace.js";

/** @typedef {import("./edits.js").Change} Change */

export class Forks {
  /** @param {import("./stage.js").Stage} stage */
  constructor(stage) {
    this.stage = stage;
    /** @type {string[]} */
    this.told = [];
    /** @type {Change[]} */
    this.changes = [];
    this.element = document.createElement("div");
    this.element.className = "arl-fork";
    this.element.hidden = true;
    this.element.innerHTML = `<p role="status"></p><button type="button">Undo</button>`;
    /** @type {HTMLElement} */ (this.element.querySelector("button")).addEventListener("click", () => this.undo());
  }

  /** @param {Change} change @returns {Promise<boolean>} can it be? */
  async make(change) {
    const { stage } = this;
    const { trace } = stage.lanes[0];
    const impossible = refuse(trace, change);
    if (impossible) {
      stage.inspector.show(impossible, change.transfer);
      return false;
    }
    this.told.push(tell(trace, change));
    this.changes.push(change);
    const step = stepOf(trace, change.transfer);
    const changed = { ...edited(trace, change), fault: null }; // what the proof said was about the original
    await stage.put(changed, step);
    const { right, text } = verdict(changed);
    const say = /** @type {HTMLElement} */ (this.element.querySelector("p"));
    say.innerHTML = "";
    const strong = document.createElement("strong");
    strong.className = right ? "arl-done" : "arl-fault";
    strong.textContent = `${right ? "✓" : "✗"} ${text}`;
    say.append(`What if, ${this.told.join("; ")}? `, strong);
    if (this.element.hidden) announce(say);
    this.element.hidden = false;
    stage.publisher.soon();
    await stage.rebuild();
    return true;
  }

  async undo() {
    const { stage } = this;
    const { step } = stage.conductor;
    this.forget();
    if (stage.original) await stage.put(stage.original, Math.min(step, stage.original.steps));
    stage.publisher.soon();
    stage.host.focus();
  }

  forget() {
    this.told = [];
    this.changes = [];
    this.element.hidden = true;
  }
}

/** @param {import("./trace.js").Trace} trace @param {Change} change @returns {string} why it cannot be, or "" */
function refuse(trace, { kind, transfer, to }) {
  if (transfer >= trace.src.length) return `There is no transfer ${transfer}.`;
  if (kind !== "redirect") return "";
  if (!Number.isInteger(to) || Number(to) < 0 || Number(to) >= trace.vertices) return `There is no rank ${to}: choose 0 to ${trace.vertices - 1}.`;
  if (to === trace.dst[transfer]) return `That is where it goes already: choose another than ${vertexName(trace, to)}.`;
  return to === trace.src[transfer] ? `Rank ${to} is the sender itself: choose another.` : "";
}
