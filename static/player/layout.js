// Where every vertex is drawn, in pixels: pure geometry that knows nothing of drawing. Here the cards; compact.js has the rest.

import { binOf, binsOf } from "./cells.js";
import { compact } from "./compact.js";
import { boxed, keepsInside } from "./pods.js";
import { ellipse, frame, grid, loop } from "./shapes.js";
import { sides, tree } from "./switches.js";
import { rooted, rootOf } from "./trees.js";

/** @typedef {import("./trace.js").Trace} Trace */
/** @typedef {import("./shapes.js").Spots} Spots */
/** @typedef {{x: number, y: number, width: number, height: number}} Room centre and size */
/**
 * @typedef {object} Layout
 * @property {"cards"|"dots"} kind cards show their cells, dots how far each rank is
 * @property {"card"|"gauge"|"band"|"row"} mark what stands for a rank
 * @property {"circle"|"tree"|"nodes"|"grid"} shape
 * @property {number} width @property {number} height
 * @property {Float64Array} x centre of each vertex @property {Float64Array} y
 * @property {number} cardWidth @property {number} cardHeight of a card, or the diameter of a dot
 * @property {number} title height of the line with the name, 0 when the name stands alone
 * @property {boolean} numbered do the marks have their numbers inside? @property {boolean} outside or around the whole? @property {boolean} dense too many ranks to draw every pair that talks
 * @property {number} gap pixels free between neighbours
 * @property {number} cell side of a cell with its gap @property {number} columns cells side by side in a card
 * @property {import("./cells.js").Bins} bins which slots share a cell
 * @property {Array<{x0: number, y0: number, x1: number, y1: number, name: string, outer?: boolean}>} boxes around nodes or rows, or (outer) around several of them
 * @property {Room|null} lens room for a closer look at one rank and its partners
 * @property {import("./compact.js").Band|null} band a ring of many ranks as one picture
 * @property {Int16Array|null} home the box of every vertex, where boxes stand for nodes
 */

const MOST_CARDS = 16; // ranks
const MOST_CELLS = 25; // in a card; more chunks than that share cells
const LARGEST_CELL = 40;
const [TITLE, SMALL_TITLE, PAD] = [18, 14, 6];
const GAPS = [[34, 17], [24, 14], [14, 12], [10, 10], [7, 6], [5, 4]]; // pixels between cards, and the smallest cell worth that gap

/** @param {Trace} trace @returns {Layout["shape"]} */
const shapeOf = (trace) => (trace.vertices > trace.ranks || rootOf(trace) >= 0 ? "tree" : trace.group ? "nodes" : trace.grid ? "grid" : "circle");

/** @param {Trace} trace @param {number} width @param {number} height @returns {Layout} */
export function place(trace, width, height) {
  const shape = shapeOf(trace);
  return (trace.ranks <= MOST_CARDS && largestCards(trace, width, height, shape)) || compact(trace, width, height, shape);
}

/**
 * The layout with the largest cells that fit without overlap, or null. Cards about as wide as high are preferred.
 * @param {Trace} trace @param {number} width @param {number} height @param {Layout["shape"]} shape @returns {Layout|null}
 */
function largestCards(trace, width, height, shape) {
  const bins = binsOf(trace, MOST_CELLS);
  for (const [gap, smallest] of GAPS) {
    let best = /** @type {Layout|null} */ (null);
    let most = 0;
    for (const [columns, fullness] of columnChoices(bins)) {
      for (const [spots, liked] of candidates(trace, shape)) {
        const liking = fullness * liked;
        const layoutOf = (/** @type {number} */ cell) => {
          const card = cardSize(bins, cell, columns);
          return { kind: /** @type {const} */ ("cards"), mark: /** @type {const} */ ("card"), numbered: true, outside: false, dense: false, shape, width, height, ...card, gap, cell, columns, bins, lens: null, band: null, home: null, ...spots(trace, width, height, card) };
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

/** @param {import("./cells.js").Bins} bins @returns {Array<[number, number]>} how many cells side by side, and how well liked */
function columnChoices({ region, count }) {
  const square = Math.ceil(Math.sqrt(region));
  const choices = [[square, 1], [Math.ceil(region / 2), 0.9], [2 * square, 0.85], [Math.max(1, square >> 1), 0.75], [region, 0.7], [1, 0.6]];
  const seen = new Set();
  return choices
    .filter(([columns]) => columns >= 1 && columns <= count && !seen.has(columns) && seen.add(columns))
    .map(([columns, liking]) => [columns, region % columns ? 0.85 * liking : liking]); // full rows look best
}

/** @param {import("./cells.js").Bins} bins @param {number} cell @param {number} columns */
function cardSize({ count }, cell, columns) {
  const rows = Math.ceil(count / columns);
  const title = cell >= 16 ? TITLE : SMALL_TITLE;
  return { cardWidth: Math.max(columns * cell + PAD, 18), cardHeight: rows * cell + title + PAD, title };
}

/** @param {Trace} trace @param {Layout["shape"]} shape @returns {Array<[Spots, number]>} and how well liked each is */
function candidates(trace, shape) {
  if (shape === "tree") return rootOf(trace) >= 0 ? [[rooted, 1]] : [[tree, 1], ...(trace.ranks > 4 ? /** @type {Array<[Spots, number]>} */ ([[sides, 0.9]]) : [])];
  if (shape === "nodes") return [[boxed, 1]];
  if (shape === "grid") return [[grid, 1]];
  if (trace.ranks <= 2) return [[ellipse, 1]];
  const across = Array.from({ length: Math.max(0, trace.ranks / 2 - 1) }, (_, k) => k + 2).filter((k) => trace.ranks > 8 && 2 * k < trace.ranks);
  return [[ellipse, 1], [frame, 0.95], ...across.map((k) => /** @type {[Spots, number]} */ ([loop(k), 0.9]))];
}

/** @param {Layout} layout @param {number} gap @returns {boolean} nothing overlaps, nothing sticks out */
export function fits({ x, y, cardWidth, cardHeight, width, height, shape, boxes }, gap) {
  if (!keepsInside({ x, y, cardWidth, cardHeight, boxes })) return false;
  const gapX = shape === "tree" ? Math.min(gap, 4) : gap;
  for (let a = 0; a < x.length; a++) {
    if (x[a] < cardWidth / 2 || x[a] > width - cardWidth / 2 || y[a] < cardHeight / 2 || y[a] > height - cardHeight / 2) return false;
    for (let b = 0; b < a; b++) {
      if (Math.abs(x[a] - x[b]) < cardWidth + gapX && Math.abs(y[a] - y[b]) < cardHeight + gap) return false;
    }
  }
  return true;
}

/** @param {Layout} layout @param {number} v @param {number} slot @returns {[number, number]} the centre of its cell */
export function cellAt(layout, v, slot) {
  return layout.kind === "dots" ? [layout.x[v], layout.y[v]] : binAt(layout, v, binOf(layout.bins, slot));
}

/** @param {Layout} layout of cards @param {number} v @param {number} bin @returns {[number, number]} the centre of a cell */
export function binAt({ x, y, cell, columns, cardHeight, title }, v, bin) {
  const left = x[v] - (columns * cell) / 2;
  const top = y[v] - cardHeight / 2 + title + (PAD - 2) / 2;
  return [left + ((bin % columns) + 0.5) * cell, top + (Math.floor(bin / columns) + 0.5) * cell];
}

/** @param {Layout} l @param {number} x @param {number} y @returns {number} the vertex there, or the nearest of those too small to hit; -1 if none */
export function vertexAt(l, x, y) {
  const round = l.mark === "gauge" || l.mark === "band";
  let [found, least] = [-1, round ? Math.max(10, l.cardWidth / 2) : Infinity];
  for (let v = 0; v < l.x.length; v++) {
    const [dx, dy] = [Math.abs(x - l.x[v]), Math.abs(y - l.y[v])];
    if (!round && (dx > l.cardWidth / 2 || dy > l.cardHeight / 2)) continue;
    const far = Math.hypot(dx, dy);
    if (far <= least) [found, least] = [v, far];
  }
  return found;
}
