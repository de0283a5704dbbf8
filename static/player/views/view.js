// What all views share: a card with a title, a drawing by Plotly, and a pen above it for whatever moves.

import { CanvasPen, SvgPen } from "../pen.js";

/** @typedef {import("../pen.js").Pen} Pen */
/** @typedef {import("../plotly.js").Options} Options */
/**
 * What the player tells its views; everything in it is up to date whenever it is read.
 * @typedef {object} Scene
 * @property {import("../plotly.js").Plotly} Plotly
 * @property {import("../lane.js").Lane} lane
 * @property {import("../trace.js").Trace} trace
 * @property {import("../replay.js").Replay} replay
 * @property {import("../lane.js").Lane|null} ghost the other trace, when two are shown
 * @property {import("../palette.js").Theme} theme
 * @property {number} focus the rank looked at
 * @property {{vertex: number, slot: number}|null} chosen the cell looked at
 * @property {import("../history.js").History|null} history where its content came from
 * @property {Set<number>|null} critical the transfers that decide the time, when they are asked for
 * @property {boolean} load are links as wide as what they carry?
 * @property {Pick|null} hover what the pointer rests on
 * @property {boolean} clock is time real, or one unit a step?
 * @property {boolean} still reduced motion: things are where they start until they have arrived
 * @property {"short"|"full"|"table"} words how much the words view says
 */
/** @typedef {{vertex?: number, slot?: number, transfer?: number}} Pick what is under the pointer */

export class View {
  /** @param {string} name @param {string} title */
  constructor(name, title) {
    this.name = name;
    this.title = title;
    this.how = "";
    this.element = document.createElement("div");
    this.element.className = `arl-plot arl-view-${name}`;
    this.scene = /** @type {Scene} */ (/** @type {unknown} */ (null)); // build() sets it before anything reads it
    this.width = 0;
    this.height = 0;
    this.lane = 0; // which of the traces it shows
  }

  /**
   * Draw what stays: called when the trace, the size or the theme changes.
   * @param {Scene} scene @param {number} height pixels
   */
  async build(scene, height) {
    this.scene = scene;
    this.width = Math.max(200, this.element.clientWidth);
    this.height = height;
    this.element.style.height = `${height}px`;
  }

  /** Show the state after a whole step. @returns {Promise<unknown>|void} */
  update() {}

  /** Show where things are now. */
  draw() {}

  /** @param {number} x @param {number} y pixels in the view @returns {Pick|null} */
  pick(x, y) {
    return null;
  }

  destroy() {}
}

/** A view that Plotly draws, with a pen above it for what changes in a step, and one for whatever moves. */
export class PlotView extends View {
  /** @param {Scene} scene @param {number} height */
  async build(scene, height) {
    await super.build(scene, height);
    this.element.setAttribute("role", "img");
    const { data, layout } = this.figure(scene, this.width, height);
    this.element.setAttribute("aria-label", `${this.title}: ${this.how}`);
    const { theme } = scene;
    const common = {
      width: this.width, height, showlegend: false, hovermode: false, dragmode: false,
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { family: theme.font, color: theme.ink, size: 12 },
    };
    await scene.Plotly.react(this.element, data, { ...common, ...layout }, { displayModeBar: false, staticPlot: true });
    for (const drawn of this.element.children) drawn.setAttribute("aria-hidden", "true"); // the picture is one thing, with one name
    this.stillPen = new CanvasPen(this.element, this.width, height, "still");
    this.pen = new CanvasPen(this.element, this.width, height);
    this.drawStill();
    this.draw();
  }

  drawStill() {
    this.stillPen?.clear();
    if (this.stillPen) this.paintStill(this.stillPen);
  }

  draw() {
    this.pen?.clear();
    if (!this.pen) return;
    this.paint(this.pen);
    if (this.scene.hover) this.paintHover(this.pen, this.scene.hover);
  }

  update() {
    this.drawStill();
  }

  /** @param {Scene} scene @param {number} width @param {number} height @returns {{data: Options[], layout: Options}} */
  figure(scene, width, height) {
    return { data: [], layout: {} };
  }

  /** @param {Pen} pen draw what changes only from step to step */
  paintStill(pen) {}

  /** @param {Pen} pen draw whatever moves */
  paint(pen) {}

  /** @param {Pen} pen @param {Pick} hover mark here what the pointer rests on in another view */
  paintHover(pen, hover) {}

  /** @returns {Promise<string>} what Plotly drew, as SVG */
  async base() {
    const url = await this.scene.Plotly.toImage(this.element, { format: "svg", width: this.width, height: this.height });
    return decodeURIComponent(url.slice(url.indexOf(",") + 1));
  }

  /** @returns {Promise<string>} the picture as it is now, a complete SVG file */
  async svg() {
    const text = await this.base();
    const pen = new SvgPen();
    this.paintStill(pen);
    this.paint(pen);
    const ground = `<rect width="100%" height="100%" fill="${this.scene.theme.background}"/>`;
    return text.replace(/(<svg[^>]*>)/, `$1<title>${this.title}</title>${ground}`).replace(/<\/svg>\s*$/, `${pen.parts.join("")}</svg>`);
  }

  destroy() {
    this.scene?.Plotly?.purge(this.element);
  }
}

/**
 * Lines that stay, under everything that is a Plotly trace: one element of the page, however many there are. As a trace, each would be one.
 * @param {string} path in units of the axes @param {Options} line its colour, width, dash @param {Options} [more] @returns {Options}
 */
export const drawn = (path, line, more) => ({ type: "path", path, xref: "x", yref: "y", layer: "between", line, visible: path !== "", ...more });

/** @param {Array<[number, number]>} points @returns {string} a piece of such a path */
export const pathOf = (points) => `M${points.map(([x, y]) => `${x},${y}`).join("L")}`;

const NO_MARGIN = { l: 0, r: 0, t: 0, b: 0 };

/** @param {number} width @param {number} height Plotly axes whose units are pixels, y downwards */
export function pixelAxes(width, height) {
  const axis = { visible: false, fixedrange: true };
  return { margin: NO_MARGIN, xaxis: { ...axis, range: [0, width] }, yaxis: { ...axis, range: [height, 0] } };
}

/** @param {number} count @param {number} room pixels @param {number} each pixels a label needs @returns {number} label every how many */
export function labelEvery(count, room, each) {
  const least = Math.ceil((count * each) / Math.max(room, 1));
  if (least <= 1) return 1;
  const power = 2 ** Math.ceil(Math.log2(least));
  return power;
}
