// How much travels over every pair's way: bands under the picture of the network.

import { fullest, fullness } from "../load.js";
import { countOf } from "../trace.js";
import { between, detour } from "../ways.js";

/** @typedef {import("./view.js").Scene} Scene */
/** @typedef {import("../pen.js").Pen} Pen */

export const BAND = { least: 2, most: 14, alpha: 0.45 }; // pixels wide, from nothing to full
const MOST_WAYS = 2500;

/**
 * Every way as wide as its links are full now; without a network, as what it carries in all.
 * @param {Pen} pen @param {Scene} scene @param {import("../layout.js").Layout} l
 * @param {Array<{src: number, dst: number, bow: number}>} messages how far the ways bow that are drawn above
 */
export function paintLoad(pen, { trace, theme, lane, clock }, l, messages) {
  const bows = new Map(messages.map(({ src, dst, bow }) => [src * trace.vertices + dst, bow]));
  const full = trace.links ? fullness(lane, clock) : null;
  /** @type {Map<number, number>} */
  const share = new Map();
  const count = full ? lane.moving.length : trace.src.length;
  for (let k = 0; k < count; k++) {
    const i = full ? lane.moving[k] : k;
    const key = trace.src[i] * trace.vertices + trace.dst[i];
    share.set(key, full ? fullest(trace, full, i) : (share.get(key) ?? 0) + countOf(trace, i));
  }
  if (share.size > MOST_WAYS) return;
  const most = full ? 1 : Math.max(1, ...share.values());
  for (const [key, part] of share) {
    const [a, b] = [Math.floor(key / trace.vertices), key % trace.vertices];
    const points = between(l, a, b, (full && bows.get(key)) ?? detour(l, a, b));
    const width = BAND.least + (BAND.most - BAND.least) * Math.min(1, part / most);
    if (points.length > 1) pen.line(points, { colour: theme.switch, width, alpha: BAND.alpha });
  }
}
