// Where every vertex is drawn, in pixels: pure geometry that knows nothing of drawing.

import { EDGE, ellipse, frame, grid, nodes, rings, tree } from "./shapes.js";
import { rooted, rootOf } from "./trees.js";

/** @typedef {import("./trace.js").Trace} Trace */
/** @typedef {import("./shapes.js").Spots} Spots */
/**
 * @typedef {object} Layout
 * @property {"cards"|"dots"} kind cards show their cells, dots only how full they are
 * @property {"circle"|"tree"|"nodes"|"grid"} shape
 * @property {number} width @property {number} height
 * @property {Float64Array} x centre of each vertex @property {Float64Array} y
 * @property {number} cardWidth @property {number} cardHeight of a card, or the diameter of a dot
 * @property {number} title height of the line with the name, 0 when the name stands alone
 * @property {number} cell side of a cell with its gap @property {number} columns cells side by side in a card
 * @property {Array<{x0: number, y0: number, x1: number, y1: number, name: string}>} boxes around nodes or rows
 * @property {{x: number, y: number, width: number, height: number}|null} lens room in the middle, if there is any
 */

const LARGEST_CELL = 40;
const SMALLEST_CELL = 7;
const CARD_CELLS = 320; // more cells than this are drawn as one dot for each vertex
const GAPS = [[34, 17], [24, 14], [14, 12], [8, SMALLEST_CELL]]; // pixels between cards, and the smallest cell worth that gap

/** @param {Trace} trace @param {number} width @param {number} height @returns {Layout} */
export function place(trace, width, height) {
  const shape = trace.vertices > trace.ranks || rootOf(trace) >= 0 ? "tree" : trace.group ? "nodes" : trace.grid ? "grid" : "circle";
  if (trace.vertices * trace.slots <= CARD_CELLS) {
    const cards = largestCards(trace, width, height, shape);
    if (cards) return { ...cards, lens: shape === "circle" && cards.cell < 14 ? emptyMiddle(trace, cards) : null };
  }
  return dots(trace, width, height, shape);
}

/**
 * The layout with the largest cells that fit without overlap, or null. Cards about as wide as high are preferred.
 * @param {Trace} trace @param {number} width @param {number} height @param {Layout["shape"]} shape
 */
function largestCards(trace, width, height, shape) {
  for (const [gap, smallest] of GAPS) {
    let best = /** @type {Layout|null} */ (null);
    let most = 0;
    for (const [columns, liking] of columnChoices(trace)) {
      for (const spots of candidates(trace, shape)) {
        const layoutOf = (/** @type {number} */ cell) => {
          const card = cardSize(trace, cell, columns);
          return { kind: /** @type {const} */ ("cards"), shape, width, height, ...card, cell, columns, lens: null, ...spots(trace, width, height, card) };
        };
        let [low, high] = [Math.max(smallest, Math.floor(most / liking) + 1), LARGEST_CELL];
        while (low <= high) { // the largest that fits, by halving
          const cell = (low + high) >> 1;
          const layout = layoutOf(cell);
          if (fits(layout, gap)) {
            [best, most] = [layout, cell * liking];
            low = cell + 1;
          } else high = cell - 1;
        }
      }
    }
    if (best) return best;
  }
  return null;
}

/** @param {Trace} trace @param {Pick<Layout, "x"|"y"|"width"|"height"|"cardWidth"|"cardHeight">} cards @returns {Layout["lens"]} the room inside the ring, if no edge crosses it */
function emptyMiddle(trace, { x, y, width, height, cardWidth, cardHeight }) {
  const [halfWidth, halfHeight] = [width / 2 - cardWidth - 3 * EDGE, height / 2 - cardHeight - 3 * EDGE];
  for (let i = 0; i < trace.src.length; i++) {
    const [a, b] = [trace.src[i], trace.dst[i]];
    const near = (/** @type {number} */ v) => [Math.abs((x[v] + (v === a ? x[b] : x[a])) / 2 - width / 2), Math.abs((y[v] + (v === a ? y[b] : y[a])) / 2 - height / 2)];
    const [dx, dy] = near(a);
    if (dx < halfWidth && dy < halfHeight) return null; // the middle of this edge lies in it
  }
  return { x: width / 2, y: height / 2, width: 2 * halfWidth, height: 2 * halfHeight };
}

/** @param {Trace} trace @returns {Array<[number, number]>} how many cells side by side, and how well liked */
function columnChoices({ chunks }) {
  const square = Math.ceil(Math.sqrt(chunks));
  const choices = [[square, 1], [Math.ceil(chunks / 2), 0.95], [2 * square, 0.85], [Math.max(1, square >> 1), 0.8], [chunks, 0.7], [1, 0.6]];
  const seen = new Set();
  return choices
    .filter(([columns]) => columns >= 1 && columns <= chunks && !seen.has(columns) && seen.add(columns))
    .map(([columns, liking]) => [columns, chunks % columns ? 0.85 * liking : liking]); // full rows look best
}

/** @param {Trace} trace @param {number} cell @param {number} columns */
function cardSize({ slots }, cell, columns) {
  const rows = Math.ceil(slots / columns);
  const title = cell >= 12 ? 18 : 14;
  return { cardWidth: Math.max(columns * cell + 8, 20), cardHeight: rows * cell + title + 8, title };
}


/** @param {Trace} trace @param {Layout["shape"]} shape @returns {Spots[]} */
function candidates(trace, shape) {
  if (shape === "tree") return rootOf(trace) >= 0 ? [rooted] : [tree];
  if (shape === "nodes") return [nodes];
  if (shape === "grid") return [grid];
  return trace.ranks <= 2 ? [ellipse] : [ellipse, frame];
}

/** @param {Omit<Layout, "lens">} layout @param {number} gap @returns {boolean} nothing overlaps, nothing sticks out */
export function fits({ x, y, cardWidth, cardHeight, width, height, shape }, gap) {
  const gapX = shape === "tree" ? Math.min(gap, 3) : gap;
  const gapY = gap;
  for (let a = 0; a < x.length; a++) {
    if (x[a] < cardWidth / 2 || x[a] > width - cardWidth / 2 || y[a] < cardHeight / 2 || y[a] > height - cardHeight / 2) return false;
    for (let b = 0; b < a; b++) {
      if (Math.abs(x[a] - x[b]) < cardWidth + gapX && Math.abs(y[a] - y[b]) < cardHeight + gapY) return false;
    }
  }
  return true;
}

/**
 * One dot for every vertex.
 * @param {Trace} trace @param {number} width @param {number} height @param {Layout["shape"]} shape @returns {Layout}
 */
function dots(trace, width, height, shape) {
  const spots = { nodes, grid, circle: ellipse, tree: rootOf(trace) >= 0 ? rooted : rings }[shape];
  const size = Math.max(4, Math.min(22, (Math.min(width, height) * 2.4) / trace.ranks));
  const margin = trace.ranks <= 64 ? 62 : 92; // room for the names outside
  const round = spots === ellipse || spots === rings;
  const card = round ? { cardWidth: margin, cardHeight: trace.ranks <= 64 ? margin : 62 } : { cardWidth: size, cardHeight: size };
  const placed = spots(trace, width, height, card);
  const dot = round ? size : Math.max(3, Math.min(18, (shape === "grid" ? 0.55 : 0.8) * nearest(placed)));
  const open = trace.ranks > 64 || emptyMiddle(trace, { ...placed, width, height, cardWidth: margin, cardHeight: margin }); // chords of a few ranks are worth seeing
  const lens = shape === "circle" && open ? { x: width / 2, y: height / 2, width: (width - 2 * margin) * 0.9, height: (height - 2 * margin) * 0.66 } : null;
  return { kind: "dots", shape, width, height, ...placed, cardWidth: dot, cardHeight: dot, title: 0, cell: 0, columns: 1, lens };
}

/** @param {{x: Float64Array, y: Float64Array}} placed @returns {number} distance between the nearest two, among the first few hundred */
function nearest({ x, y }) {
  let least = Infinity;
  const many = Math.min(x.length, 300);
  for (let a = 0; a < many; a++) for (let b = 0; b < a; b++) least = Math.min(least, Math.hypot(x[a] - x[b], y[a] - y[b]));
  return least;
}

/** @param {Layout} layout @param {number} v @param {number} slot @returns {[number, number]} the centre of a cell */
export function cellAt(layout, v, slot) {
  if (layout.kind === "dots") return [layout.x[v], layout.y[v]];
  const { cell, columns, cardHeight, title } = layout;
  const left = layout.x[v] - (columns * cell) / 2;
  const top = layout.y[v] - cardHeight / 2 + title + 2;
  return [left + ((slot % columns) + 0.5) * cell, top + (Math.floor(slot / columns) + 0.5) * cell];
}

/**
 * The way from one point to another; two opposite ways bow apart, each keeping to its right.
 * @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 @param {number} bow pixels at the middle
 * @param {number} f 0 at the start, 1 at the end @returns {[number, number]}
 */
export function along(x0, y0, x1, y1, bow, f) {
  const length = Math.hypot(x1 - x0, y1 - y0) || 1;
  const lift = (bow * 4 * f * (1 - f)) / length;
  return [x0 + (x1 - x0) * f - (y1 - y0) * lift, y0 + (y1 - y0) * f + (x1 - x0) * lift];
}

/** @param {number} f @returns {number} slow at both ends */
export const ease = (f) => (f < 0.5 ? 2 * f * f : 1 - (2 - 2 * f) ** 2 / 2);
