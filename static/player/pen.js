// One way to draw, on a canvas for the screen or as SVG for a file.

/**
 * @typedef {object} Pen
 * @property {(points: Array<[number, number]>, style: Stroke) => void} line
 * @property {(x: number, y: number, size: number, style: Fill) => void} square centred
 * @property {(x: number, y: number, radius: number, style: Fill) => void} disc
 * @property {(x: number, y: number, width: number, height: number, style: Fill) => void} box top left
 * @property {(points: Array<[number, number]>, style: Fill) => void} area closed, with straight sides
 * @property {(x: number, y: number, text: string, style: Letters) => void} text centred unless `align` says otherwise
 */
/** @typedef {{colour: string, width: number, dash?: number[], alpha?: number}} Stroke */
/** @typedef {{fill?: string, stroke?: string, width?: number, dash?: number[], radius?: number, alpha?: number}} Fill */
/** @typedef {{colour: string, size: number, font: string, weight?: number, align?: "center"|"start"|"end"}} Letters */

/** @implements {Pen} */
export class CanvasPen {
  /**
   * @param {HTMLElement} host gets a canvas over its whole area, or has it already
   * @param {number} width @param {number} height @param {string} [layer] its name, where there are several
   */
  constructor(host, width, height, layer = "moving") {
    this.canvas = /** @type {HTMLCanvasElement} */ (host.querySelector(`:scope > canvas.arl-${layer}`) ?? document.createElement("canvas"));
    this.canvas.className = `arl-overlay arl-${layer}`;
    this.canvas.setAttribute("aria-hidden", "true");
    host.append(this.canvas);
    const sharp = window.devicePixelRatio || 1;
    this.width = width;
    this.height = height;
    this.canvas.width = Math.round(width * sharp);
    this.canvas.height = Math.round(height * sharp);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.c = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    this.c.setTransform(sharp, 0, 0, sharp, 0, 0);
  }

  clear() {
    this.c.clearRect(0, 0, this.width, this.height);
  }

  /** @type {Pen["line"]} */
  line(points, { colour, width, dash = [], alpha = 1 }) {
    this.c.globalAlpha = alpha;
    this.c.strokeStyle = colour;
    this.c.lineWidth = width;
    this.c.setLineDash(dash);
    this.c.beginPath();
    points.forEach(([x, y], k) => (k ? this.c.lineTo(x, y) : this.c.moveTo(x, y)));
    this.c.stroke();
    this.c.globalAlpha = 1;
  }

  /** @type {Pen["square"]} */
  square(x, y, size, style) {
    this.box(x - size / 2, y - size / 2, size, size, { radius: Math.min(4, size / 4), ...style });
  }

  /** @type {Pen["disc"]} */
  disc(x, y, radius, style) {
    this.c.beginPath();
    this.c.arc(x, y, radius, 0, 2 * Math.PI);
    this.paint(style);
  }

  /** @type {Pen["box"]} */
  box(x, y, width, height, style) {
    this.c.beginPath();
    this.c.roundRect(x, y, width, height, style.radius ?? 0);
    this.paint(style);
  }

  /** @type {Pen["area"]} */
  area(points, style) {
    this.c.beginPath();
    points.forEach(([x, y], k) => (k ? this.c.lineTo(x, y) : this.c.moveTo(x, y)));
    this.c.closePath();
    this.paint(style);
  }

  /** @param {Fill} style */
  paint({ fill, stroke, width = 1, dash = [], alpha = 1 }) {
    this.c.globalAlpha = alpha;
    if (fill) {
      this.c.fillStyle = fill;
      this.c.fill();
    }
    if (stroke) {
      this.c.strokeStyle = stroke;
      this.c.lineWidth = width;
      this.c.setLineDash(dash);
      this.c.stroke();
    }
    this.c.globalAlpha = 1;
  }

  /** @type {Pen["text"]} */
  text(x, y, text, { colour, size, font, weight = 400, align = "center" }) {
    this.c.fillStyle = colour;
    this.c.font = `${weight} ${size}px ${font}`;
    this.c.textAlign = align;
    this.c.textBaseline = "middle";
    this.c.fillText(text, x, y + size * 0.05);
  }
}

/** @implements {Pen} */
export class SvgPen {
  constructor() {
    /** @type {string[]} */
    this.parts = [];
  }

  /** @type {Pen["line"]} */
  line(points, { colour, width, dash = [], alpha = 1 }) {
    const path = points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
    this.parts.push(`<polyline points="${path}" fill="none" ${attributes({ stroke: colour, width, dash, alpha })}/>`);
  }

  /** @type {Pen["square"]} */
  square(x, y, size, style) {
    this.box(x - size / 2, y - size / 2, size, size, { radius: Math.min(4, size / 4), ...style });
  }

  /** @type {Pen["disc"]} */
  disc(x, y, radius, style) {
    this.parts.push(`<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${radius}" fill="${style.fill ?? "none"}" ${attributes(style)}/>`);
  }

  /** @type {Pen["box"]} */
  box(x, y, width, height, style) {
    const place = `x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}" rx="${style.radius ?? 0}"`;
    this.parts.push(`<rect ${place} fill="${style.fill ?? "none"}" ${attributes(style)}/>`);
  }

  /** @type {Pen["area"]} */
  area(points, style) {
    const corners = points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
    this.parts.push(`<polygon points="${corners}" fill="${style.fill ?? "none"}" ${attributes(style)}/>`);
  }

  /** @type {Pen["text"]} */
  text(x, y, text, { colour, size, font, weight = 400, align = "center" }) {
    const anchor = align === "center" ? "middle" : align;
    const family = font.replaceAll('"', "'");
    this.parts.push(`<text x="${x.toFixed(1)}" y="${(y + size * 0.35).toFixed(1)}" fill="${colour}" font-size="${size}" font-family="${family}" font-weight="${weight}" text-anchor="${anchor}">${escapeHtml(text)}</text>`);
  }
}

/** @param {{stroke?: string, width?: number, dash?: number[], alpha?: number}} style */
function attributes({ stroke, width = 1, dash = [], alpha = 1 }) {
  const line = stroke ? `stroke="${stroke}" stroke-width="${width}"` : "";
  return `${line}${dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : ""}${alpha < 1 ? ` opacity="${alpha}"` : ""}`;
}

/** @param {string} text @returns {string} */
export const escapeHtml = (text) =>
  text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
