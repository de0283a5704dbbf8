// The cards of the network picture, as Plotly draws them: outlines, cells, names.

import { binAt } from "../layout.js";
import { binLevel } from "../cells.js";
import { levelScale } from "../palette.js";
import { FAULT } from "../replay.js";
import { vertexName } from "../trace.js";
import { octagon } from "./marks.js";

/** @typedef {import("./view.js").Scene} Scene */
/** @typedef {import("../layout.js").Layout} Layout */
/** @typedef {import("../plotly.js").Options} Options */

const CORNER = 7;
const LETTER = 0.6; // of a letter's height is its width, at most

/** @param {Scene} scene @param {Layout} l @returns {Options[]} rounded for ranks, without corners for switches */
export function outlines({ trace, theme }, l) {
  const closed = (/** @type {number} */ from, /** @type {number} */ to, /** @type {(v: number) => Array<[number, number]>} */ shape, /** @type {Options} */ look) => {
    const points = Array.from({ length: to - from }, (_, k) => shape(from + k)).flatMap((corners) => [...corners, corners[0], [null, null]]);
    return { type: "scatter", mode: "lines", x: [null, ...points.map(([x]) => x)], y: [null, ...points.map(([, y]) => y)], fill: "toself", ...look };
  };
  const { cardWidth, cardHeight } = l;
  return [
    closed(0, trace.ranks, (v) => rounded(l.x[v], l.y[v], cardWidth, cardHeight), { fillcolor: theme.background, line: { color: theme.line, width: 1.2, simplify: false } }),
    closed(trace.ranks, trace.vertices, (v) => octagon(l.x[v], l.y[v], cardWidth, cardHeight), { fillcolor: theme.surface, line: { color: theme.switch, width: 2, simplify: false } }),
  ];
}

/** @param {number} x @param {number} y @param {number} width @param {number} height @returns {Array<[number, number]>} */
function rounded(x, y, width, height) {
  const [w, h] = [width / 2 - CORNER, height / 2 - CORNER];
  return [[1, 1, 0], [-1, 1, 1], [-1, -1, 2], [1, -1, 3]].flatMap(([sx, sy, quarter]) =>
    Array.from({ length: 5 }, (_, k) => {
      const turn = ((quarter + k / 4) * Math.PI) / 2;
      return /** @type {[number, number]} */ ([x + sx * w + CORNER * Math.cos(turn), y + sy * h + CORNER * Math.sin(turn)]);
    }),
  );
}

/** @param {Scene} scene @param {Layout} l @returns {Options} */
export function cells(scene, l) {
  const { trace, theme } = scene;
  const spots = [];
  for (let v = 0; v < trace.vertices; v++) for (let bin = 0; bin < l.bins.count; bin++) spots.push(binAt(l, v, bin));
  const marker = { color: levels(scene, l), colorscale: levelScale(theme), cmin: 0, cmax: FAULT, symbol: "square", size: l.cell - (l.cell > 9 ? 2 : 1), line: { width: 0.8, color: theme.line } };
  return { type: "scatter", mode: "markers", x: spots.map(([x]) => x), y: spots.map(([, y]) => y), marker };
}

/** @param {Scene} scene @param {Layout} l @returns {Float32Array} how full every cell is */
export function levels({ trace, replay }, l) {
  const { count } = l.bins;
  return Float32Array.from({ length: trace.vertices * count }, (_, i) => binLevel(replay, Math.floor(i / count), l.bins, i % count));
}

/** @param {Scene} scene @param {Layout} l @returns {Options} the name of every vertex that has room for one */
export function names({ trace, theme }, l) {
  const size = l.kind === "cards" && l.title >= 18 ? 12 : 11;
  const shown = l.kind === "cards" ? onCards(trace, l, size) : l.outside ? around(trace, l) : [];
  return { type: "scatter", mode: "text", x: [null, ...shown.map(([x]) => x)], y: [null, ...shown.map(([, y]) => y)], text: ["", ...shown.map(([, , text]) => text)], textfont: { size, color: theme.muted } };
}

/** @param {import("../trace.js").Trace} trace @param {Layout} l @param {number} size @returns {Array<[number, number, string]>} */
function onCards(trace, l, size) {
  const room = (/** @type {string} */ longest) => longest.length * LETTER * size < l.cardWidth - 4;
  const rank = room(vertexName(trace, trace.ranks - 1)) ? "rank " : "";
  const other = ["switch ", "sw "].find((word) => room(`${word}${trace.vertices - 1 - trace.ranks}`)) ?? "s";
  return Array.from({ length: trace.vertices }, (_, v) => [l.x[v], l.y[v] - l.cardHeight / 2 + l.title / 2 + 2, v < trace.ranks ? `${rank}${v}` : `${other}${v - trace.ranks}`]);
}

/** @param {import("../trace.js").Trace} trace @param {Layout} l @returns {Array<[number, number, string]>} outside of a ring, all or evenly chosen */
function around(trace, l) {
  const every = trace.ranks <= 64 ? 1 : 2 ** Math.round(Math.log2(trace.ranks / 16));
  const far = l.band ? Math.abs(l.band.outer[0][1] - l.y[0]) + 10 : l.cardWidth / 2 + 9;
  const [rx, ry] = [reach(l.x, l.width), reach(l.y, l.height)];
  const chosen = Array.from({ length: Math.ceil(trace.ranks / every) }, (_, k) => k * every);
  return chosen.map((v) => [l.width / 2 + ((l.x[v] - l.width / 2) * (rx + far + 3)) / rx, l.height / 2 + ((l.y[v] - l.height / 2) * (ry + far)) / ry, `${v}`]);
}

/** @param {Float64Array} at @param {number} size @returns {number} how far the outermost is from the middle */
const reach = (at, size) => at.reduce((most, place) => Math.max(most, Math.abs(place - size / 2)), 1);
