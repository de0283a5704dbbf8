// One slanted line for every message, from sender to receiver, time running to the right.

import { ADD, seconds, timesOf, vertexName } from "../trace.js";
import { faultsOfTime } from "./faults.js";
import { drawn, labelEvery, pathOf, PlotView } from "./view.js";

/** @typedef {import("./view.js").Scene} Scene */
/** @typedef {import("../trace.js").Trace} Trace */
/** @typedef {{x: Array<number|null>, y: Array<number|null>}} Line */

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
    const { trace, theme, clock, ghost } = scene;
    this.window = this.choose();
    const { s0, s1, v0, v1, whole } = this.window;
    this.unit = clock ? unitOf(seconds(trace)) : { per: 1, name: "step" };
    this.range = this.span();
    this.how = this.howTo();
    const every = labelEvery(v1 - v0, height - 30, 12);
    const rows = Array.from({ length: v1 - v0 }, (_, k) => v0 + k).filter((v) => (v - v0) % every === 0);
    const axis = { zeroline: false, fixedrange: true, showline: false, ticks: "", gridcolor: theme.faint, tickfont: { size: 11, color: theme.muted } };
    const ticks = clock ? { nticks: 10 } : { tickmode: "linear", tick0: 0, dtick: labelEvery(this.range[1] - s0, width - 70, 26) };
    const layout = {
      margin: this.margin,
      xaxis: { ...axis, range: this.range, ...ticks },
      yaxis: { ...axis, range: [v1 - 0.5, v0 - 0.5], tickvals: rows, ticktext: rows.map((v) => vertexName(trace, v)) },
    };
    const behind = whole && ghost && ghost.trace.src.length <= MOST_LINES ? [this.ghostLines(ghost.trace)] : [];
    return { data: [this.ends(s1)], layout: { ...layout, shapes: [...behind, ...this.lines()] } };
  }

  howTo() {
    const { trace, clock, focus, ghost, critical } = this.scene;
    const where = this.window.whole ? "" : `, window around rank ${focus} and this step`;
    const other = ghost && this.window.whole ? `; grey: ${ghost.trace.title}` : "";
    const chain = critical ? "; wide: the chain that decides the time" : "";
    return `a line is a message from sender to receiver${where}; ${clock ? `${this.unit.name}, ${trace.origin}` : "one column a step"}${other}${chain}`;
  }

  /** @returns {[number, number]} the time axis from where to where */
  span() {
    const { trace, clock, ghost } = this.scene;
    const { s0, s1, whole } = this.window;
    if (!clock) return [s0, whole && ghost ? Math.max(s1, ghost.trace.steps) : s1];
    const last = whole && ghost ? Math.max(seconds(trace), seconds(ghost.trace)) : Math.max(...trace.stepEnd.slice(s0, s1), 1e-12);
    return [(trace.stepStart[s0] ?? 0) / this.unit.per, last / this.unit.per];
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

  /** @param {(i: number, s: number) => void} each called with every transfer in the window, and its step */
  walk(each) {
    const { trace } = this.scene;
    const { s0, s1, v0, v1 } = this.window;
    const inside = (/** @type {number} */ v) => v >= v0 && v < v1;
    for (let s = s0; s < Math.min(s1, trace.steps); s++) {
      for (let i = trace.stepPtr[s]; i < trace.stepPtr[s + 1]; i++) if (inside(trace.src[i]) || inside(trace.dst[i])) each(i, s);
    }
  }

  lines() {
    const { trace, theme } = this.scene;
    const paths = ["", ""];
    let many = 0;
    this.walk((i, s) => {
      paths[trace.op[i]] += this.line(trace, i, s);
      many++;
    });
    const width = many > 500 ? 1.1 : 1.8;
    return paths.map((path, op) => drawn(path, { color: op === ADD ? theme.reduce : theme.copy, width, dash: op === ADD ? "solid" : "5px,3px" }));
  }

  /** @param {number} s1 dots where messages end, while they can be told apart */
  ends(s1) {
    const { trace, theme } = this.scene;
    const { s0, v0, v1 } = this.window;
    const set = /** @type {Line} */ ({ x: [], y: [] });
    const size = Math.max(2, Math.min(4.5, 60 / Math.max(s1 - s0, 1), 90 / Math.max(v1 - v0, 1)));
    const seen = new Set();
    this.walk((i, s) => {
      const [x, y] = [this.xOf(trace, i, s)[1], trace.dst[i]];
      const place = `${Math.round(this.pixel(x) / size)} ${y}`;
      if (y < v0 || y >= v1 || seen.has(place)) return; // each dot costs the page an element: one where many would lie on each other
      seen.add(place);
      set.x.push(x);
      set.y.push(y);
    });
    return { type: "scatter", mode: "markers", ...(set.x.length ? set : { x: [null], y: [null] }), marker: { size, color: theme.muted } };
  }

  /** @param {Trace} other the second trace, thin and grey */
  ghostLines(other) {
    let path = "";
    for (let s = 0; s < other.steps; s++) for (let i = other.stepPtr[s]; i < other.stepPtr[s + 1]; i++) path += this.line(other, i, s);
    return drawn(path, { color: this.scene.theme.muted, width: 1 });
  }

  /** @param {Trace} trace @param {number} i @param {number} s @returns {string} a piece of a path */
  line(trace, i, s) {
    const [from, to] = this.xOf(trace, i, s);
    return pathOf([[from, trace.src[i]], [to, trace.dst[i]]]);
  }

  /** @param {Trace} trace @param {number} i @param {number} s @returns {[number, number]} where a transfer begins and ends on the time axis */
  xOf(trace, i, s) {
    if (!this.scene.clock) return [s + 0.04, s + 0.92];
    const [start, end] = timesOf(trace, i, s);
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

  /** @param {import("../pen.js").Pen} pen what brought the chosen cell its content, and the chain that decides the time */
  paintStill(pen) {
    const { theme, history, critical, trace } = this.scene;
    faultsOfTime(pen, this);
    if (!history && !critical) return;
    this.walk((i, s) => {
      const wide = critical?.has(i);
      if (!wide && !history?.used[i]) return;
      const [from, to] = this.xOf(trace, i, s);
      const points = /** @type {Array<[number, number]>} */ ([[this.pixel(from), this.row(trace.src[i])], [this.pixel(to), this.row(trace.dst[i])]]);
      pen.line(points, wide ? { colour: theme.ink, width: 6, alpha: 0.3 } : { colour: theme.ink, width: 2.6, alpha: 0.75 });
    });
  }

  /** @param {import("../pen.js").Pen} pen the moment now */
  paint(pen) {
    const { lane, ghost, theme, clock } = this.scene;
    for (const [one, style] of /** @type {const} */ ([[ghost, { colour: theme.muted, width: 1.5, dash: [3, 3] }], [lane, { colour: theme.ink, width: 2 }]])) {
      if (!one) continue;
      const x = this.pixel(clock ? one.now() / this.unit.per : one.replay.step + one.frac);
      if (x < this.margin.l - 1 || x > this.width - this.margin.r + 1) continue;
      pen.line([[x, this.margin.t], [x, this.height - this.margin.b]], { ...style, dash: "dash" in style ? [...style.dash] : [] });
    }
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
function unitOf(t) {
  if (t < 1e-3) return { per: 1e-6, name: "microseconds" };
  if (t < 1) return { per: 1e-3, name: "milliseconds" };
  return { per: 1, name: "seconds" };
}
