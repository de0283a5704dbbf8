// Ranks that form a tree among themselves: recognised in the schedule, drawn with the root on top.

import { ADD } from "./trace.js";
import { EDGE } from "./shapes.js";

/** @typedef {import("./trace.js").Trace} Trace */

/** @type {WeakMap<Trace, number>} */
const roots = new WeakMap();

/** @param {Trace} trace @returns {number} the rank where all sums meet, if the pairs that talk are a branching tree; else -1 */
export function rootOf(trace) {
  let root = roots.get(trace);
  if (root === undefined) roots.set(trace, (root = findRoot(trace)));
  return root;
}

/** @param {Trace} trace */
function findRoot(trace) {
  const { ranks, vertices, src, dst, op } = trace;
  if (vertices > ranks || ranks < 4 || ranks > 64) return -1;
  const near = neighbours(trace);
  const edges = near.reduce((sum, list) => sum + list.length, 0) / 2;
  if (edges !== ranks - 1 || Math.max(...near.map((list) => list.length)) < 3) return -1;
  let [sum, spread] = [-1, -1]; // who added last, who copied first
  for (let i = 0; i < src.length; i++) {
    if (op[i] === ADD) sum = dst[i];
    else if (spread < 0) spread = src[i];
  }
  const root = sum >= 0 ? sum : spread;
  return order(near, root).length === ranks ? root : -1;
}

/** @param {Trace} trace @returns {number[][]} whom each rank ever talks to */
function neighbours({ ranks, src, dst }) {
  const near = Array.from({ length: ranks }, () => new Set());
  for (let i = 0; i < src.length; i++) {
    near[src[i]].add(dst[i]);
    near[dst[i]].add(src[i]);
  }
  return near.map((set) => /** @type {number[]} */ ([...set]).sort((a, b) => a - b));
}

/** @param {number[][]} near @param {number} root @returns {Array<[number, number]>} ranks with their depth, every child after its parent */
function order(near, root) {
  /** @type {Array<[number, number]>} */
  const found = [[root, 0]];
  const seen = new Set([root]);
  for (const [v, depth] of found) {
    for (const next of near[v]) {
      if (seen.has(next)) continue;
      seen.add(next);
      found.push([next, depth + 1]);
    }
  }
  return found;
}

/** @type {import("./shapes.js").Spots} every subtree in a strip of its own, as wide as it has leaves */
export function rooted(trace, width, height, card) {
  const near = neighbours(trace);
  const ranks = order(near, rootOf(trace));
  const depth = new Map(ranks);
  const deepest = Math.max(...depth.values());
  const children = (/** @type {number} */ v) => near[v].filter((next) => /** @type {number} */ (depth.get(next)) > /** @type {number} */ (depth.get(v)));
  const leaves = new Map();
  for (const [v] of [...ranks].reverse()) leaves.set(v, children(v).reduce((sum, child) => sum + leaves.get(child), 0) || 1);
  const x = new Float64Array(trace.vertices);
  const y = new Float64Array(trace.vertices);
  const strip = new Map([[ranks[0][0], [EDGE, width - EDGE]]]);
  for (const [v, level] of ranks) {
    const [from, to] = /** @type {number[]} */ (strip.get(v));
    x[v] = (from + to) / 2;
    y[v] = EDGE + card.cardHeight / 2 + (level / Math.max(1, deepest)) * (height - card.cardHeight - 2 * EDGE);
    let at = from;
    for (const child of children(v)) {
      const share = ((to - from) * leaves.get(child)) / leaves.get(v);
      strip.set(child, [at, at + share]);
      at += share;
    }
  }
  return { x, y, boxes: [] };
}
