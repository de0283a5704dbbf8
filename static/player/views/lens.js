// A close look at one rank among many: itself, who sends to it and whom it sends to, in this step.

import { binLevel, binOf, binsOf } from "../cells.js";
import { levelColour } from "../palette.js";
import { ADD, countOf, vertexName } from "../trace.js";
import { ease } from "../ways.js";

/** @typedef {import("./view.js").Scene} Scene */
/** @typedef {import("../pen.js").Pen} Pen */
/** @typedef {import("../layout.js").Layout} Layout */

const BINS = [64, 36, 25, 16]; // the most that still has cells of this size
const SMALLEST = 13;
const [HEAD, LARGEST_CELL] = [42, 26];
const NARROW = 78; // pixels: below this, a card names its rank by the number alone

/** Where the cards of the lens stand. @param {Pick<Scene, "trace"|"lane"|"focus">} scene @param {import("../layout.js").Room} room */
export function arrange(scene, room) {
  const { trace } = scene;
  const people = castOf(scene);
  const [cast, roles] = [people.map(({ vertex }) => vertex), people.map(({ role }) => role)];
  const [gap, pad] = room.width > 240 ? [20, 7] : [8, 5];
  const most = (room.width - 2 * gap) / 3;
  const sizes = BINS.map((cells) => {
    const bins = binsOf({ chunks: trace.chunks, slots: trace.chunks }, cells);
    const choices = Array.from({ length: bins.count }, (_, k) => k + 1).map((columns) => ({ columns, rows: Math.ceil(bins.count / columns) })).filter(({ columns, rows }) => columns <= rows || rows === 1 || columns <= 2 * rows);
    const fitting = choices.map((one) => ({ ...one, bins, cell: Math.min(LARGEST_CELL, (most - 2 * pad) / one.columns, (room.height - HEAD - pad) / one.rows) }));
    const liked = (/** @type {typeof fitting[number]} */ { cell, columns }) => (bins.count % columns ? 0.8 : 1) * cell; // full rows look best
    return fitting.reduce((best, one) => (liked(one) > liked(best) + 0.01 ? one : best));
  });
  const { bins, columns, rows, cell } = sizes.find((one) => one.cell >= SMALLEST) ?? sizes[sizes.length - 1];
  const [w, h] = [Math.min(most, Math.max(columns * cell + 2 * pad, NARROW)), rows * cell + HEAD + pad];
  const top = room.y - h / 2;
  const left = (/** @type {number} */ k) => room.x + (k - (cast.length - 1) / 2) * (w + gap) - w / 2;
  const spot = (/** @type {number} */ k, /** @type {number} */ bin) => [left(k) + w / 2 + ((bin % columns) + 0.5 - columns / 2) * cell, top + HEAD + (Math.floor(bin / columns) + 0.5) * cell];
  return { cast, roles, bins, cell, w, h, top, left, spot };
}

/** @param {Pen} pen @param {Scene} scene @param {Layout} l */
export function paintLens(pen, scene, l) {
  const { theme, trace, replay, focus } = scene;
  const { cast, roles, bins, cell, w, h, top, left, spot } = arrange(scene, /** @type {import("../layout.js").Room} */ (l.lens));
  cast.forEach((v, k) => {
    if (l.home) framed(pen, theme, l.boxes[l.home[v]], v === focus);
    else leader(pen, theme, [l.x[v], l.y[v]], [left(k) + w / 2, top + h / 2], v === focus);
  });
  cast.forEach((v, k) => {
    const mine = v === focus;
    pen.box(left(k), top, w, h, { fill: theme.background, stroke: mine ? theme.ink : theme.line, width: mine ? 2 : 1.2, radius: 8 });
    pen.text(left(k) + w / 2, top + 14, w < NARROW ? `${v}` : vertexName(trace, v), { colour: theme.ink, size: 13, font: theme.font, weight: mine ? 650 : 500 });
    pen.text(left(k) + w / 2, top + 30, roles[k], { colour: theme.muted, size: 11, font: theme.font });
    for (let bin = 0; bin < bins.count; bin++) {
      const [x, y] = spot(k, bin);
      pen.square(x, y, cell - Math.min(2, cell / 6), { fill: levelColour(binLevel(replay, v, bins, bin), theme), stroke: theme.line, width: 0.6, radius: 2 });
    }
  });
}

/**
 * From a card to where its rank stands among all.
 * @param {Pen} pen @param {Scene["theme"]} theme @param {[number, number]} place @param {[number, number]} card its middle @param {boolean} mine
 */
function leader(pen, theme, place, card, mine) {
  pen.line([place, card], { colour: mine ? theme.ink : theme.line, width: mine ? 1.6 : 1, alpha: mine ? 0.8 : 0.7 });
  pen.disc(...place, mine ? 5 : 3.5, { fill: mine ? theme.ink : theme.background, stroke: mine ? theme.background : theme.line, width: 1.4 });
}

/** @param {Pen} pen @param {Scene["theme"]} theme @param {Layout["boxes"][number]} box the node of a rank in the lens @param {boolean} mine */
function framed(pen, theme, { x0, y0, x1, y1 }, mine) {
  pen.box(x0 - 1, y0 - 1, x1 - x0 + 2, y1 - y0 + 2, { stroke: mine ? theme.ink : theme.line, width: mine ? 2.2 : 1.4, radius: 2 });
}

/** The chunks on their way between the cards of the lens. @param {Pen} pen @param {Scene} scene @param {Layout} l */
export function paintLensPackets(pen, scene, l) {
  const { trace, theme, lane, still, focus } = scene;
  const { cast, bins, spot, cell } = arrange(scene, /** @type {import("../layout.js").Room} */ (l.lens));
  const drawn = new Set();
  for (const i of lane.moving) {
    if (trace.src[i] !== focus && trace.dst[i] !== focus) continue;
    const [from, to] = [cast.indexOf(trace.src[i]), cast.indexOf(trace.dst[i])];
    if (from < 0 || to < 0) continue;
    for (let k = 0; k < countOf(trace, i); k++) {
      const [leaves, arrives] = [binOf(bins, (trace.chunk[i] + k) % trace.chunks), binOf(bins, (trace.into[i] + k) % trace.chunks)];
      const key = `${from} ${to} ${leaves} ${arrives}`;
      if (drawn.has(key)) continue;
      drawn.add(key);
      const [[x0, y0], [x1, y1]] = [spot(from, leaves), spot(to, arrives)];
      const f = still ? 0 : ease(lane.fracOf(i));
      const add = trace.op[i] === ADD;
      const [x, y] = [x0 + (x1 - x0) * f, y0 + (y1 - y0) * f];
      pen.square(x, y, Math.max(cell, 9), { fill: add ? theme.reduce_text : theme.copy_text, stroke: theme.background, width: 1.5, radius: add ? 4 : 0 });
      if (bins.per === 1 && cell >= 13) pen.text(x, y, `${(trace.chunk[i] + k) % trace.chunks}`, { colour: theme.on_packet, size: 0.55 * cell, font: theme.font, weight: 650 });
    }
  }
}

/** @param {Pick<Scene, "trace"|"lane"|"focus">} scene @returns {Array<{vertex: number, role: string}>} whom the focus receives from, the focus, whom it sends to; at most three */
function castOf({ trace, lane, focus }) {
  const from = new Set();
  const to = new Set();
  for (const i of lane.moving) {
    if (trace.dst[i] === focus) from.add(trace.src[i]);
    if (trace.src[i] === focus) to.add(trace.dst[i]);
  }
  const before = [...from].slice(0, 1).map((vertex) => ({ vertex, role: to.has(vertex) ? "exchanges" : "sends to it" }));
  const behind = [...to].filter((vertex) => vertex !== before[0]?.vertex).slice(0, 1).map((vertex) => ({ vertex, role: from.has(vertex) ? "exchanges" : "receives" }));
  return [...before, { vertex: focus, role: "chosen" }, ...behind];
}
