// A look at one rank among many: itself, who sends to it and whom it sends to, in this step.

import { levelColour } from "../palette.js";
import { COMPLETE, FAULT } from "../replay.js";
import { ADD, vertexName } from "../trace.js";

/** @typedef {import("./view.js").Scene} Scene */

const MOST_BINS = 64;

/**
 * @param {import("../pen.js").Pen} pen @param {Scene} scene
 * @param {{x: number, y: number, width: number, height: number}} room
 */
export function paintLens(pen, scene, room) {
  const { theme, trace } = scene;
  const cast = partners(scene);
  const bins = Math.min(MOST_BINS, trace.chunks);
  const columns = Math.ceil(Math.sqrt(bins));
  const rows = Math.ceil(bins / columns);
  const cell = Math.min(22, room.width / 3.3 / (columns + 0.8), room.height / (rows + 2));
  const [w, h] = [columns * cell + 12, rows * cell + 30];
  const left = (/** @type {number} */ k) => room.x + (k - (cast.length - 1) / 2) * (w + 18) - w / 2;
  const spot = (/** @type {number} */ k, /** @type {number} */ chunk) => {
    const bin = Math.floor((chunk * bins) / trace.chunks);
    return [left(k) + 6 + ((bin % columns) + 0.5) * cell, room.y - h / 2 + 24 + (Math.floor(bin / columns) + 0.5) * cell];
  };
  cast.forEach((v, k) => {
    const stroke = v === scene.focus ? theme.ink : theme.line;
    pen.box(left(k), room.y - h / 2, w, h, { fill: theme.background, stroke, width: v === scene.focus ? 2 : 1.2, radius: 8 });
    pen.text(left(k) + w / 2, room.y - h / 2 + 13, vertexName(trace, v), { colour: theme.ink, size: 12, font: theme.font, weight: v === scene.focus ? 650 : 400 });
    for (let bin = 0; bin < bins; bin++) {
      const [x, y] = spot(k, Math.ceil((bin * trace.chunks) / bins));
      pen.square(x, y, cell - Math.min(2, cell / 5), { fill: levelColour(binLevel(scene, v, bin, bins), theme), stroke: theme.line, width: 0.5, radius: 1 });
    }
  });
  paintPackets(pen, scene, cast, spot, cell);
}

/**
 * @param {import("../pen.js").Pen} pen @param {Scene} scene @param {number[]} cast
 * @param {(k: number, chunk: number) => number[]} spot @param {number} cell
 */
function paintPackets(pen, { trace, theme, frac, replay, focus }, cast, spot, cell) {
  if (replay.step >= trace.steps) return;
  const f = frac < 0.5 ? 2 * frac * frac : 1 - (2 - 2 * frac) ** 2 / 2;
  for (let i = trace.stepPtr[replay.step]; i < trace.stepPtr[replay.step + 1]; i++) {
    if (trace.src[i] !== focus && trace.dst[i] !== focus) continue;
    const [from, to] = [cast.indexOf(trace.src[i]), cast.indexOf(trace.dst[i])];
    if (from < 0 || to < 0) continue;
    const [x0, y0] = spot(from, trace.chunk[i] % trace.chunks);
    const [x1, y1] = spot(to, trace.into[i] % trace.chunks);
    const fill = trace.op[i] === ADD ? theme.reduce_text : theme.copy_text;
    pen.square(x0 + (x1 - x0) * f, y0 + (y1 - y0) * f, Math.max(cell, 9), { fill, stroke: theme.background, width: 1.5 });
  }
}

/** @param {Scene} scene @returns {number[]} whom the focus receives from, the focus, whom it sends to; at most five, once each */
export function partners({ trace, replay, focus }) {
  const from = new Set();
  const to = new Set();
  if (replay.step < trace.steps) {
    for (let i = trace.stepPtr[replay.step]; i < trace.stepPtr[replay.step + 1]; i++) {
      if (trace.dst[i] === focus) from.add(trace.src[i]);
      if (trace.src[i] === focus) to.add(trace.dst[i]);
    }
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
