// One rank's own life: what it holds, what it sends and receives in each step, what it waits for. Nobody is in charge.

import { escapeHtml } from "../pen.js";
import { run } from "../narrate.js";
import { levelColour, luminance } from "../palette.js";
import { show } from "../numbers.js";
import { ADD, countOf, vertexName } from "../trace.js";
import { View } from "./view.js";

const AROUND = 4; // steps shown before and after this one
const MOST_CELLS = 64;

export class RankView extends View {
  /** @param {(rank: number) => void} focus asks for another rank */
  constructor(focus) {
    super("rank", "My rank");
    this.element.classList.add("arl-scroll");
    this.element.tabIndex = 0;
    this.element.innerHTML = `<label class="arl-field">I am rank <input type="number" min="0" value="0"></label>
      <div class="arl-mine"></div><p class="arl-now"></p>
      <table><caption class="arl-hidden">What this rank does, step by step</caption><thead><tr><th scope="col">step</th><th scope="col">I send</th><th scope="col">I receive</th></tr></thead><tbody></tbody></table>`;
    this.input = /** @type {HTMLInputElement} */ (this.element.querySelector("input"));
    this.input.addEventListener("change", () => focus(Number(this.input.value)));
  }

  /** @param {import("./view.js").Scene} scene @param {number} height */
  async build(scene, height) {
    await super.build(scene, height);
    this.how = "only what one rank sees";
    this.element.setAttribute("aria-label", "My rank: what one rank holds, sends and receives");
    this.element.setAttribute("role", "region");
    this.input.max = String(scene.trace.ranks - 1);
    this.update();
  }

  update() {
    const { trace, focus, replay } = this.scene;
    if (document.activeElement !== this.input) this.input.value = String(focus);
    const step = Math.min(replay.step, trace.steps);
    /** @type {HTMLElement} */ (this.element.querySelector(".arl-mine")).innerHTML = this.cells();
    /** @type {HTMLElement} */ (this.element.querySelector(".arl-now")).textContent = this.now(step);
    const first = Math.max(0, Math.min(step - AROUND, trace.steps - 2 * AROUND - 1));
    const rows = [];
    for (let s = first; s < Math.min(trace.steps, first + 2 * AROUND + 1); s++) {
      const { sends, receives } = this.doings(s);
      rows.push(`<tr${s === step ? ' class="arl-current" aria-current="step"' : ""}><th scope="row">${s + 1}</th><td>${sends.join("<br>") || "–"}</td><td>${receives.join("<br>") || "–"}</td></tr>`);
    }
    /** @type {HTMLElement} */ (this.element.querySelector("tbody")).innerHTML = rows.join("");
  }

  /** @returns {string} my chunks as little squares */
  cells() {
    const { trace, replay, theme, focus } = this.scene;
    if (trace.slots > MOST_CELLS) {
      let done = 0;
      for (let c = 0; c < trace.chunks; c++) if (replay.complete(focus, c)) done++;
      return `I hold ${done} complete chunks of ${trace.chunks}.`;
    }
    return Array.from({ length: trace.slots }, (_, slot) => {
      const fill = levelColour(replay.level(focus, slot), theme);
      const ink = luminance(fill) > 0.3 ? "#1b2333" : "#ffffff";
      const held = replay.held[focus * trace.slots + slot];
      const text = replay.value && held ? show(replay.value[focus * trace.slots + slot]) : slot < trace.chunks ? slot : `s${slot - trace.chunks}`;
      return `<span style="background:${fill};color:${ink}" title="${run(trace, slot, 1)}: ${held} of ${trace.total[slot % trace.chunks]}">${text}</span>`;
    }).join("");
  }

  /** @param {number} s @returns {{sends: string[], receives: string[]}} */
  doings(s) {
    const { trace, focus } = this.scene;
    const sends = [];
    const receives = [];
    for (let i = trace.stepPtr[s]; i < trace.stepPtr[s + 1]; i++) {
      const kind = trace.op[i] === ADD ? "add" : "copy";
      const what = (/** @type {number} */ slot) => escapeHtml(run(trace, slot, countOf(trace, i)));
      if (trace.src[i] === focus) sends.push(`${what(trace.chunk[i])} → ${vertexName(trace, trace.dst[i])}`);
      if (trace.dst[i] === focus) receives.push(`${what(trace.into[i])} ← ${vertexName(trace, trace.src[i])}, <b class="arl-${kind}">${kind === "add" ? "+ add" : "= copy"}</b>`);
    }
    return { sends, receives };
  }

  /** @param {number} step @returns {string} what I do now, in words */
  now(step) {
    const { trace, focus, lane } = this.scene;
    if (step >= trace.steps) return "I am done.";
    const giving = new Set(lane.moving.filter((i) => trace.src[i] === focus).map((i) => vertexName(trace, trace.dst[i])));
    const taking = new Set(lane.moving.filter((i) => trace.dst[i] === focus).map((i) => vertexName(trace, trace.src[i])));
    if (!giving.size && !taking.size) return "Now: I wait; nothing goes to me or from me.";
    const parts = [giving.size ? `I send to ${[...giving].join(", ")}` : "I send nothing", taking.size ? `I wait for ${[...taking].join(", ")}` : "nothing comes to me"];
    return `Now: ${parts.join(", and ")}.`;
  }
}
