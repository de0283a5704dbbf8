// What travels among the nodes of a large machine in a step: one line for each pair of nodes, a frame where it stays inside.

import { ADD } from "../trace.js";
import { arrow } from "./scenery.js";

/** @typedef {import("./view.js").Scene} Scene */
/** @typedef {import("../pen.js").Pen} Pen */
/** @typedef {import("../layout.js").Layout} Layout */

/** @param {Pen} pen @param {Scene} scene @param {Layout} l */
export function paintFlows(pen, { trace, lane, theme }, l) {
  const home = /** @type {Int16Array} */ (l.home);
  /** @type {Map<number, boolean>} */
  const flows = new Map();
  for (const i of lane.moving) flows.set(home[trace.src[i]] * l.boxes.length + home[trace.dst[i]], trace.op[i] === ADD);
  for (const [key, add] of flows) {
    const [from, to] = [l.boxes[Math.floor(key / l.boxes.length)], l.boxes[key % l.boxes.length]];
    const style = { colour: add ? theme.reduce : theme.copy, width: 1.4, dash: add ? [] : [4, 3] };
    if (from === to) pen.box(from.x0, from.y0, from.x1 - from.x0, from.y1 - from.y0, { stroke: style.colour, width: style.width, dash: style.dash, radius: 1 });
    else {
      const [a, b] = [edgeOf(from, to), edgeOf(to, from)];
      pen.line([a, b], style);
      arrow(pen, [a, b], style.colour, 4);
    }
  }
}

/** @typedef {Layout["boxes"][number]} Box */

/** @param {Box} box @param {Box} other @returns {[number, number]} where the straight line to the other leaves a box, a little inside */
function edgeOf(box, other) {
  const middle = (/** @type {Box} */ { x0, x1, y0, y1 }) => [(x0 + x1) / 2, (y0 + y1) / 2];
  const [[x, y], [ox, oy]] = [middle(box), middle(other)];
  const [dx, dy] = [ox - x, oy - y];
  const part = Math.min((box.x1 - box.x0) / 2 / Math.max(1e-9, Math.abs(dx)), (box.y1 - box.y0) / 2 / Math.max(1e-9, Math.abs(dy)));
  return [x + 0.9 * part * dx, y + 0.9 * part * dy];
}
