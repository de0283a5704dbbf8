// Where ranks are drawn that are too many for cards: gauges to 64, then a band around a lens, or nodes in blocks.

import { binsOf } from "./cells.js";
import { boxed } from "./pods.js";
import { frame, framePoints, grid } from "./shapes.js";
import { rings } from "./switches.js";
import { rooted, rootOf } from "./trees.js";

/** @typedef {import("./trace.js").Trace} Trace */
/** @typedef {import("./layout.js").Layout} Layout */
/**
 * A closed band: piece k lies between outer[k], outer[k+1], inner[k+1], inner[k] and stands for `per` ranks.
 * @typedef {object} Band
 * @property {Array<[number, number]>} outer @property {Array<[number, number]>} inner @property {number} per
 */

const GAUGES = 64; // ranks up to which each has a gauge of its own
const PIECES = 256; // of a band
const LARGEST = 36;
const NUMBERED = 20; // pixels across: from here on the number stands inside
const [SEGMENTS, FEW_SEGMENTS] = [16, 8]; // parts of a buffer that a gauge tells apart

/** @param {Trace} trace @param {number} width @param {number} height @param {Layout["shape"]} shape @returns {Layout} */
export function compact(trace, width, height, shape) {
  const round = shape === "circle" || (shape === "tree" && rootOf(trace) < 0);
  if (trace.ranks > GAUGES && round) return band(trace, width, height, shape);
  if (trace.ranks > GAUGES && shape === "nodes") return blocks(trace, width, height);
  return round ? gaugesAround(trace, width, height, shape) : gaugesInside(trace, width, height, shape);
}

/** @param {Trace} trace @param {number} size @param {Partial<Layout> & Pick<Layout, "shape"|"width"|"height"|"x"|"y"|"boxes">} rest @returns {Layout} */
function layoutOf(trace, size, rest) {
  const bins = binsOf({ chunks: trace.chunks, slots: trace.chunks }, size >= 15 ? SEGMENTS : size >= 10 ? FEW_SEGMENTS : 1);
  return { kind: "dots", mark: "gauge", numbered: size >= NUMBERED, outside: false, dense: false, cardWidth: size, cardHeight: size, title: 0, gap: 0, cell: 0, columns: 1, bins, lens: null, band: null, home: null, ...rest };
}

/** @param {Trace} trace @param {number} width @param {number} height @param {Layout["shape"]} shape @returns {Layout} on a ring, the names outside unless they fit inside */
function gaugesAround(trace, width, height, shape) {
  const spots = shape === "tree" ? rings : frame;
  const sizeIn = (/** @type {number} */ margin) => Math.min(LARGEST, 0.8 * nearest(spots(trace, width, height, { cardWidth: margin, cardHeight: margin })));
  const inside = sizeIn(LARGEST);
  const size = inside >= NUMBERED ? inside : Math.min(20, sizeIn(50));
  const margin = size >= NUMBERED ? size : size + 34;
  const placed = spots(trace, width, height, { cardWidth: margin, cardHeight: margin });
  const room = { x: width / 2, y: height / 2, width: width - 2 * margin - 3 * size, height: height - 2 * margin - 4 * size };
  const lens = shape === "circle" && trace.chunks > 1 && isOpen(trace, placed, room) ? room : null;
  return layoutOf(trace, size, { shape, width, height, ...placed, lens, outside: size < NUMBERED });
}

/** @param {Trace} trace @param {number} width @param {number} height @param {Layout["shape"]} shape @returns {Layout} in rows, in boxes, in a tree */
function gaugesInside(trace, width, height, shape) {
  const spots = shape === "tree" ? rooted : shape === "nodes" ? boxed : grid;
  const guess = { cardWidth: 16, cardHeight: 16 };
  const size = Math.max(3, Math.min(LARGEST, (shape === "tree" ? 0.84 : shape === "grid" ? 0.58 : 0.62) * nearest(spots(trace, width, height, guess))));
  return layoutOf(trace, size, { shape, width, height, ...spots(trace, width, height, { cardWidth: size, cardHeight: size }) });
}

/** @param {Trace} trace @param {number} width @param {number} height @param {Layout["shape"]} shape @returns {Layout} */
function band(trace, width, height, shape) {
  const [marginX, marginY] = [30, 20]; // the numbers outside
  const thick = Math.round(Math.max(14, 0.085 * Math.min(width, height)));
  const card = { cardWidth: 2 * marginX + thick, cardHeight: 2 * marginY + thick };
  const placed = (shape === "tree" ? rings : frame)(trace, width, height, card);
  const per = Math.ceil(trace.ranks / PIECES);
  const pieces = Math.ceil(trace.ranks / per);
  const cuts = Array.from({ length: pieces + 1 }, (_, k) => (Math.min(trace.ranks, k * per) - 0.5) / trace.ranks);
  const edge = (/** @type {number} */ by) => framePoints(cuts, width, height, { cardWidth: card.cardWidth + by, cardHeight: card.cardHeight + by });
  const size = Math.max(4, Math.min(14, nearest(placed)));
  const inside = (/** @type {number} */ size, /** @type {number} */ margin, /** @type {number} */ part) => part * (size - 2 * margin - 2 * thick) - 10;
  const lens = { x: width / 2, y: height / 2, width: inside(width, marginX, 0.87), height: inside(height, marginY, 0.75) };
  const bins = binsOf({ chunks: trace.chunks, slots: trace.chunks }, 12);
  const open = shape === "circle";
  return { ...layoutOf(trace, size, { shape, width, height, ...placed }), mark: "band", dense: open, numbered: false, outside: true, bins, lens: open ? lens : null, band: { outer: edge(-thick), inner: edge(thick), per } };
}

/** @param {Trace} trace @param {number} width @param {number} height @returns {Layout} every node a small picture of its ranks' buffers, a row for each; one rank above them all */
function blocks(trace, width, height) {
  const top = Math.round(0.45 * height);
  const placed = boxed(trace, width, height - top, { cardWidth: 30, cardHeight: 4 });
  const boxes = placed.boxes.map((box) => ({ ...box, y0: box.y0 + top, y1: box.y1 + top }));
  const home = Int16Array.from(placed.x, (x, v) => boxes.findIndex((box) => !box.outer && x >= box.x0 && x <= box.x1 && placed.y[v] + top >= box.y0 && placed.y[v] + top <= box.y1));
  plough(boxes);
  const filled = new Uint16Array(boxes.length);
  const nth = Array.from(home, (box) => filled[box]++);
  const label = boxes.some(({ name, outer }) => name && !outer) ? 16 : 2;
  const inner = boxes.find(({ outer }) => !outer) ?? boxes[0];
  const [rowWidth, rowHeight] = [inner.x1 - inner.x0 - 6, (inner.y1 - inner.y0 - label - 3) / Math.max(...filled)];
  const x = Float64Array.from(home, (box) => (boxes[box].x0 + boxes[box].x1) / 2);
  const y = Float64Array.from(home, (box, v) => boxes[box].y0 + label + (nth[v] + 0.5) * rowHeight);
  const lens = { x: width / 2, y: top / 2, width: width - 24, height: top - 14 };
  const bins = binsOf({ chunks: trace.chunks, slots: trace.chunks }, Math.max(1, Math.min(16, Math.floor(rowWidth / 3))));
  return { ...layoutOf(trace, 1, { shape: "nodes", width, height, x, y, boxes, lens }), mark: "row", dense: true, numbered: false, bins, home, cardWidth: rowWidth, cardHeight: rowHeight };
}

/** @param {Layout["boxes"]} boxes in rows; every other row runs backwards from now on, so that neighbours stay neighbours */
function plough(boxes) {
  if (boxes.some(({ outer }) => outer)) return;
  const across = boxes.filter(({ y0 }) => y0 === boxes[0].y0).length;
  const [left, right] = [boxes[0].x0, boxes[across - 1].x1];
  boxes.forEach((box, k) => {
    if (Math.floor(k / across) % 2) [box.x0, box.x1] = [left + right - box.x1, left + right - box.x0];
  });
}

/** @param {{x: Float64Array, y: Float64Array}} placed @returns {number} distance between the nearest two, among the first few hundred */
function nearest({ x, y }) {
  let least = Infinity;
  const many = Math.min(x.length, 300);
  for (let a = 0; a < many; a++) for (let b = 0; b < a; b++) least = Math.min(least, Math.hypot(x[a] - x[b], y[a] - y[b]));
  return least;
}

/** @param {Trace} trace @param {{x: Float64Array, y: Float64Array}} placed @param {import("./layout.js").Room} room @returns {boolean} does no edge cross it? */
function isOpen({ src, dst }, { x, y }, room) {
  for (let i = 0; i < src.length; i++) {
    const [mx, my] = [(x[src[i]] + x[dst[i]]) / 2, (y[src[i]] + y[dst[i]]) / 2];
    if (Math.abs(mx - room.x) < room.width / 2 && Math.abs(my - room.y) < room.height / 2) return false;
  }
  return true;
}
