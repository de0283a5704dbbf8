// What stands still in the network picture: boxes, edges; and the head of an arrow.

import { classBetween, STROKES } from "../links.js";
import { between, detour } from "../ways.js";
import { drawn, pathOf } from "./view.js";

/** @typedef {import("./view.js").Scene} Scene */
/** @typedef {import("../pen.js").Pen} Pen */
/** @typedef {import("../plotly.js").Options} Options */

const MOST_EDGES = 2500; // more lines than this are only a grey mass

/** @param {import("../layout.js").Layout} l @param {import("../palette.js").Theme} theme @returns {Options[]} outer boxes are dotted, and only a frame */
export function boxes(l, theme) {
  const frames = (/** @type {boolean} */ outer) =>
    l.boxes.filter((box) => Boolean(box.outer) === outer).map(({ x0, x1, y0, y1 }) => `${pathOf([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])}Z`).join("");
  return [
    drawn(frames(true), { color: theme.muted, width: 1.4, dash: "4px,3px" }),
    drawn(frames(false), { color: theme.faint, width: 1 }, { fillcolor: theme.surface }),
  ];
}

/** @param {import("../layout.js").Layout} l @param {import("../palette.js").Theme} theme @returns {Options[]} the names of the boxes */
export function labelsOf(l, theme) {
  const labels = l.boxes.filter(({ name }) => name);
  if (!labels.length) return [];
  return [
    { type: "scatter", mode: "text", x: labels.map((b) => b.x0 + 6), y: labels.map((b) => b.y0 + 9), text: labels.map((b) => b.name), textposition: "middle right", textfont: { size: 11, color: theme.muted } },
  ];
}

/**
 * Every pair that ever talks. With a network, a path for each class of links; else a thin one for links inside
 * groups and a wide one for those between groups.
 * @param {Scene} scene @param {import("../layout.js").Layout} l @returns {Options[]}
 */
export function edges({ trace, theme }, l) {
  const { links, group } = trace;
  const seen = new Uint8Array(trace.vertices * trace.vertices);
  const sets = Array.from({ length: links ? links.classes.length : 2 }, () => "");
  let pairs = 0;
  for (let i = 0; i < trace.src.length && pairs <= MOST_EDGES; i++) {
    const [a, b] = trace.src[i] < trace.dst[i] ? [trace.src[i], trace.dst[i]] : [trace.dst[i], trace.src[i]];
    if (seen[a * trace.vertices + b]) continue;
    seen[a * trace.vertices + b] = 1;
    pairs++;
    const points = between(l, trace.src[i], trace.dst[i], detour(l, trace.src[i], trace.dst[i])); // a way bows as its messages do
    if (points.length < 2) continue;
    const far = group && b < trace.ranks && group[a] !== group[b];
    sets[links ? classBetween(trace, a, b) : Number(far)] += pathOf(points);
  }
  const few = pairs <= 3 * trace.vertices;
  const clear = l.kind === "cards" && few;
  const thin = clear ? 0.8 : 0.56;
  const pale = clear ? 0.4 : Math.max(0.1, Math.min(few ? 0.4 : 0.3, 40 / pairs)); // a hint of the structure: what travels now stands out
  return sets.map((path, nth) => {
    const { width, dash } = links ? STROKES[nth] : { width: nth ? 3.5 : 1.6, dash: [] };
    const line = { color: theme.line, width: thin * width, dash: dash.length ? dash.map((part) => `${part}px`).join(",") : "solid" };
    return drawn(pairs <= MOST_EDGES ? path : "", line, { opacity: links ? 0.55 : pale });
  });
}

/** @param {Pen} pen @param {Array<[number, number]>} points @param {string} colour @param {number} [size] pixels, of its head */
export function arrow(pen, points, colour, size = 7) {
  const [[x0, y0], [x1, y1]] = points.slice(-2);
  const turn = Math.atan2(y1 - y0, x1 - x0);
  const wing = (/** @type {number} */ side) => /** @type {[number, number]} */ ([x1 - size * Math.cos(turn + side), y1 - size * Math.sin(turn + side)]);
  pen.line([wing(0.45), [x1, y1], wing(-0.45)], { colour, width: 0.3 * size });
}
