// Boxes: one for every node, and where a network has them one for every pod of nodes.

import { EDGE, nodes } from "./shapes.js";

/** @typedef {import("./shapes.js").Spots} Spots */
/** @typedef {import("./layout.js").Layout["boxes"]} Boxes */

const LABEL = 17; // pixels for the name of a pod

/** @type {Spots} nodes, in pods where there are any */
export const boxed = (trace, width, height, card) => (trace.pod ? podded : nodes)(trace, width, height, card);

/** @type {Spots} a box for every pod, its nodes inside: side by side, below each other or both, as leaves every rank most room */
function podded(trace, width, height, card) {
  const pod = /** @type {Uint8Array} */ (trace.pod);
  const ids = [...new Set(pod)].sort((a, b) => a - b);
  const choices = ids.map((_, k) => k + 1).filter((across) => across === 1 || ids.length % across === 0);
  const tried = choices.map((across) => arranged(trace, ids, across, width, height, card));
  return tried.reduce((best, one) => (room(one, card) > room(best, card) + 1e-6 ? one : best));
}

/**
 * @param {import("./trace.js").Trace} trace @param {number[]} ids @param {number} across pods side by side
 * @param {number} width @param {number} height @param {import("./shapes.js").Card} card @returns {ReturnType<Spots>}
 */
function arranged(trace, ids, across, width, height, card) {
  const x = new Float64Array(trace.vertices);
  const y = new Float64Array(trace.vertices);
  const boxes = /** @type {Boxes} */ ([]);
  const [w, h] = [(width - EDGE) / across, (height - EDGE) / Math.ceil(ids.length / across)];
  ids.forEach((id, k) => {
    const [x0, y0] = [EDGE / 2 + (k % across) * w + EDGE / 2, EDGE / 2 + Math.floor(k / across) * h + EDGE / 2];
    const label = h > 80 && w > 54 ? LABEL : 0;
    const ranks = Array.from({ length: trace.ranks }, (_, r) => r).filter((r) => trace.pod?.[r] === id);
    const group = Uint16Array.from(ranks, (r) => trace.group?.[r] ?? 0);
    const inside = nodes({ ...trace, group, ranks: ranks.length, vertices: ranks.length }, w - EDGE, h - EDGE - label, card);
    ranks.forEach((r, nth) => [x[r], y[r]] = [x0 + inside.x[nth], y0 + label + inside.y[nth]]);
    const named = [...new Set(group)].sort((a, b) => a - b);
    boxes.push({ x0, y0, x1: x0 + w - EDGE, y1: y0 + h - EDGE, name: label ? `${trace.podName} ${id}` : "", outer: true });
    inside.boxes.forEach((box, nth) => boxes.push({ x0: x0 + box.x0, y0: y0 + label + box.y0, x1: x0 + box.x1, y1: y0 + label + box.y1, name: box.name && `${trace.groupName} ${named[nth]}` }));
  });
  return { x, y, boxes };
}

/** @param {ReturnType<Spots>} placed @param {import("./shapes.js").Card} card @returns {number} how much larger the cards could be before two of them met */
function room({ x, y }, { cardWidth, cardHeight }) {
  let least = Infinity;
  for (let a = 0; a < x.length; a++) for (let b = 0; b < a; b++) least = Math.min(least, Math.max(Math.abs(x[a] - x[b]) / cardWidth, Math.abs(y[a] - y[b]) / cardHeight));
  return least;
}

/** @param {Pick<import("./layout.js").Layout, "x"|"y"|"cardWidth"|"cardHeight"|"boxes">} layout @returns {boolean} does every card keep to the box of its node, where nodes stand in pods? */
export function keepsInside({ x, y, cardWidth, cardHeight, boxes }) {
  if (!boxes.some(({ outer }) => outer)) return true;
  const own = (/** @type {number} */ v) => boxes.find(({ x0, y0, x1, y1, outer }) => !outer && x[v] >= x0 && x[v] <= x1 && y[v] >= y0 && y[v] <= y1);
  return x.every((at, v) => {
    const box = own(v);
    return !box || (2 * Math.min(at - box.x0, box.x1 - at) >= cardWidth && 2 * Math.min(y[v] - box.y0, box.y1 - y[v]) >= cardHeight);
  });
}
