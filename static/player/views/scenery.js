// What stands still in the network picture: boxes, cards, edges, names.

import { along } from "../layout.js";
import { countOf, vertexName } from "../trace.js";

/** @typedef {import("./view.js").Scene} Scene */
/** @typedef {import("../pen.js").Pen} Pen */

const MOST_EDGES = 2500; // more lines than this are only a grey mass

/** @param {import("../layout.js").Layout} l */
export function howTo(l) {
  const inside = l.lens ? "; in the middle, one rank and its partners" : "";
  return `${l.kind === "cards" ? "squares are chunks, moving ones are in flight" : "a dot is a rank, green when complete"}${inside}`;
}

/** @param {import("../layout.js").Layout} l @param {import("../palette.js").Theme} theme */
export function boxes(l, theme) {
  if (!l.boxes.length) return [];
  const x = [];
  const y = [];
  for (const { x0, y0, x1, y1 } of l.boxes) {
    x.push(x0, x1, x1, x0, x0, null);
    y.push(y0, y0, y1, y1, y0, null);
  }
  const labels = l.boxes.filter(({ name }) => name);
  return [
    { type: "scatter", mode: "lines", x, y, fill: "toself", fillcolor: theme.surface, line: { color: theme.faint, width: 1 } },
    { type: "scatter", mode: "text", x: labels.map((b) => b.x0 + 6), y: labels.map((b) => b.y0 + 9), text: labels.map((b) => b.name), textposition: "middle right", textfont: { size: 11, color: theme.muted } },
  ];
}

/** @param {import("../layout.js").Layout} l @param {number} from @param {number} to closed rounded outlines of some cards */
export function outlines(l, from, to) {
  /** @type {Array<number|null>} */
  const x = [];
  /** @type {Array<number|null>} */
  const y = [];
  const r = 7;
  for (let v = from; v < to; v++) {
    const corners = [[1, 1, 0], [-1, 1, 1], [-1, -1, 2], [1, -1, 3]];
    const start = x.length;
    for (const [sx, sy, quarter] of corners) {
      for (let k = 0; k <= 4; k++) {
        const turn = ((quarter + k / 4) * Math.PI) / 2;
        x.push(l.x[v] + sx * (l.cardWidth / 2 - r) + r * Math.cos(turn));
        y.push(l.y[v] + sy * (l.cardHeight / 2 - r) + r * Math.sin(turn));
      }
    }
    x.push(x[start], null);
    y.push(y[start], null);
  }
  return { x: x.length ? x : [null], y: y.length ? y : [null] };
}

/**
 * Every pair that ever talks: one Plotly trace for links inside groups, a wide one for links between groups.
 * @param {Scene} scene @param {import("../layout.js").Layout} l
 */
export function edges({ trace, theme }, l) {
  const seen = new Uint8Array(trace.vertices * trace.vertices);
  const { group } = trace;
  const near = { x: /** @type {Array<number|null>} */ ([]), y: /** @type {Array<number|null>} */ ([]) };
  const far = { x: /** @type {Array<number|null>} */ ([]), y: /** @type {Array<number|null>} */ ([]) };
  let pairs = 0;
  for (let i = 0; i < trace.src.length && pairs <= MOST_EDGES; i++) {
    const [a, b] = trace.src[i] < trace.dst[i] ? [trace.src[i], trace.dst[i]] : [trace.dst[i], trace.src[i]];
    if (seen[a * trace.vertices + b]) continue;
    seen[a * trace.vertices + b] = 1;
    pairs++;
    const points = between(l, a, b, detour(l, a, b));
    if (points.length < 2) continue;
    const set = group && b < trace.ranks && group[a] !== group[b] ? far : near;
    for (const [x, y] of points) {
      set.x.push(x);
      set.y.push(y);
    }
    set.x.push(null);
    set.y.push(null);
  }
  const few = pairs <= 3 * trace.vertices;
  const width = l.kind === "cards" && few ? 1.6 : 0.9;
  const drawn = (/** @type {{x: Array<number|null>, y: Array<number|null>}} */ set, /** @type {number} */ wide) => {
    const shown = pairs <= MOST_EDGES && set.x.length ? set : { x: [null], y: [null] };
    return { type: "scatter", mode: "lines", ...shown, line: { color: few ? theme.line : theme.faint, width: wide, simplify: false } };
  };
  return [drawn(near, width), drawn(far, width * 2.2)];
}

/** @param {Scene} scene @param {import("../layout.js").Layout} l the name of every vertex that has room for one */
export function names({ trace, theme }, l) {
  /** @type {{x: number[], y: number[], text: string[]}} */
  const shown = { x: [], y: [], text: [] };
  const cards = l.kind === "cards";
  const every = cards || trace.ranks <= 64 ? 1 : 2 ** Math.ceil(Math.log2(trace.ranks / 8));
  if (!cards && (l.shape === "nodes" || l.shape === "grid" || (l.shape === "tree" && trace.vertices === trace.ranks))) return { type: "scatter", mode: "text", x: [null], y: [null] };
  for (let v = 0; v < (cards ? trace.vertices : trace.ranks); v += every) {
    const out = 1 + (l.cardWidth / 2 + (every > 1 ? 24 : 12)) / Math.hypot(l.x[v] - l.width / 2, l.y[v] - l.height / 2);
    shown.x.push(cards ? l.x[v] : l.width / 2 + (l.x[v] - l.width / 2) * out);
    shown.y.push(cards ? l.y[v] - l.cardHeight / 2 + l.title / 2 + 2 : l.height / 2 + (l.y[v] - l.height / 2) * out);
    const name = vertexName(trace, v);
    shown.text.push(cards ? (l.cardWidth > 7 * name.length + 4 ? name : v < trace.ranks ? `${v}` : l.cardWidth > 30 ? `sw ${v - trace.ranks}` : `s${v - trace.ranks}`) : every > 1 ? name : `${v}`);
  }
  return { type: "scatter", mode: "text", ...shown, textfont: { size: cards && l.title >= 18 ? 12 : 11, color: theme.muted } };
}

/**
 * The visible part of the way between two vertices: what lies outside both cards (or dots).
 * @param {import("../layout.js").Layout} l @param {number} a @param {number} b @param {number} bow
 */
export function between(l, a, b, bow) {
  const SAMPLES = 32;
  const round = l.kind === "dots";
  const inside = (/** @type {number} */ v, /** @type {number} */ x, /** @type {number} */ y) =>
    round ? Math.hypot(x - l.x[v], y - l.y[v]) < l.cardWidth / 2 : Math.abs(x - l.x[v]) < l.cardWidth / 2 + 2 && Math.abs(y - l.y[v]) < l.cardHeight / 2 + 2;
  const points = [];
  for (let k = 0; k <= SAMPLES; k++) {
    const [x, y] = along(l.x[a], l.y[a], l.x[b], l.y[b], bow, k / SAMPLES);
    if (!inside(a, x, y) && !inside(b, x, y)) points.push(/** @type {[number, number]} */ ([x, y]));
  }
  return points;
}

/** @param {Pen} pen @param {Array<[number, number]>} points @param {string} colour */
export function arrow(pen, points, colour) {
  const [[x0, y0], [x1, y1]] = points.slice(-2);
  const turn = Math.atan2(y1 - y0, x1 - x0);
  const wing = (/** @type {number} */ side) => /** @type {[number, number]} */ ([x1 - 8 * Math.cos(turn + side), y1 - 8 * Math.sin(turn + side)]);
  pen.line([wing(0.45), [x1, y1], wing(-0.45)], { colour, width: 2.4 });
}

/**
 * How far a way must bow so as not to run through what stands between its ends; 0 when nothing is in the way.
 * Only where vertices stand in rows: elsewhere a bow would cross more than it avoids.
 * @param {import("../layout.js").Layout} l @param {number} a @param {number} b @returns {number}
 */
export function detour(l, a, b) {
  if (l.shape === "circle" || l.x.length > 300) return 0;
  const flat = Math.abs(l.y[a] - l.y[b]) < 2;
  const upright = Math.abs(l.x[a] - l.x[b]) < 2;
  if (!flat && !upright) return 0;
  const [at, across] = flat ? [l.x, l.y] : [l.y, l.x];
  const between = (/** @type {number} */ v) => Math.abs(across[v] - across[a]) < 2 && at[v] > Math.min(at[a], at[b]) + 2 && at[v] < Math.max(at[a], at[b]) - 2;
  if (!Array.from(l.x.keys()).some(between)) return 0;
  if (l.shape === "tree") return Math.sign(l.x[a] - l.x[b]) * Math.min(90, l.cardHeight / 2 + 0.2 * Math.abs(l.x[a] - l.x[b])); // over the row
  return (flat ? l.cardHeight : l.cardWidth) / 2 + (l.kind === "cards" ? 14 : 5);
}

/** @param {Pen} pen @param {Scene} scene @param {import("../layout.js").Layout} l every link as wide as the chunks it carries in all */
export function paintLoad(pen, { trace, theme }, l) {
  /** @type {Map<number, number>} */
  const carried = new Map();
  for (let i = 0; i < trace.src.length; i++) {
    const [a, b] = trace.src[i] < trace.dst[i] ? [trace.src[i], trace.dst[i]] : [trace.dst[i], trace.src[i]];
    const key = a * trace.vertices + b;
    carried.set(key, (carried.get(key) ?? 0) + countOf(trace, i));
  }
  const most = Math.max(...carried.values());
  if (carried.size > MOST_EDGES) return;
  for (const [key, chunks] of carried) {
    const points = between(l, Math.floor(key / trace.vertices), key % trace.vertices, 0);
    if (points.length > 1) pen.line(points, { colour: theme.switch, width: 1 + (9 * chunks) / most, alpha: 0.45 });
  }
}
