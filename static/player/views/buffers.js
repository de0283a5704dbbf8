// Whose contributions are inside every cell: slots for a few ranks, counts for more, averages beyond.

import { contributor, levelScale } from "../palette.js";
import { FAULT } from "../replay.js";
import { ADD, countOf, vertexName } from "../trace.js";
import { faultsOfBuffers } from "./faults.js";
import { labelEvery, PlotView } from "./view.js";

/** @typedef {import("./view.js").Scene} Scene */

export const SLOTS_UP_TO = 16; // ranks
const PIXELS = 256; // rows and columns of the averaged picture
const MOST_OUTLINES = 1200;

export class BuffersView extends PlotView {
  /** @param {string} [name] @param {string} [title] */
  constructor(name = "buffers", title = "Buffers") {
    super(name, title);
    this.slots = false; // one slot for each contributor, or how full
    this.rows = 1;
    this.columns = 1;
    this.perRow = 1; // vertices in one row of the picture
    this.perColumn = 1;
    this.margin = { l: 48, r: 8, t: 24, b: 8 };
  }

  /** @param {Scene} scene @param {number} width @param {number} height */
  figure(scene, width, height) {
    const { trace, theme } = scene;
    this.slots = trace.ranks <= SLOTS_UP_TO && trace.slots <= 32;
    this.perRow = Math.ceil(trace.vertices / PIXELS);
    this.rows = Math.ceil(trace.vertices / this.perRow);
    this.perColumn = Math.ceil(trace.slots / PIXELS);
    this.columns = Math.ceil(trace.slots / this.perColumn);
    this.how = this.howTo(trace);
    this.margin.l = trace.vertices > 9 ? 54 : 48;
    const wide = this.slots ? this.columns * (trace.ranks + 1) - 1 : this.columns;
    const few = !this.slots && this.columns <= 32 && this.rows <= 32;
    const heat = {
      type: "heatmap", z: this.cells(), showscale: false, zsmooth: false, xgap: few ? 2 : 0, ygap: this.rows <= 32 ? (this.rows > 16 ? 1 : 3) : 0,
      ...(this.slots ? { colorscale: hueScale(trace.ranks, theme), zmin: 0, zmax: trace.ranks + 1 } : { colorscale: levelScale(theme), zmin: 0, zmax: FAULT }),
    };
    const axis = { showgrid: false, zeroline: false, fixedrange: true, ticks: "", showline: false, tickangle: 0, tickfont: { size: 11, color: theme.muted } };
    const layout = {
      margin: this.margin,
      xaxis: { ...axis, side: "top", range: [-0.5, wide - 0.5], ...this.columnLabels(width) },
      yaxis: { ...axis, range: [this.rows - 0.5, -0.5], ...this.rowLabels(height) },
    };
    return { data: [heat], layout };
  }

  /** @param {import("../trace.js").Trace} trace */
  howTo(trace) {
    if (this.slots) return "row = rank, slots = contributors";
    if (this.perRow * this.perColumn > 1) return `point = ${this.perRow} ranks × ${this.perColumn} chunks`;
    return "row = rank, column = chunk";
  }

  /** @param {number} width */
  columnLabels(width) {
    const { trace } = this.scene;
    const scale = this.slots ? trace.ranks + 1 : 1;
    const room = (width - this.margin.l - this.margin.r) / this.columns;
    const long = room > 58;
    const every = labelEvery(this.columns, width - this.margin.l - this.margin.r, long ? 56 : 26);
    const tickvals = [];
    const ticktext = [];
    for (let c = 0; c < this.columns; c += every) {
      const slot = c * this.perColumn;
      tickvals.push(c * scale + (this.slots ? (trace.ranks - 1) / 2 : Math.max(0, (15 - room / 2) / room))); // beside the names of the rows, not on them
      ticktext.push(slot < trace.chunks ? (long ? `chunk ${slot}` : `c${slot}`) : `${long ? "scratch " : "s"}${slot - trace.chunks}`);
    }
    return { tickvals, ticktext };
  }

  /** @param {number} height */
  rowLabels(height) {
    const { trace } = this.scene;
    const every = labelEvery(this.rows, height - this.margin.t - this.margin.b, 13);
    const tickvals = [];
    const ticktext = [];
    for (let r = 0; r < this.rows; r += every) {
      tickvals.push(r);
      ticktext.push(vertexName(trace, r * this.perRow));
    }
    return { tickvals, ticktext };
  }

  /** @returns {Float32Array[]} what Plotly's heatmap shows, row by row */
  cells() {
    if (this.slots) return Array.from({ length: this.rows }, (_, row) => this.slotRow(row));
    return this.scene.replay.averages(this.perRow, this.perColumn);
  }

  /** @param {number} v @returns {Float32Array} 0 absent, 1 + rank present, ranks + 1 present twice; NaN between cells */
  slotRow(v) {
    const { trace, replay } = this.scene;
    const [who, twice] = [/** @type {Uint32Array} */ (replay.who), /** @type {Uint32Array} */ (replay.twice)];
    const row = new Float32Array(this.columns * (trace.ranks + 1) - 1).fill(NaN);
    for (let slot = 0; slot < trace.slots; slot++) {
      const cell = v * trace.slots + slot;
      for (let r = 0; r < trace.ranks; r++) {
        const present = (who[cell] >>> r) & 1;
        row[slot * (trace.ranks + 1) + r] = (twice[cell] >>> r) & 1 ? trace.ranks + 1 : present ? r + 1 : 0;
      }
    }
    return row;
  }

  update() {
    super.update();
    return this.scene.Plotly.restyle(this.element, { z: [this.cells()] }, [0]);
  }

  /** @param {number} row @param {number} column @returns {[number, number, number, number]} x, y, width, height in pixels */
  box(row, column) {
    const w = (this.width - this.margin.l - this.margin.r) / (this.slots ? this.columns * (this.scene.trace.ranks + 1) - 1 : this.columns);
    const h = (this.height - this.margin.t - this.margin.b) / this.rows;
    const n = this.scene.trace.ranks;
    const x = this.slots ? column * (n + 1) : column;
    return [this.margin.l + x * w, this.margin.t + row * h, w * (this.slots ? n : 1), h];
  }

  /** @param {import("../pen.js").Pen} pen */
  paintStill(pen) {
    const { trace, replay, theme, chosen, lane, history } = this.scene;
    if (this.slots) {
      for (let v = 0; v < trace.vertices; v++) {
        for (let slot = 0; slot < trace.slots; slot++) {
          const stroke = replay.complete(v, slot) ? theme.done : theme.faint;
          this.outline(pen, v, slot, { stroke, width: stroke === theme.done ? 2 : 1 });
        }
      }
    }
    const detailed = this.perRow * this.perColumn === 1 && this.rows <= 128;
    if (detailed && lane.moving.length <= MOST_OUTLINES) for (const i of lane.moving) this.outlineTargets(pen, i);
    if (history && detailed) for (const cell of history.cells) this.outline(pen, Math.floor(cell / trace.slots), cell % trace.slots, { stroke: theme.ink, width: 1.4 });
    faultsOfBuffers(pen, this);
    if (chosen) this.outline(pen, Math.floor(chosen.vertex / this.perRow), Math.floor(chosen.slot / this.perColumn), { stroke: theme.ink, width: 2.5 });
  }

  /** @param {import("../pen.js").Pen} pen @param {number} i a transfer on its way: where it is going to write */
  outlineTargets(pen, i) {
    const { trace, theme } = this.scene;
    const add = trace.op[i] === ADD;
    const [, , w, h] = this.box(0, 0);
    const style = { stroke: add ? theme.reduce : theme.copy, width: this.rows > 32 || w < 8 ? 1.2 : 2.2, dash: add || w < 8 || h < 8 ? [] : [4, 2.5] };
    for (let k = 0; k < countOf(trace, i); k++) this.outline(pen, trace.dst[i], trace.into[i] + k, style);
  }

  /** @param {import("../pen.js").Pen} pen @param {number} row @param {number} column @param {import("../pen.js").Fill} style */
  outline(pen, row, column, style) {
    const [x, y, w, h] = this.box(row, column);
    const gap = this.rows <= 16 ? 1 : 0;
    pen.box(x, y + gap, w, h - 2 * gap, { radius: 1, ...style });
  }

  /** @param {import("../pen.js").Pen} pen @param {import("./view.js").Pick} hover */
  paintHover(pen, { vertex, slot, transfer }) {
    const { trace, theme } = this.scene;
    const style = { stroke: theme.ink, width: 1.6 };
    const mark = (/** @type {number} */ v, /** @type {number} */ s) => this.outline(pen, Math.floor(v / this.perRow), Math.floor(s / this.perColumn), style);
    if (transfer !== undefined) mark(trace.dst[transfer], trace.into[transfer]);
    else if (vertex !== undefined && slot !== undefined) mark(vertex, slot);
    else if (vertex !== undefined) {
      const [x, y, , h] = this.box(Math.floor(vertex / this.perRow), 0);
      pen.box(x - 1, y, this.width - this.margin.r - x + 2, h, style);
    }
  }

  /** @param {number} x @param {number} y @returns {import("./view.js").Pick|null} */
  pick(x, y) {
    const { trace } = this.scene;
    const [, , , h] = this.box(0, 0);
    const row = Math.floor((y - this.margin.t) / h);
    const [x0] = this.box(0, 0);
    const [x1] = this.box(0, 1);
    const column = Math.floor((x - this.margin.l) / (x1 - x0));
    if (row < 0 || row >= this.rows || column < 0 || column >= this.columns) return null;
    return { vertex: Math.min(trace.vertices - 1, row * this.perRow), slot: Math.min(trace.slots - 1, column * this.perColumn) };
  }
}

/** @param {number} ranks @param {import("../palette.js").Theme} theme @returns {Array<[number, string]>} one flat band a rank */
function hueScale(ranks, theme) {
  const colours = [theme.empty, ...Array.from({ length: ranks }, (_, r) => contributor(r, ranks, theme.dark)), theme.fault];
  const top = ranks + 1;
  return colours.flatMap((colour, k) => /** @type {Array<[number, string]>} */ ([[Math.max(0, (k - 0.5) / top), colour], [Math.min(1, (k + 0.5) / top), colour]]));
}
