// All the steps side by side, still: who holds how much after each, and what was written.

import { levelColour } from "../palette.js";
import { CanvasPen, SvgPen } from "../pen.js";
import { eachChunk, Replay } from "../replay.js";
import { ADD, phaseOf } from "../trace.js";
import { View } from "./view.js";

const MOST_FRAMES = 48;
const MOST_CELLS = 1024; // in one frame
const [FRAME, HEAD, GAP] = [132, 18, 14];
const ACROSS = 6; // frames in a row of a page

export class FilmstripView extends View {
  constructor() {
    super("filmstrip", "Film strip");
    this.element.classList.add("arl-scroll", "arl-strip");
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "region");
  }

  /** @param {import("./view.js").Scene} scene @param {number} height */
  async build(scene, height) {
    await super.build(scene, height);
    const { trace } = scene;
    const steps = framesOf(trace);
    const skipped = steps.length <= trace.steps ? `; every ${Math.ceil((trace.steps + 1) / MOST_FRAMES)}th step` : "";
    this.how = !legible(trace) ? "" : `the state after each step; row = rank, column = chunk${skipped}`;
    this.element.setAttribute("aria-label", `Film strip: ${this.how}`);
    if (!legible(trace)) {
      this.element.innerHTML = `<p>${refusal(trace)}</p>`;
      return;
    }
    this.element.innerHTML = `<div class="arl-frames"></div>`;
    const frames = /** @type {HTMLElement} */ (this.element.querySelector("div"));
    frames.style.width = `${steps.length * (FRAME + GAP)}px`;
    frames.style.height = `${frameHeight(trace)}px`;
    paintStrip(new CanvasPen(frames, steps.length * (FRAME + GAP), frameHeight(trace)), trace, scene.theme, steps);
    this.update();
  }

  update() {
    const at = framesOf(this.scene.trace).findIndex((s) => s >= this.scene.replay.step);
    const left = at * (FRAME + GAP);
    if (left < this.element.scrollLeft || left + FRAME > this.element.scrollLeft + this.width) this.element.scrollLeft = left - this.width / 2;
  }
}

/** @param {import("../trace.js").Trace} trace @returns {boolean} */
const legible = (trace) => trace.vertices * trace.slots <= MOST_CELLS;

/** @param {import("../trace.js").Trace} trace @returns {string} */
const refusal = (trace) => `A film strip is legible up to ${MOST_CELLS} cells; this has ${trace.vertices * trace.slots}. Choose fewer ranks.`;

/** @param {import("../trace.js").Trace} trace @returns {number[]} the steps that get a frame */
function framesOf(trace) {
  const every = Math.ceil((trace.steps + 1) / MOST_FRAMES);
  return Array.from({ length: trace.steps + 1 }, (_, s) => s).filter((s) => s % every === 0 || s === trace.steps);
}

/** @param {import("../trace.js").Trace} trace */
const frameHeight = (trace) => HEAD + Math.min(260, Math.max(60, trace.vertices * 16));

/** @param {string} text as much of it as stands above a frame */
const shortened = (text) => (text.length > 22 ? `${text.slice(0, 21)}…` : text);

/**
 * @param {import("../pen.js").Pen} pen @param {import("../trace.js").Trace} trace @param {import("../palette.js").Theme} theme
 * @param {number[]} steps side by side
 */
function paintStrip(pen, trace, theme, steps) {
  const replay = new Replay(trace);
  const [w, h] = [FRAME / trace.slots, (frameHeight(trace) - HEAD) / trace.vertices];
  steps.forEach((s, k) => {
    const [x0, y0] = [k * (FRAME + GAP), 0];
    if (s > 0) replay.seek(s - 1);
    const written = s > 0 ? eachChunk(trace, s - 1) : [];
    replay.seek(s);
    pen.text(x0, y0 + 9, s === 0 ? "start" : shortened(`${s} ${phaseOf(trace, s - 1)}`), { colour: theme.ink, size: 12, font: theme.font, align: "start" });
    for (let v = 0; v < trace.vertices; v++) {
      for (let slot = 0; slot < trace.slots; slot++) {
        pen.box(x0 + slot * w, y0 + HEAD + v * h, w - Math.min(1, w / 5), h - Math.min(1, h / 5), { fill: levelColour(replay.level(v, slot), theme), stroke: w > 4 ? theme.faint : undefined, width: 0.5 });
      }
    }
    for (const [i, , into] of written) {
      const add = trace.op[i] === ADD;
      pen.box(x0 + into * w, y0 + HEAD + trace.dst[i] * h, w - 1, h - 1, { stroke: add ? theme.reduce : theme.copy, width: w > 5 ? 1.8 : 1, dash: add ? [] : [3, 2] });
    }
  });
}

/**
 * The whole strip as SVG pictures, one for each row of a page.
 * @param {import("../trace.js").Trace} trace @param {import("../palette.js").Theme} theme @returns {string[]}
 */
export function stripRows(trace, theme) {
  if (!legible(trace)) throw new Error(refusal(trace));
  const steps = framesOf(trace);
  const [width, height] = [ACROSS * (FRAME + GAP), frameHeight(trace) + 4];
  return Array.from({ length: Math.ceil(steps.length / ACROSS) }, (_, row) => {
    const pen = new SvgPen();
    paintStrip(pen, trace, theme, steps.slice(row * ACROSS, (row + 1) * ACROSS));
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="-4 0 ${width} ${height}">${pen.parts.join("")}</svg>`;
  });
}
