// Who is wired to whom, what each vertex holds, and the chunks on their way.

import { slotsOf } from "../cells.js";
import { binAt, cellAt, place, vertexAt } from "../layout.js";
import { levelColour, luminance } from "../palette.js";
import { between, detour } from "../ways.js";
import { cells, levels, names, outlines } from "./cards.js";
import { faultsOfNetwork } from "./faults.js";
import { paintFlows } from "./flows.js";
import { paintLens, paintLensPackets } from "./lens.js";
import { howTo, mark, paintMarks } from "./marks.js";
import { boxes, edges, labelsOf } from "./scenery.js";
import { paintLoad } from "./traffic.js";
import { hasCrowd, paintPackets, paintTargets, paintWays, placeOf, slotLabel, trafficOf } from "./messages.js";
import { pixelAxes, PlotView } from "./view.js";

/** @typedef {import("./view.js").Scene} Scene */
/** @typedef {import("../pen.js").Pen} Pen */
/** @typedef {import("../layout.js").Layout} Layout */

export class NetworkView extends PlotView {
  /** @param {string} [name] @param {string} [title] */
  constructor(name = "network", title = "Network") {
    super(name, title);
    /** @type {import("./messages.js").Traffic} */
    this.traffic = { packets: [], messages: [], crowd: false };
    this.layout = /** @type {Layout|null} */ (null);
    this.planned = ""; // the lane's version and the chosen rank that the traffic belongs to
    this.cellTrace = 0;
  }

  /** @param {Scene} scene @param {number} width @param {number} height */
  figure(scene, width, height) {
    const { trace, theme } = scene;
    const l = (this.layout = place(trace, width, height));
    this.how = howTo(trace, l, hasCrowd(trace, l));
    this.plan();
    const cards = l.kind === "cards" ? [...outlines(scene, l), cells(scene, l)] : [];
    const data = [...labelsOf(l, theme), ...cards, names(scene, l)];
    const shapes = [...boxes(l, theme), ...(l.dense ? [] : edges(scene, l))];
    this.cellTrace = data.length - 2;
    return { data, layout: { ...pixelAxes(width, height), shapes } };
  }

  update() {
    this.plan();
    super.update();
    if (this.layout?.kind === "cards") return this.scene.Plotly.restyle(this.element, { "marker.color": [levels(this.scene, this.layout)] }, [this.cellTrace]);
  }

  /** Work out what travels in the coming step. */
  plan() {
    if (!this.layout) return;
    this.traffic = trafficOf(this.scene, this.layout);
    this.planned = this.moment();
  }

  /** @returns {string} changes with what travels and with who is looked at */
  moment() {
    return `${this.scene.lane.version} ${this.scene.focus}`;
  }

  /** @param {Pen} pen */
  paintStill(pen) {
    const l = this.layout;
    if (!l) return;
    const { scene, traffic } = this;
    if (l.kind === "cards") this.paintNumbers(pen, l);
    else paintMarks(pen, scene, l);
    if (scene.load) paintLoad(pen, scene, l, traffic.messages);
    this.paintHistory(pen, l);
    if (l.mark === "row") paintFlows(pen, scene, l);
    else paintWays(pen, scene, l, traffic);
    paintTargets(pen, scene, l, traffic);
    faultsOfNetwork(pen, scene, l, traffic.messages);
    if (l.lens) paintLens(pen, scene, l);
    else if (traffic.crowd || l.kind === "dots") mark(pen, l, scene.focus, scene.theme);
    this.paintChosen(pen, l);
  }

  /** @param {Pen} pen */
  paint(pen) {
    if (!this.layout) return;
    if (this.planned !== this.moment()) this.plan();
    paintPackets(pen, this.scene, this.layout, this.traffic);
    if (this.layout.lens) paintLensPackets(pen, this.scene, this.layout);
  }

  /** @param {Pen} pen @param {Layout} l the chunk number in every cell that has room for it */
  paintNumbers(pen, l) {
    const { trace, theme, replay } = this.scene;
    if (l.cell < 15 || l.bins.per > 1) return;
    for (let v = 0; v < trace.vertices; v++) {
      for (let slot = 0; slot < trace.slots; slot++) {
        const [x, y] = binAt(l, v, slot);
        const fill = levelColour(replay.level(v, slot), theme);
        pen.text(x, y, slotLabel(this.scene, v, slot), { colour: luminance(fill) > 0.3 ? "#1b2333" : "#ffffff", size: Math.min(12, l.cell * 0.52), font: theme.font });
      }
    }
  }

  /** @param {Pen} pen @param {Layout} l the ways that the content of the chosen cell came */
  paintHistory(pen, l) {
    const { history, trace, theme } = this.scene;
    if (!history) return;
    const drawn = new Set();
    history.used.forEach((used, i) => {
      const key = trace.src[i] * trace.vertices + trace.dst[i];
      if (!used || drawn.has(key) || drawn.size > 600) return;
      drawn.add(key);
      const points = between(l, trace.src[i], trace.dst[i], detour(l, trace.src[i], trace.dst[i]));
      if (points.length > 1) pen.line(points, { colour: theme.ink, width: 5, alpha: 0.22 });
    });
    if (l.kind === "cards") for (const cell of history.cells) pen.square(...cellAt(l, Math.floor(cell / trace.slots), cell % trace.slots), l.cell - 1, { stroke: theme.ink, width: 1.6, radius: 2 });
  }

  /** @param {Pen} pen @param {Layout} l */
  paintChosen(pen, l) {
    const { chosen, theme } = this.scene;
    if (chosen) pen.square(...cellAt(l, chosen.vertex, chosen.slot), (l.kind === "cards" ? l.cell : Math.max(8, l.cardWidth)) + 3, { stroke: theme.ink, width: 2.5, radius: 3 });
  }

  /** @param {Pen} pen @param {import("./view.js").Pick} hover */
  paintHover(pen, { vertex, slot, transfer }) {
    const { theme, trace } = this.scene;
    const l = this.layout;
    if (!l) return;
    const style = { stroke: theme.ink, width: 1.8, radius: 3 };
    if (transfer !== undefined) for (const [v, s] of [[trace.src[transfer], trace.chunk[transfer]], [trace.dst[transfer], trace.into[transfer]]]) pen.square(...cellAt(l, v, s), (l.cell || l.cardWidth) + 2, style);
    else if (vertex !== undefined && slot !== undefined && l.kind === "cards") pen.square(...cellAt(l, vertex, slot), l.cell + 2, style);
    else if (vertex !== undefined) mark(pen, l, vertex, theme);
  }

  /** @param {number} x @param {number} y @returns {import("./view.js").Pick|null} */
  pick(x, y) {
    const l = this.layout;
    if (!l) return null;
    const reach = Math.max(9, l.cell / 2);
    const near = this.traffic.packets.find((packet) => {
      const [px, py] = placeOf(packet, this.scene);
      return Math.abs(px - x) < reach && Math.abs(py - y) < reach;
    });
    if (near) return { transfer: near.transfer };
    const vertex = vertexAt(l, x, y);
    if (vertex < 0 || l.kind === "dots") return vertex < 0 ? null : { vertex };
    for (let bin = 0; bin < l.bins.count; bin++) {
      const [cx, cy] = binAt(l, vertex, bin);
      if (Math.abs(cx - x) <= l.cell / 2 && Math.abs(cy - y) <= l.cell / 2) return { vertex, slot: slotsOf(l.bins, bin)[0] };
    }
    return { vertex };
  }
}
