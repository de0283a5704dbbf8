// Who is wired to whom, what each vertex holds, and the chunks on their way.

import { along, cellAt, ease, place } from "../layout.js";
import { levelColour, levelScale, luminance } from "../palette.js";
import { FAULT } from "../replay.js";
import { ADD, countOf } from "../trace.js";
import { faultsOfNetwork } from "./faults.js";
import { paintLens, paintLensPackets } from "./lens.js";
import { show } from "../numbers.js";
import { arrow, between, boxes, detour, edges, howTo, names, outlines, paintLoad } from "./scenery.js";
import { pixelAxes, PlotView } from "./view.js";

/** @typedef {import("./view.js").Scene} Scene */
/** @typedef {import("../pen.js").Pen} Pen */
/** @typedef {{x0: number, y0: number, x1: number, y1: number, bow: number, add: boolean, transfer: number, slot: number}} Packet */

const MOST_PACKETS = 2500;
const CROWD = 40; // so many packets at once are drawn smaller, their ways thinner

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
    const data = [...boxes(l, theme), ...edges(scene, l), ...cards, names(scene, l), ...(l.kind === "cards" ? [this.cells()] : [])];
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
      const bow = detour(l, src, dst) || (back ? Math.min(18, 0.14 * Math.hypot(l.x[src] - l.x[dst], l.y[src] - l.y[dst])) : 0);
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
    if (this.scene.load) paintLoad(pen, this.scene, l);
    this.paintHistory(pen);
    this.paintRoutes(pen);
    if (l.kind === "cards") this.paintTargets(pen);
    faultsOfNetwork(pen, this.scene, l, this.packets);
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
      const crowd = this.packets.length > CROWD;
      const width = crowd ? 1.2 : l.kind === "cards" ? 2.4 : l.cardWidth > 8 ? 1.8 : 1;
      pen.line(points, { colour, width, dash: add ? [] : [6, 4], alpha: crowd ? 0.45 : 0.85 });
      if (l.kind === "cards" && !crowd) arrow(pen, points, colour);
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
    const size = l.kind === "cards" ? Math.max(8, Math.min(l.cell - 2, this.packets.length > CROWD ? 15 : 40)) : Math.max(4, l.cardWidth * 0.62);
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
    if (chosen && l) pen.square(...cellAt(l, chosen.vertex, chosen.slot), (l.kind === "cards" ? l.cell : l.cardWidth) + 3, { stroke: theme.ink, width: 2.5, radius: 3 });
  }

  /** @param {Pen} pen @param {import("./view.js").Pick} hover */
  paintHover(pen, { vertex, slot, transfer }) {
    const { theme, trace } = this.scene;
    const l = this.layout;
    if (!l) return;
    const style = { stroke: theme.ink, width: 1.8, radius: 3 };
    if (transfer !== undefined) for (const [v, s] of [[trace.src[transfer], trace.chunk[transfer]], [trace.dst[transfer], trace.into[transfer]]]) pen.square(...cellAt(l, v, s), (l.cell || l.cardWidth) + 2, style);
    else if (vertex !== undefined && slot !== undefined && l.kind === "cards") pen.square(...cellAt(l, vertex, slot), l.cell + 2, style);
    else if (vertex !== undefined && l.kind === "cards") pen.box(l.x[vertex] - l.cardWidth / 2 - 2, l.y[vertex] - l.cardHeight / 2 - 2, l.cardWidth + 4, l.cardHeight + 4, { ...style, radius: 9 });
    else if (vertex !== undefined) pen.disc(l.x[vertex], l.y[vertex], l.cardWidth / 2 + 3, style);
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
