// Where the proof says that a schedule goes wrong: its sentence, a way there, a mark on the scrubber.

import { element } from "./dom.js";

/** @typedef {import("./trace.js").Trace} Trace */
export class Mistake {
  /** @param {HTMLElement} scrubber @param {(step: number) => void} seek */
  constructor(scrubber, seek) {
    this.step = 0;
    this.trace = /** @type {Trace|null} */ (null);
    this.element = element("div", "arl-mistake");
    this.element.hidden = true;
    this.said = element("p", "arl-fault");
    this.button = this.to(seek, "Go to the mistake", "");
    this.element.append(this.said, this.button);
    this.mark = this.to(seek, "×", "arl-mistake-mark");
    scrubber.append(this.mark);
  }

  /** @param {(step: number) => void} seek @param {string} text @param {string} className */
  to(seek, text, className) {
    const button = /** @type {HTMLButtonElement} */ (element("button", className));
    button.type = "button";
    button.textContent = text;
    button.addEventListener("click", () => seek(this.step));
    return button;
  }

  /** @param {Trace} trace */
  show(trace) {
    const { fault } = trace;
    this.trace = trace;
    this.element.hidden = !fault;
    this.button.hidden = this.mark.hidden = fault?.step == null;
    if (!fault) return;
    this.said.textContent = `✗ ${fault.sentence}`;
    this.step = fault.step ?? 0;
    this.mark.title = `Go to the mistake, step ${this.step + 1}`;
    this.mark.setAttribute("aria-label", this.mark.title);
    this.place();
  }

  /** @param {number} [end] seconds, when the scrubber shows real time */
  place(end) {
    if (!this.trace?.fault) return;
    const part = end ? (this.trace.stepStart[this.step] ?? end) / end : this.step / Math.max(this.trace.steps, 1);
    this.mark.style.setProperty("--arl-part", `${part}`);
  }
}
