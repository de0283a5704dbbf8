// Who is wired to whom, what each vertex holds, and the chunks on their way.

import { along, cellAt, ease, place } from "../layout.js";
import { levelColour, levelScale, luminance } from "../palette.js";
import { FAULT } from "../replay.js";
import { ADD, countOf, vertexName } from "../trace.js";
import { paintLens, paintLensPackets } from "./lens.js";
import { show } from "../numbers.js";
import { pixelAxes, PlotView } from "./view.js";

/** @typedef {import("./view.js").Scene} Scene */
/** @typedef {import("../pen.js").Pen} Pen */
/** @typedef {{x0: number, y0: number, x1: number, y1: number, bow: number, add: boolean, transfer: number, slot: number}} Packet */

const MOST_EDGES = 2500; // more lines than this are only a grey mass
const MOST_PACKETS = 2500;

export class NetworkView extends PlotView {
  /** @param {string} [name] @param {string} [title] */
  constructor(name = "network", title = "Network") {
    super(name, title);
    /** @type {Packet[]} */
    this.packets = [];
    this.layout = /** @type {import("../layout.js").Layout|null} */ (null);
    this.planned = -1; // the lane's version that the packets belong to
    this.cellTrace = 0;
  }

  /** @param {Scene} scene @param {number} width @param {number} height */
  figure(scene, width, height) {
    const { trace, theme } = scene;
    const l = (this.layout = place(trace, width, height));
    this.how = howTo(l);
    this.plan();
    const outline = (/** @type {[number, number]} */ [from, to], /** @type {string} */ colour) => ({
      type: "scatter", mode: "lines", ...outlines(l, from, to), fill: "toself", fillcolor: theme.background, line: { color: colour, width: 1.4, simplify: false },
    });
    const cards = l.kind === "cards" ? [outline([0, trace.ranks], theme.line), outline([trace.ranks, trace.vertices], theme.switch)] : [];
    const data = [...boxes(l, theme), edges(scene, l), ...cards, names(scene, l), ...(l.kind === "cards" ? [this.cells()] : [])];
    this.cellTrace = data.length - 1;
    return { data, layout: pixelAxes(width, height) };
  }

  cells() {
    const { trace, theme } = this.scene;
    const l = /** @type {import("../layout.js").Layout} */ (this.layout);
    const spots = [];
    for (let v = 0; v < trace.vertices; v++) for (let slot = 0; slot < trace.slots; slot++) spots.push(cellAt(l, v, slot));
    const marker = { color: this.levels(), colorscale: levelScale(theme), cmin: 0, cmax: FAULT, symbol: "square", size: l.cell - 3, line: { width: 0.8, color: theme.line } };
    return { type: "scatter", mode: "markers", x: spots.map(([x]) => x), y: spots.map(([, y]) => y), marker };
  }

  /** @returns {Float32Array} how full every cell is */
  levels() {
    const { trace, replay } = this.scene;
    return Float32Array.from({ length: trace.vertices * trace.slots }, (_, i) => replay.level(Math.floor(i / trace.slots), i % trace.slots));
  }

  update() {
    this.plan();
    super.update();
    if (this.layout?.kind === "cards") return this.scene.Plotly.restyle(this.element, { "marker.color": [this.levels()] }, [this.cellTrace]);
  }

  /** Work out where the chunks of the coming step go. */
  plan() {
    const { trace, lane } = this.scene;
    const l = /** @type {import("../layout.js").Layout} */ (this.layout);
    const pairs = new Set();
    for (const i of lane.moving) pairs.add(trace.src[i] * trace.vertices + trace.dst[i]);
    this.packets = [];
    const stride = Math.max(1, Math.ceil(lane.moving.length / MOST_PACKETS));
    for (let at = 0; at < lane.moving.length; at += stride) {
      const i = lane.moving[at];
      const [src, dst] = [trace.src[i], trace.dst[i]];
      const back = pairs.has(dst * trace.vertices + src);
      const bow = back ? Math.min(18, 0.14 * Math.hypot(l.x[src] - l.x[dst], l.y[src] - l.y[dst])) : 0;
      for (let k = 0; k < (l.kind === "cards" ? countOf(trace, i) : 1); k++) {
        const [x0, y0] = cellAt(l, src, trace.chunk[i] + k);
        const [x1, y1] = cellAt(l, dst, trace.into[i] + k);
        this.packets.push({ x0, y0, x1, y1, bow, add: trace.op[i] === ADD, transfer: i, slot: trace.chunk[i] + k });
      }
    }
    this.planned = lane.version;
  }

  /** @param {Pen} pen */
  paintStill(pen) {
    const l = this.layout;
    if (!l) return;
    if (l.kind === "cards") this.paintNumbers(pen);
    else this.paintDots(pen);
    this.paintHistory(pen);
    this.paintRoutes(pen);
    if (l.kind === "cards") this.paintTargets(pen);
    if (l.lens) paintLens(pen, this.scene, l.lens);
    this.paintChosen(pen);
  }

  /** @param {Pen} pen */
  paint(pen) {
    if (!this.layout) return;
    if (this.planned !== this.scene.lane.version) this.plan();
    this.paintPackets(pen);
    if (this.layout.lens) paintLensPackets(pen, this.scene, this.layout.lens);
  }

  /** @param {Pen} pen a dot for every vertex, as full as the mean of its chunks */
  paintDots(pen) {
    const { trace, theme, replay, focus } = this.scene;
    const l = /** @type {import("../layout.js").Layout} */ (this.layout);
    const level = replay.averages(1, trace.chunks, trace.chunks);
    const edge = l.cardWidth > 8 ? 1.5 : 0;
    for (let v = 0; v < trace.vertices; v++) {
      const stroke = edge ? (v < trace.ranks ? theme.line : theme.switch) : undefined;
      pen.disc(l.x[v], l.y[v], l.cardWidth / 2, { fill: levelColour(level[v][0], theme), stroke, width: edge });
    }
    pen.disc(l.x[focus], l.y[focus], l.cardWidth / 2 + 3, { stroke: theme.ink, width: 2 });
  }

  /** @param {Pen} pen the chunk number in every cell that has room for it */
  paintNumbers(pen) {
    const { trace, theme, replay } = this.scene;
    const l = /** @type {import("../layout.js").Layout} */ (this.layout);
    if (l.cell < 17 || trace.vertices * trace.slots > 160) return;
    for (let v = 0; v < trace.vertices; v++) {
      for (let slot = 0; slot < trace.slots; slot++) {
        const [x, y] = cellAt(l, v, slot);
        const fill = levelColour(replay.level(v, slot), theme);
        pen.text(x, y, this.label(v, slot), { colour: luminance(fill) > 0.3 ? "#1b2333" : "#ffffff", size: Math.min(12, l.cell * 0.5), font: theme.font });
      }
    }
  }

  /** @param {number} v @param {number} slot @returns {string} what stands in a cell: its number among the chunks, or what it holds */
  label(v, slot) {
    const { replay, trace } = this.scene;
    if (replay.value) return replay.held[v * trace.slots + slot] ? show(replay.value[v * trace.slots + slot]) : "";
    return slot < trace.chunks ? `${slot}` : `s${slot - trace.chunks}`;
  }

  /** @param {Pen} pen the ways that the content of the chosen cell came */
  paintHistory(pen) {
    const { history, trace, theme } = this.scene;
    const l = /** @type {import("../layout.js").Layout} */ (this.layout);
    if (!history) return;
    const drawn = new Set();
    history.used.forEach((used, i) => {
      const key = trace.src[i] * trace.vertices + trace.dst[i];
      if (!used || drawn.has(key) || drawn.size > 600) return;
      drawn.add(key);
      const points = between(l, trace.src[i], trace.dst[i], 0);
      if (points.length > 1) pen.line(points, { colour: theme.ink, width: 5, alpha: 0.22 });
    });
    if (l.kind === "cards") for (const cell of history.cells) pen.square(...cellAt(l, Math.floor(cell / trace.slots), cell % trace.slots), l.cell - 1, { stroke: theme.ink, width: 1.6, radius: 2 });
  }

  /** @param {Pen} pen one line for every message, from card to card, with an arrow head */
  paintRoutes(pen) {
    const { theme } = this.scene;
    const l = /** @type {import("../layout.js").Layout} */ (this.layout);
    if (this.packets.length > 600 && l.kind === "dots") return;
    const drawn = new Set();
    for (const { add, transfer, bow } of this.packets) {
      const { src, dst, vertices } = this.scene.trace;
      const key = src[transfer] * vertices + dst[transfer];
      if (drawn.has(key)) continue;
      drawn.add(key);
      const points = between(l, src[transfer], dst[transfer], bow);
      if (points.length < 2) continue;
      const colour = add ? theme.reduce : theme.copy;
      const width = l.kind === "cards" ? 2.4 : l.cardWidth > 8 ? 1.8 : 1;
      pen.line(points, { colour, width, dash: add ? [] : [6, 4], alpha: 0.85 });
      if (l.kind === "cards") arrow(pen, points, colour);
    }
  }

  /** @param {Pen} pen an outline around every cell that is about to change */
  paintTargets(pen) {
    const { theme } = this.scene;
    const size = (this.layout?.cell ?? 0) - 1;
    for (const { x1, y1, add } of this.packets) pen.square(x1, y1, size, { stroke: add ? theme.reduce : theme.copy, width: 1.8, dash: add ? [] : [3, 2], radius: 2 });
  }

  /** @param {Pen} pen */
  paintPackets(pen) {
    const { theme, lane, still, trace } = this.scene;
    const l = /** @type {import("../layout.js").Layout} */ (this.layout);
    const size = l.kind === "cards" ? Math.max(8, l.cell - 2) : Math.max(4, l.cardWidth * 0.62);
    for (const { x0, y0, x1, y1, bow, add, transfer, slot } of this.packets) {
      const [x, y] = along(x0, y0, x1, y1, bow, still ? 0 : ease(lane.fracOf(transfer)));
      const fill = add ? theme.reduce_text : theme.copy_text;
      if (l.kind === "dots") {
        if (add) pen.disc(x, y, size / 2, { fill, stroke: theme.background, width: size > 8 ? 1 : 0.5 });
        else pen.square(x, y, size * 0.9, { fill, stroke: theme.background, width: size > 8 ? 1 : 0.5, radius: 0 });
        continue;
      }
      if (!add) pen.square(x + 2.5, y - 2.5, size, { fill: theme.background, stroke: fill, width: 1.4 }); // a copy: two sheets
      pen.square(x, y, size, { fill, stroke: theme.background, width: 1.5 });
      if (size >= 11) pen.text(x, y, this.label(trace.src[transfer], slot), { colour: theme.on_packet, size: Math.min(13, size * 0.58), font: theme.font, weight: 650 });
    }
  }

  /** @param {Pen} pen */
  paintChosen(pen) {
    const { chosen, theme } = this.scene;
    const l = this.layout;
    if (!chosen || !l) return;
    const [x, y] = cellAt(l, chosen.vertex, chosen.slot);
    pen.square(x, y, (l.kind === "cards" ? l.cell : l.cardWidth) + 3, { stroke: theme.ink, width: 2.5, radius: 3 });
  }

  /** @param {number} x @param {number} y @returns {import("./view.js").Pick|null} */
  pick(x, y) {
    const l = this.layout;
    if (!l) return null;
    const { trace, lane, still } = this.scene;
    const reach = Math.max(9, l.cell / 2);
    const near = this.packets.find((p) => {
      const [px, py] = along(p.x0, p.y0, p.x1, p.y1, p.bow, still ? 0 : ease(lane.fracOf(p.transfer)));
      return Math.abs(px - x) < reach && Math.abs(py - y) < reach;
    });
    if (near) return { transfer: near.transfer };
    for (let v = 0; v < trace.vertices; v++) {
      if (l.kind === "dots" ? Math.hypot(x - l.x[v], y - l.y[v]) > Math.max(8, l.cardWidth / 2) : Math.abs(x - l.x[v]) > l.cardWidth / 2 || Math.abs(y - l.y[v]) > l.cardHeight / 2) continue;
      if (l.kind === "dots") return { vertex: v };
      for (let slot = 0; slot < trace.slots; slot++) {
        const [cx, cy] = cellAt(l, v, slot);
        if (Math.abs(cx - x) <= l.cell / 2 && Math.abs(cy - y) <= l.cell / 2) return { vertex: v, slot };
      }
      return { vertex: v };
    }
    return null;
  }
}

/** @param {import("../layout.js").Layout} l */
function howTo(l) {
  const inside = l.lens ? "; in the middle, one rank and its partners" : "";
  return `${l.kind === "cards" ? "squares are chunks, moving ones are in flight" : "a dot is a rank, green when complete"}${inside}`;
}

/** @param {import("../layout.js").Layout} l @param {any} theme */
function boxes(l, theme) {
  if (!l.boxes.length) return [];
  const x = [];
  const y = [];
  for (const { x0, y0, x1, y1 } of l.boxes) {
    x.push(x0, x1, x1, x0, x0, null);
    y.push(y0, y0, y1, y1, y0, null);
  }
  const labels = l.boxes.filter(({ name }) => name);
  return [
    { type: "scatter", mode: "lines", x, y, fill: "toself", fillcolor: theme.surface, line: { color: theme.faint, width: 1 } },
    { type: "scatter", mode: "text", x: labels.map((b) => b.x0 + 6), y: labels.map((b) => b.y0 + 9), text: labels.map((b) => b.name), textposition: "middle right", textfont: { size: 11, color: theme.muted } },
  ];
}

/** @param {import("../layout.js").Layout} l @param {number} from @param {number} to closed rounded outlines of some cards */
function outlines(l, from, to) {
  /** @type {Array<number|null>} */
  const x = [];
  /** @type {Array<number|null>} */
  const y = [];
  const r = 7;
  for (let v = from; v < to; v++) {
    const corners = [[1, 1, 0], [-1, 1, 1], [-1, -1, 2], [1, -1, 3]];
    const start = x.length;
    for (const [sx, sy, quarter] of corners) {
      for (let k = 0; k <= 4; k++) {
        const turn = ((quarter + k / 4) * Math.PI) / 2;
        x.push(l.x[v] + sx * (l.cardWidth / 2 - r) + r * Math.cos(turn));
        y.push(l.y[v] + sy * (l.cardHeight / 2 - r) + r * Math.sin(turn));
      }
    }
    x.push(x[start], null);
    y.push(y[start], null);
  }
  return { x: x.length ? x : [null], y: y.length ? y : [null] };
}

/** @param {Scene} scene @param {import("../layout.js").Layout} l every pair that ever talks, as one Plotly trace */
function edges({ trace, theme }, l) {
  const seen = new Uint8Array(trace.vertices * trace.vertices);
  const x = [];
  const y = [];
  let pairs = 0;
  for (let i = 0; i < trace.src.length && pairs <= MOST_EDGES; i++) {
    const [a, b] = trace.src[i] < trace.dst[i] ? [trace.src[i], trace.dst[i]] : [trace.dst[i], trace.src[i]];
    if (seen[a * trace.vertices + b]) continue;
    seen[a * trace.vertices + b] = 1;
    pairs++;
    const points = between(l, a, b, 0);
    if (points.length < 2) continue;
    x.push(points[0][0], points[points.length - 1][0], null);
    y.push(points[0][1], points[points.length - 1][1], null);
  }
  const few = pairs <= 3 * trace.vertices;
  const line = { color: few ? theme.line : theme.faint, width: l.kind === "cards" ? (few ? 1.6 : 1) : 0.8 };
  const drawn = pairs <= MOST_EDGES && x.length;
  return { type: "scatter", mode: "lines", x: drawn ? x : [null], y: drawn ? y : [null], line };
}

/** @param {Scene} scene @param {import("../layout.js").Layout} l the name of every vertex that has room for one */
function names({ trace, theme }, l) {
  /** @type {{x: number[], y: number[], text: string[]}} */
  const shown = { x: [], y: [], text: [] };
  const cards = l.kind === "cards";
  const every = cards || trace.ranks <= 64 ? 1 : 2 ** Math.ceil(Math.log2(trace.ranks / 8));
  if (!cards && l.shape === "nodes") return { type: "scatter", mode: "text", x: [null], y: [null] };
  for (let v = 0; v < (cards ? trace.vertices : trace.ranks); v += every) {
    const out = 1 + (l.cardWidth / 2 + (every > 1 ? 24 : 12)) / Math.hypot(l.x[v] - l.width / 2, l.y[v] - l.height / 2);
    shown.x.push(cards ? l.x[v] : l.width / 2 + (l.x[v] - l.width / 2) * out);
    shown.y.push(cards ? l.y[v] - l.cardHeight / 2 + l.title / 2 + 2 : l.height / 2 + (l.y[v] - l.height / 2) * out);
    const name = vertexName(trace, v);
    shown.text.push(cards ? (l.cardWidth > 7 * name.length + 4 ? name : v < trace.ranks ? `${v}` : l.cardWidth > 30 ? `sw ${v - trace.ranks}` : `s${v - trace.ranks}`) : every > 1 ? name : `${v}`);
  }
  return { type: "scatter", mode: "text", ...shown, textfont: { size: cards && l.title >= 18 ? 12 : 11, color: theme.muted } };
}

/**
 * The visible part of the way between two vertices: what lies outside both cards (or dots).
 * @param {import("../layout.js").Layout} l @param {number} a @param {number} b @param {number} bow
 */
function between(l, a, b, bow) {
  const SAMPLES = 32;
  const round = l.kind === "dots";
  const inside = (/** @type {number} */ v, /** @type {number} */ x, /** @type {number} */ y) =>
    round ? Math.hypot(x - l.x[v], y - l.y[v]) < l.cardWidth / 2 : Math.abs(x - l.x[v]) < l.cardWidth / 2 + 2 && Math.abs(y - l.y[v]) < l.cardHeight / 2 + 2;
  const points = [];
  for (let k = 0; k <= SAMPLES; k++) {
    const [x, y] = along(l.x[a], l.y[a], l.x[b], l.y[b], bow, k / SAMPLES);
    if (!inside(a, x, y) && !inside(b, x, y)) points.push(/** @type {[number, number]} */ ([x, y]));
  }
  return points;
}

/** @param {Pen} pen @param {Array<[number, number]>} points @param {string} colour */
function arrow(pen, points, colour) {
  const [[x0, y0], [x1, y1]] = points.slice(-2);
  const turn = Math.atan2(y1 - y0, x1 - x0);
  const wing = (/** @type {number} */ side) => /** @type {[number, number]} */ ([x1 - 8 * Math.cos(turn + side), y1 - 8 * Math.sin(turn + side)]);
  pen.line([wing(0.45), [x1, y1], wing(-0.45)], { colour, width: 2.4 });
}
