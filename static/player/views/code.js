// The algorithm's own source, with the line that made the current step lit.

import { escapeHtml } from "../pen.js";
import { View } from "./view.js";

export class CodeView extends View {
  constructor() {
    super("code", "Code");
    this.element.classList.add("arl-scroll", "arl-code");
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "region");
    this.element.setAttribute("aria-label", "Code: the algorithm's source");
  }

  /** @param {import("./view.js").Scene} scene @param {number} height */
  async build(scene, height) {
    await super.build(scene, height);
    const { source, lines } = scene.trace;
    this.how = lines ? "the lit line makes this step" : "the algorithm's source";
    const rows = source.split("\n").map((line, k) => `<code data-line="${k}">${highlight(line) || " "}</code>`);
    this.element.innerHTML = source ? `<pre>${rows.join("")}</pre>` : "<p>This trace came without its algorithm's source.</p>";
    this.update();
  }

  update() {
    const { trace, replay } = this.scene;
    this.element.querySelector(".arl-lit")?.classList.remove("arl-lit");
    const line = trace.lines && replay.step < trace.steps ? trace.lines[replay.step] : -1;
    const row = /** @type {HTMLElement|null} */ (this.element.querySelector(`[data-line="${line}"]`));
    if (!row) return;
    row.classList.add("arl-lit");
    const [top, bottom] = [row.offsetTop - this.element.scrollTop, row.offsetTop - this.element.scrollTop + row.offsetHeight];
    if (top < 0 || bottom > this.height) this.element.scrollTop = row.offsetTop - this.height / 2;
  }
}

const WORDS = /("""[^]*?"""|"[^"]*"|#.*$)|\b(def|for|in|yield|from|return|if|else|elif|while|import|range|not|and|or|lambda|True|False|None)\b/g;

/** @param {string} line of Python @returns {string} HTML */
function highlight(line) {
  let [out, at] = ["", 0];
  for (const match of line.matchAll(WORDS)) {
    out += escapeHtml(line.slice(at, match.index));
    out += match[1] ? `<i>${escapeHtml(match[1])}</i>` : `<b>${escapeHtml(match[2])}</b>`;
    at = match.index + match[0].length;
  }
  return out + escapeHtml(line.slice(at));
}
