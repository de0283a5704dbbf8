// What all views share: a card with a title, a drawing by Plotly, and a pen above it for whatever moves.

import { CanvasPen, SvgPen } from "../pen.js";

/** @typedef {import("../pen.js").Pen} Pen */
/**
 * What the player tells its views.
 * @typedef {object} Scene
 * @property {any} Plotly
 * @property {import("../trace.js").Trace} trace
 * @property {import("../replay.js").Replay} replay
 * @property {ReturnType<import("../palette.js").themeOf>} theme
 * @property {number} frac how far the current step has come, 0 to 1
 * @property {number} focus the rank looked at
 * @property {{vertex: number, slot: number}|null} chosen the cell looked at
 * @property {boolean} clock is time real, or one unit a step?
 */
/** @typedef {{vertex?: number, slot?: number, transfer?: number}} Pick what is under the pointer */

export class View {
  /** @param {string} name @param {string} title */
  constructor(name, title) {
    this.name = name;
    this.title = title;
    this.card = document.createElement("section");
    this.card.className = `arl-card arl-${name}`;
    this.card.setAttribute("aria-label", title);
    this.card.innerHTML = `<div class="arl-head"><span class="arl-title">${title}</span> <span class="arl-how"></span></div><div class="arl-plot" role="img"></div>`;
    this.plot = /** @type {HTMLElement} */ (this.card.querySelector(".arl-plot"));
    /** @type {Scene} */
    this.scene = /** @type {any} */ (null);
  }

  /** @param {string} text how to read this picture */
  explain(text) {
    /** @type {HTMLElement} */ (this.card.querySelector(".arl-how")).textContent = text;
    this.plot.setAttribute("aria-label", `${this.title}: ${text}`);
  }

  /**
   * Draw what stays: called when the trace, the size or the theme changes.
   * @param {Scene} scene @param {number} height pixels
   */
  async build(scene, height) {
    this.scene = scene;
    this.width = Math.max(240, this.plot.clientWidth);
    this.height = height;
    this.plot.style.height = `${height}px`;
    const { data, layout } = this.figure(scene, this.width, height);
    const { theme } = scene;
    const common = {
      width: this.width, height, showlegend: false, hovermode: false, dragmode: false,
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { family: theme.font, color: theme.ink, size: 12 },
    };
    await scene.Plotly.react(this.plot, data, { ...common, ...layout }, { displayModeBar: false, staticPlot: true });
    this.pen = new CanvasPen(this.plot, this.width, height);
    this.draw();
  }

  draw() {
    if (!this.pen) return;
    this.pen.clear();
    this.paint(this.pen);
  }

  /** @param {Scene} scene @param {number} width @param {number} height @returns {{data: any[], layout: any}} Plotly's */
  figure(scene, width, height) {
    return { data: [], layout: {} };
  }

  /** Show the state after a whole step. @returns {Promise<unknown>|void} */
  update() {}

  /** @param {Pen} pen draw whatever moves */
  paint(pen) {}

  /** @param {number} x @param {number} y pixels in the plot @returns {Pick|null} */
  pick(x, y) {
    return null;
  }

  /** @returns {Promise<string>} the picture as it is now, a complete SVG file */
  async svg() {
    const url = await this.scene.Plotly.toImage(this.plot, { format: "svg", width: this.width, height: this.height });
    const pen = new SvgPen();
    this.paint(pen);
    const text = decodeURIComponent(url.slice(url.indexOf(",") + 1));
    const { background } = this.scene.theme;
    const ground = `<rect width="100%" height="100%" fill="${background}"/>`;
    return text.replace(/(<svg[^>]*>)/, `$1<title>${this.title}</title>${ground}`).replace(/<\/svg>\s*$/, `${pen.parts.join("")}</svg>`);
  }

  destroy() {
    this.scene?.Plotly?.purge(this.plot);
  }
}

export const NO_MARGIN = { l: 0, r: 0, t: 0, b: 0 };

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
