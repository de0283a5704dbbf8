// One slanted line for every message, from sender to receiver, time running to the right.

import { ADD, seconds, timesOf, vertexName } from "../trace.js";
import { labelEvery, PlotView } from "./view.js";

/** @typedef {import("./view.js").Scene} Scene */

const MOST_LINES = 1600;
const WINDOW = { ranks: 17, steps: 12 };

export class SpaceTimeView extends PlotView {
  constructor() {
    super("spacetime", "Space–time");
    this.window = { s0: 0, s1: 1, v0: 0, v1: 1, whole: true };
    this.unit = { per: 1, name: "step" };
    this.range = [0, 1];
    this.margin = { l: 54, r: 10, t: 6, b: 24 };
  }

  /** @param {Scene} scene @param {number} width @param {number} height */
  figure(scene, width, height) {
    const { trace, theme, clock } = scene;
    this.window = this.choose();
    const { s0, s1, v0, v1, whole } = this.window;
    this.unit = clock ? unitOf(seconds(trace)) : { per: 1, name: "step" };
    const where = whole ? "" : `, window around rank ${scene.focus} and this step`;
    this.how = `a line is a message from sender to receiver${where}; ${clock ? `${this.unit.name}, ${trace.origin}` : "one column a step"}`;
    const range = clock ? [trace.stepStart[s0] ?? 0, Math.max(...trace.stepEnd.slice(s0, s1), 1e-12)].map((t) => t / this.unit.per) : [s0, s1];
    this.range = range;
    const every = labelEvery(v1 - v0, height - 30, 12);
    const rows = Array.from({ length: v1 - v0 }, (_, k) => v0 + k).filter((v) => (v - v0) % every === 0);
    const axis = { zeroline: false, fixedrange: true, showline: false, ticks: "", gridcolor: theme.faint, tickfont: { size: 11, color: theme.muted } };
    const ticks = clock ? { nticks: 10 } : { tickmode: "linear", tick0: 0, dtick: labelEvery(s1 - s0, width - 70, 26) };
    const layout = {
      margin: this.margin,
      xaxis: { ...axis, range, ...ticks },
      yaxis: { ...axis, range: [v1 - 0.5, v0 - 0.5], tickvals: rows, ticktext: rows.map((v) => vertexName(trace, v)) },
    };
    return { data: this.lines(), layout };
  }

  /** Which steps [s0, s1) and vertices [v0, v1) are shown: all, or some around the focus and the current step. */
  choose() {
    const { trace, replay, focus } = this.scene;
    if (trace.src.length <= MOST_LINES && trace.vertices <= 80) return { s0: 0, s1: Math.max(trace.steps, 1), v0: 0, v1: trace.vertices, whole: true };
    const steps = Math.min(trace.steps, WINDOW.steps);
    const s0 = Math.max(0, Math.min(trace.steps - steps, replay.step - 4));
    const size = Math.min(trace.vertices, WINDOW.ranks);
    const v0 = Math.max(0, Math.min(trace.vertices - size, focus - (size >> 1)));
    return { s0, s1: s0 + steps, v0, v1: v0 + size, whole: false };
  }

  lines() {
    const { trace, theme } = this.scene;
    const { s0, s1, v0, v1 } = this.window;
    const sets = [{ x: [], y: [] }, { x: [], y: [] }, { x: [], y: [] }].map((set) => /** @type {{x: Array<number|null>, y: Array<number|null>}} */ (set));
    const inside = (/** @type {number} */ v) => v >= v0 && v < v1;
    for (let s = s0; s < Math.min(s1, trace.steps); s++) {
      for (let i = trace.stepPtr[s]; i < trace.stepPtr[s + 1]; i++) {
        if (!inside(trace.src[i]) && !inside(trace.dst[i])) continue;
        if (!inside(trace.src[i]) && !inside(trace.dst[i]) && v1 - v0 < trace.vertices) continue;
        const [from, to] = this.xOf(i, s);
        const set = sets[trace.op[i]];
        set.x.push(from, to, null);
        set.y.push(trace.src[i], trace.dst[i], null);
        sets[2].x.push(to);
        sets[2].y.push(trace.dst[i]);
      }
    }
    const line = (/** @type {number} */ op) => ({ color: op === ADD ? theme.reduce : theme.copy, width: sets[0].x.length + sets[1].x.length > 1500 ? 1.1 : 1.8, dash: op === ADD ? "solid" : "5px,3px", simplify: false });
    const drawn = [0, 1].map((op) => ({ type: "scatter", mode: "lines", x: sets[op].x.length ? sets[op].x : [null], y: sets[op].y.length ? sets[op].y : [null], line: line(op) }));
    return [...drawn, { type: "scatter", mode: "markers", x: sets[2].x, y: sets[2].y, marker: { size: 4.5, color: theme.muted } }];
  }

  /** @param {number} i @param {number} s @returns {[number, number]} where transfer i begins and ends on the time axis */
  xOf(i, s) {
    if (!this.scene.clock) return [s + 0.04, s + 0.92];
    const [start, end] = timesOf(this.scene.trace, i, s);
    return [start / this.unit.per, end / this.unit.per];
  }

  update() {
    const { s0, s1, whole } = this.window;
    const { step } = this.scene.replay;
    if (!whole && (step < s0 + 1 || step > s1 - 3)) {
      const { s0: s } = this.choose();
      if (s !== s0) return this.build(this.scene, this.height);
    }
    super.update();
  }

  /** @param {import("../pen.js").Pen} pen what brought the chosen cell its content */
  paintStill(pen) {
    const { theme, history, trace } = this.scene;
    const { s0, s1 } = this.window;
    for (let s = s0; history && s < Math.min(s1, trace.steps); s++) {
      for (let i = trace.stepPtr[s]; i < trace.stepPtr[s + 1]; i++) {
        if (!history.used[i]) continue;
        const [from, to] = this.xOf(i, s);
        pen.line([[this.pixel(from), this.row(trace.src[i])], [this.pixel(to), this.row(trace.dst[i])]], { colour: theme.ink, width: 2.6, alpha: 0.75 });
      }
    }
  }

  /** @param {import("../pen.js").Pen} pen the moment now */
  paint(pen) {
    const { lane, theme, clock } = this.scene;
    const x = this.pixel(clock ? lane.now() / this.unit.per : lane.replay.step + lane.frac);
    if (x < this.margin.l - 1 || x > this.width - this.margin.r + 1) return;
    pen.line([[x, this.margin.t], [x, this.height - this.margin.b]], { colour: theme.ink, width: 2 });
  }

  /** @param {number} at on the time axis @returns {number} pixels */
  pixel(at) {
    const [low, high] = this.range;
    return this.margin.l + ((this.width - this.margin.l - this.margin.r) * (at - low)) / Math.max(high - low, 1e-12);
  }

  /** @param {number} v @returns {number} pixels */
  row(v) {
    const { v0, v1 } = this.window;
    return this.margin.t + ((this.height - this.margin.t - this.margin.b) * (v - v0 + 0.5)) / (v1 - v0);
  }

  /** @param {number} x @param {number} y @returns {import("./view.js").Pick|null} */
  pick(x, y) {
    const { v0, v1 } = this.window;
    const v = v0 + Math.floor(((y - this.margin.t) / (this.height - this.margin.t - this.margin.b)) * (v1 - v0));
    return v >= v0 && v < v1 ? { vertex: v } : null;
  }
}

/** @param {number} t seconds @returns {{per: number, name: string}} the unit that keeps numbers readable */
export function unitOf(t) {
  if (t < 1e-3) return { per: 1e-6, name: "microseconds" };
  if (t < 1) return { per: 1e-3, name: "milliseconds" };
  return { per: 1, name: "seconds" };
}
