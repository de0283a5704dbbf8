// The marks of a mistake in the pictures: thick lines, dashed where a transfer is missing, and always a cross.

import { cellAt } from "../layout.js";
import { timesOf } from "../trace.js";
import { between, detour } from "../ways.js";
import { arrow } from "./scenery.js";

/** @typedef {import("./view.js").Scene} Scene */
/** @typedef {import("../pen.js").Pen} Pen */
/** @typedef {Array<[number, number]>} Points */

/** @param {Pen} pen @param {number} x @param {number} y @param {number} reach pixels from the middle @param {import("../palette.js").Theme} theme */
export function cross(pen, x, y, reach, theme) {
  for (const { colour, width } of [{ colour: theme.background, width: 6 }, { colour: theme.fault_text, width: 3 }]) {
    for (const turn of [1, -1]) pen.line([[x - reach, y - turn * reach], [x + reach, y + turn * reach]], { colour, width });
  }
}

/** @param {Pen} pen @param {Points} points @param {import("../fault.js").Mark} mark @param {import("../palette.js").Theme} theme */
function way(pen, points, { transfer, strong }, theme) {
  if (points.length < 2) return;
  const dash = transfer === null ? [7, 5] : [];
  if (strong) pen.line(points, { colour: theme.background, width: 7, alpha: 0.8 });
  pen.line(points, { colour: theme.fault, width: strong ? 4 : 3, dash, alpha: strong ? 1 : 0.6 });
  if (!strong) return;
  const [[x0, y0], [x1, y1]] = [points[(points.length - 1) >> 1], points[points.length >> 1]];
  cross(pen, (x0 + x1) / 2, (y0 + y1) / 2, 7, theme);
}

/**
 * In the network: the ways of this step, and what is wrong now.
 * @param {Pen} pen @param {Scene} scene @param {import("../layout.js").Layout} l
 * @param {Array<{src: number, dst: number, bow: number}>} messages how far the ways bow that are drawn already
 */
export function faultsOfNetwork(pen, { trace, replay, theme }, l, messages) {
  for (const mark of trace.fault?.marks ?? []) {
    if (mark.step !== replay.step) continue;
    const bow = messages.find(({ src, dst }) => src === mark.src && dst === mark.dst)?.bow ?? detour(l, mark.src, mark.dst);
    const points = between(l, mark.src, mark.dst, bow);
    way(pen, points, mark, theme);
    if (points.length > 1) arrow(pen, points, theme.fault);
  }
  for (const [vertex, slot] of wrongNow(trace, replay)) {
    const cards = l.kind === "cards";
    const [x, y] = cards ? cellAt(l, vertex, slot) : [l.x[vertex], l.y[vertex]];
    const size = cards ? l.cell - 1 : l.cardWidth;
    pen.square(x, y, size, { stroke: theme.fault, width: 3, radius: 2 });
    cross(pen, x, y, Math.max(3, size * 0.3), theme);
  }
}

/**
 * On the time axis: all of them, wherever the reader is.
 * @param {Pen} pen @param {import("./spacetime.js").SpaceTimeView} view
 */
export function faultsOfTime(pen, view) {
  const { trace, theme, clock } = view.scene;
  const { s0, s1, v0, v1 } = view.window;
  const outside = (/** @type {number} */ v) => v < v0 || v >= v1;
  for (const mark of trace.fault?.marks ?? []) {
    const { transfer, step, src, dst } = mark;
    if (step < s0 || step >= Math.min(s1, trace.steps) || (outside(src) && outside(dst))) continue;
    const whole = () => [trace.stepStart[step], trace.stepEnd[step]];
    const [from, to] = clock ? (transfer === null ? whole() : timesOf(trace, transfer, step)).map((t) => t / view.unit.per) : [step + 0.04, step + 0.92];
    const ends = /** @type {Points} */ ([[view.pixel(from), view.row(src)], [view.pixel(to), view.row(dst)]]);
    way(pen, ends, mark, theme);
  }
}

/** @param {Pen} pen @param {import("./buffers.js").BuffersView} view */
export function faultsOfBuffers(pen, view) {
  const { trace, replay, theme } = view.scene;
  for (const [vertex, slot] of wrongNow(trace, replay)) {
    const [row, column] = [Math.floor(vertex / view.perRow), Math.floor(slot / view.perColumn)];
    const [x, y, w, h] = view.box(row, column);
    view.outline(pen, row, column, { stroke: theme.fault, width: 3 });
    cross(pen, x + w / 2, y + h / 2, Math.max(3, Math.min(9, 0.3 * Math.min(w, h))), theme);
  }
}

/** @param {import("../trace.js").Trace} trace @param {import("../replay.js").Replay} replay what the proof found wrong at this moment */
const wrongNow = ({ fault }, { step }) => (fault?.cells ?? []).filter(([, , when]) => when === step);
