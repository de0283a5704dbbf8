// A look at one rank among many: itself, who sends to it and whom it sends to, in this step.

import { levelColour } from "../palette.js";
import { COMPLETE, FAULT } from "../replay.js";
import { ADD, vertexName } from "../trace.js";
import { ease } from "../layout.js";

/** @typedef {import("./view.js").Scene} Scene */

const BINS = [64, 36, 25, 16]; // the most that still has cells of this size
const SMALLEST = 13;

/**
 * Where the cards of the lens stand.
 * @param {Scene} scene @param {{x: number, y: number, width: number, height: number}} room
 */
function arrange(scene, room) {
  const { trace } = scene;
  const cast = partners(scene);
  const sizes = BINS.map((most) => {
    const bins = Math.min(most, trace.chunks);
    const columns = Math.ceil(Math.sqrt(bins));
    const rows = Math.ceil(bins / columns);
    return { bins, columns, rows, cell: Math.min(24, (room.width - 50) / 3 / (columns + 0.6), (room.height - 34) / rows) };
  });
  const { bins, columns, rows, cell } = sizes.find((one) => one.cell >= SMALLEST) ?? sizes[sizes.length - 1];
  const [w, h] = [columns * cell + 12, rows * cell + 30];
  const top = room.y - h / 2;
  const left = (/** @type {number} */ k) => room.x + (k - (cast.length - 1) / 2) * (w + 18) - w / 2;
  const spot = (/** @type {number} */ k, /** @type {number} */ chunk) => {
    const bin = Math.floor((chunk * bins) / trace.chunks);
    return [left(k) + 6 + ((bin % columns) + 0.5) * cell, top + 24 + (Math.floor(bin / columns) + 0.5) * cell];
  };
  return { cast, bins, cell, w, h, top, left, spot };
}

/**
 * @param {import("../pen.js").Pen} pen @param {Scene} scene
 * @param {{x: number, y: number, width: number, height: number}} room
 */
export function paintLens(pen, scene, room) {
  const { theme, trace, focus } = scene;
  const { cast, bins, cell, w, h, top, left, spot } = arrange(scene, room);
  cast.forEach((v, k) => {
    pen.box(left(k), top, w, h, { fill: theme.background, stroke: v === focus ? theme.ink : theme.line, width: v === focus ? 2 : 1.2, radius: 8 });
    pen.text(left(k) + w / 2, top + 13, vertexName(trace, v), { colour: theme.ink, size: 12, font: theme.font, weight: v === focus ? 650 : 400 });
    for (let bin = 0; bin < bins; bin++) {
      const [x, y] = spot(k, Math.ceil((bin * trace.chunks) / bins));
      pen.square(x, y, cell - Math.min(2, cell / 5), { fill: levelColour(binLevel(scene, v, bin, bins), theme), stroke: theme.line, width: 0.5, radius: 1 });
    }
  });
}

/**
 * The chunks on their way between the cards of the lens.
 * @param {import("../pen.js").Pen} pen @param {Scene} scene
 * @param {{x: number, y: number, width: number, height: number}} room
 */
export function paintLensPackets(pen, scene, room) {
  const { trace, theme, lane, still, focus } = scene;
  const { cast, spot, cell } = arrange(scene, room);
  for (const i of lane.moving) {
    if (trace.src[i] !== focus && trace.dst[i] !== focus) continue;
    const [from, to] = [cast.indexOf(trace.src[i]), cast.indexOf(trace.dst[i])];
    if (from < 0 || to < 0) continue;
    const [x0, y0] = spot(from, trace.chunk[i] % trace.chunks);
    const [x1, y1] = spot(to, trace.into[i] % trace.chunks);
    const f = still ? 0 : ease(lane.fracOf(i));
    const fill = trace.op[i] === ADD ? theme.reduce_text : theme.copy_text;
    pen.square(x0 + (x1 - x0) * f, y0 + (y1 - y0) * f, Math.max(cell, 9), { fill, stroke: theme.background, width: 1.5 });
  }
}

/** @param {Scene} scene @returns {number[]} whom the focus receives from, the focus, whom it sends to; at most three */
export function partners({ trace, lane, focus }) {
  const from = new Set();
  const to = new Set();
  for (const i of lane.moving) {
    if (trace.dst[i] === focus) from.add(trace.src[i]);
    if (trace.src[i] === focus) to.add(trace.dst[i]);
  }
  const before = [...from].slice(0, 1);
  const behind = [...to].filter((v) => !before.includes(v)).slice(0, 1);
  return [...before, focus, ...behind];
}

/** @param {Scene} scene @param {number} v @param {number} bin @param {number} bins */
function binLevel({ trace, replay }, v, bin, bins) {
  const first = Math.ceil((bin * trace.chunks) / bins);
  const last = Math.max(first + 1, Math.ceil(((bin + 1) * trace.chunks) / bins));
  let sum = 0;
  for (let c = first; c < last; c++) {
    const level = replay.level(v, c);
    if (level === FAULT) return FAULT;
    sum += Math.min(1, level);
  }
  return sum === last - first ? COMPLETE : Math.min(0.999, sum / (last - first));
}
