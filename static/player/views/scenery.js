// What stands still in the network picture: boxes, edges; and the head of an arrow.

import { classBetween, STROKES } from "../links.js";
import { between, detour } from "../ways.js";

/** @typedef {import("./view.js").Scene} Scene */
/** @typedef {import("../pen.js").Pen} Pen */
/** @typedef {{x: Array<number|null>, y: Array<number|null>}} Line */

const MOST_EDGES = 2500; // more lines than this are only a grey mass

/** @param {import("../layout.js").Layout} l @param {import("../palette.js").Theme} theme outer boxes are dotted, and only a frame */
export function boxes(l, theme) {
  if (!l.boxes.length) return [];
  const frames = (/** @type {boolean} */ outer) => {
    const mine = l.boxes.filter((box) => Boolean(box.outer) === outer);
    return { x: mine.flatMap(({ x0, x1 }) => [x0, x1, x1, x0, x0, null]), y: mine.flatMap(({ y0, y1 }) => [y0, y0, y1, y1, y0, null]) };
  };
  const labels = l.boxes.filter(({ name }) => name);
  return [
    { type: "scatter", mode: "lines", ...frames(true), line: { color: theme.muted, width: 1.4, dash: "4px,3px" } },
    { type: "scatter", mode: "lines", ...frames(false), fill: "toself", fillcolor: theme.surface, line: { color: theme.faint, width: 1 } },
    { type: "scatter", mode: "text", x: labels.map((b) => b.x0 + 6), y: labels.map((b) => b.y0 + 9), text: labels.map((b) => b.name), textposition: "middle right", textfont: { size: 11, color: theme.muted } },
  ];
}

/**
 * Every pair that ever talks. With a network, a Plotly trace for each class of links; else a thin one for links inside
 * groups and a wide one for those between groups.
 * @param {Scene} scene @param {import("../layout.js").Layout} l
 */
export function edges({ trace, theme }, l) {
  const { links, group } = trace;
  const seen = new Uint8Array(trace.vertices * trace.vertices);
  const sets = Array.from({ length: links ? links.classes.length : 2 }, () => /** @type {Line} */ ({ x: [], y: [] }));
  let pairs = 0;
  for (let i = 0; i < trace.src.length && pairs <= MOST_EDGES; i++) {
    const [a, b] = trace.src[i] < trace.dst[i] ? [trace.src[i], trace.dst[i]] : [trace.dst[i], trace.src[i]];
    if (seen[a * trace.vertices + b]) continue;
    seen[a * trace.vertices + b] = 1;
    pairs++;
    const points = between(l, trace.src[i], trace.dst[i], detour(l, trace.src[i], trace.dst[i])); // a way bows as its messages do
    if (points.length < 2) continue;
    const far = group && b < trace.ranks && group[a] !== group[b];
    const set = sets[links ? classBetween(trace, a, b) : Number(far)];
    set.x.push(...points.map(([x]) => x), null);
    set.y.push(...points.map(([, y]) => y), null);
  }
  const few = pairs <= 3 * trace.vertices;
  const clear = l.kind === "cards" && few;
  const thin = clear ? 0.8 : 0.56;
  const pale = clear ? 0.4 : Math.max(0.1, Math.min(few ? 0.4 : 0.3, 40 / pairs)); // a hint of the structure: what travels now stands out
  return sets.map((set, nth) => {
    const shown = pairs <= MOST_EDGES && set.x.length ? set : { x: [null], y: [null] };
    const { width, dash } = links ? STROKES[nth] : { width: nth ? 3.5 : 1.6, dash: [] };
    const line = { color: theme.line, width: thin * width, dash: dash.length ? dash.map((part) => `${part}px`).join(",") : "solid", simplify: false };
    return { type: "scatter", mode: "lines", ...shown, line, opacity: links ? 0.55 : pale };
  });
}

/** @param {Pen} pen @param {Array<[number, number]>} points @param {string} colour @param {number} [size] pixels, of its head */
export function arrow(pen, points, colour, size = 7) {
  const [[x0, y0], [x1, y1]] = points.slice(-2);
  const turn = Math.atan2(y1 - y0, x1 - x0);
  const wing = (/** @type {number} */ side) => /** @type {[number, number]} */ ([x1 - size * Math.cos(turn + side), y1 - size * Math.sin(turn + side)]);
  pen.line([wing(0.45), [x1, y1], wing(-0.45)], { colour, width: 0.3 * size });
}
