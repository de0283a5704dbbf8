// Ranks and the switches above them: in rows, on two sides, on rings.

import { EDGE, frame } from "./shapes.js";

/** @typedef {import("./trace.js").Trace} Trace */
/** @typedef {import("./shapes.js").Spots} Spots */

/** @type {Spots} ranks along the bottom, each level of switches above the one it serves */
export function tree(trace, width, height, card) {
  const level = levels(trace);
  const top = Math.max(...level);
  const x = new Float64Array(trace.vertices);
  const y = new Float64Array(trace.vertices);
  for (let v = 0; v < trace.vertices; v++) y[v] = height - EDGE - card.cardHeight / 2 - (level[v] / Math.max(top, 1)) * (height - card.cardHeight - 2 * EDGE);
  for (let r = 0; r < trace.ranks; r++) x[r] = EDGE + ((r + 0.5) / trace.ranks) * (width - 2 * EDGE);
  for (let depth = 1; depth <= top; depth++) spread(servedBy(trace, level, depth), x, width, card.cardWidth);
  return { x, y, boxes: [] };
}

/** @type {Spots} half of the ranks along the top, half along the bottom, the switches between them: the higher, the nearer to the middle */
export function sides(trace, width, height, card) {
  const level = levels(trace);
  const top = Math.max(...level);
  const half = Math.ceil(trace.ranks / 2);
  const reach = height / 2 - EDGE - card.cardHeight / 2;
  const [x, side] = [new Float64Array(trace.vertices), new Float64Array(trace.vertices)]; // side: -1 above, 1 below the middle
  for (let r = 0; r < trace.ranks; r++) {
    side[r] = r < half ? -1 : 1;
    x[r] = EDGE + (((r % half) + 0.5) / half) * (width - 2 * EDGE);
  }
  for (let depth = 1; depth <= top; depth++) {
    const served = servedBy(trace, level, depth);
    for (const [v, below] of served) side[v] = Math.sign(Math.round(below.reduce((sum, low) => sum + side[low], 0) / below.length * 2));
    for (const row of [-1, 0, 1]) spread(new Map([...served].filter(([v]) => side[v] === row)), x, width, card.cardWidth);
  }
  const shared = level.every((depth, v) => depth < top || side[v] === 0); // by both halves: the highest stand in the middle
  const y = Float64Array.from(side, (which, v) => height / 2 + which * reach * (1 - level[v] / (shared ? top : top + 0.5)));
  return { x, y, boxes: [] };
}

/**
 * Put the switches of one row in the middle of what they serve, or evenly when that would make them overlap.
 * @param {Map<number, number[]>} served @param {Float64Array} x @param {number} width @param {number} cardWidth
 */
function spread(served, x, width, cardWidth) {
  for (const [v, below] of served) x[v] = below.reduce((sum, low) => sum + x[low], 0) / below.length;
  const here = [...served.keys()].sort((a, b) => x[a] - x[b] || a - b);
  const tight = here.some((v, k) => k > 0 && x[v] - x[here[k - 1]] < cardWidth + 4);
  if (tight) here.forEach((v, k) => { x[v] = EDGE + ((k + 0.5) / here.length) * (width - 2 * EDGE); });
}

/**
 * The vertices one level further down that each switch of a level talks to.
 * @param {Trace} trace @param {Uint16Array} level @param {number} depth @returns {Map<number, number[]>}
 */
function servedBy(trace, level, depth) {
  /** @type {Map<number, Set<number>>} */
  const served = new Map();
  for (let i = 0; i < trace.src.length; i++) {
    const [a, b] = [trace.src[i], trace.dst[i]];
    const [low, high] = level[a] < level[b] ? [a, b] : [b, a];
    if (level[high] !== depth || level[low] !== depth - 1) continue;
    served.set(high, (served.get(high) ?? new Set()).add(low));
  }
  return new Map([...served].map(([v, below]) => [v, [...below]]));
}

/** @param {Trace} trace @returns {Uint16Array} 0 for ranks, for a switch how many hops to the nearest rank */
export function levels(trace) {
  const level = new Uint16Array(trace.vertices).fill(65535);
  level.fill(0, 0, trace.ranks);
  for (let changed = true; changed; ) {
    changed = false;
    for (let i = 0; i < trace.src.length; i++) {
      for (const [a, b] of [[trace.src[i], trace.dst[i]], [trace.dst[i], trace.src[i]]]) {
        if (level[a] + 1 < level[b]) { level[b] = level[a] + 1; changed = true; }
      }
    }
  }
  return level.map((depth) => (depth === 65535 ? 1 : depth));
}

/** @type {Spots} ranks on the outer ring, each level of switches on a ring further in */
export function rings(trace, width, height, card) {
  const level = levels(trace);
  const top = Math.max(...level);
  const placed = frame({ ...trace, vertices: trace.ranks }, width, height, card);
  const x = new Float64Array(trace.vertices);
  const y = new Float64Array(trace.vertices);
  x.set(placed.x);
  y.set(placed.y);
  const [rx, ry] = [(width - card.cardWidth) / 2 - EDGE, (height - card.cardHeight) / 2 - EDGE];
  for (let depth = 1; depth <= top; depth++) {
    const shrink = 1 - depth / (top + 0.35);
    const served = servedBy(trace, level, depth);
    for (const [v, below] of served) {
      const mean = (/** @type {Float64Array} */ at) => below.reduce((sum, low) => sum + at[low], 0) / below.length;
      const [dx, dy] = [(mean(x) - width / 2) / rx, (mean(y) - height / 2) / ry];
      const far = Math.hypot(dx, dy);
      const reach = far < 0.02 ? 0 : shrink / far;
      [x[v], y[v]] = [width / 2 + dx * reach * rx, height / 2 + dy * reach * ry];
    }
    const here = [...served.keys()];
    if (!crowded(here, x, y)) continue;
    here.forEach((v, k) => { // several switches serve the same ranks: side by side on their ring
      const turn = (2 * Math.PI * (k + depth / 2)) / here.length;
      [x[v], y[v]] = [width / 2 + shrink * rx * Math.sin(turn), height / 2 - shrink * ry * Math.cos(turn)];
    });
  }
  return { x, y, boxes: [] };
}

/** @param {number[]} vertices @param {Float64Array} x @param {Float64Array} y @returns {boolean} are two of them at one place? */
function crowded(vertices, x, y) {
  const places = new Set(vertices.map((v) => `${Math.round(x[v] / 3)} ${Math.round(y[v] / 3)}`));
  return places.size < vertices.length;
}
