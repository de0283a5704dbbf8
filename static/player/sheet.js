// A picture that stands alone: title, what happens now, the open views with how to read them, legend, and where it is from.

import { fontFace } from "./fonts.js";
import { entriesOf, HEIGHT } from "./legend.js";
import { escapeHtml } from "./pen.js";
import { phaseOf } from "./trace.js";
import { PlotView } from "./views/view.js";

/** @typedef {import("./stage.js").Stage} Stage */
/** @typedef {{view: PlotView, x: number, y: number, how: string}} Spot where a view stands, its title above it */
/** @typedef {{width: number, height: number, frame: string, spots: Spot[]}} Sheet frame: SVG of everything but the views */

const [PAD, GAP] = [16, 14]; // pixels around everything, and between views
const [LARGE, WORDS, HEAD, SMALL] = [18, 14, 13, 12]; // letters, pixels
const line = (/** @type {number} */ size) => Math.ceil(1.4 * size);

/** @param {Stage} stage @param {PlotView[]} views @param {boolean} [below] may a wide view stand below the others? @returns {Sheet} */
export function sheetOf(stage, views, below = true) {
  const { theme, lanes } = stage;
  const { trace } = lanes[0];
  const rows = rowsOf(stage, views, below);
  const width = Math.max(...rows.map((row) => row.reduce((sum, view) => sum + view.width + GAP, -GAP))) + 2 * PAD;
  const room = width - 2 * PAD;
  const parts = [`<rect width="100%" height="100%" fill="${theme.background}"/>`];
  let y = PAD;
  const write = (/** @type {string} */ text, /** @type {number} */ size, /** @type {string} */ colour, weight = 400, x = PAD, most = room) => {
    for (const words of wrapped(text, most, size, weight, theme.font)) {
      y += line(size);
      parts.push(`<text x="${x}" y="${y - 0.3 * size}" font-size="${size}" font-weight="${weight}" fill="${colour}">${escapeHtml(words)}</text>`);
    }
  };
  write(`${trace.title}, ${trace.ranks} rank${trace.ranks === 1 ? "" : "s"}`, LARGE, theme.ink, 650);
  write(stage.told.textContent ?? "", WORDS, theme.ink);
  for (const note of notesOf(stage)) write(note, WORDS, theme.fault_text);
  const spots = /** @type {Spot[]} */ ([]);
  for (const row of rows) {
    const top = (y += 8);
    let [x, lowest] = [PAD, top];
    for (const view of row) {
      y = top;
      write(view.title, HEAD, theme.ink, 650, x);
      write(view.how, SMALL, theme.muted, 400, x, view.width);
      [x, lowest] = [x + view.width + GAP, Math.max(lowest, y)];
    }
    x = PAD;
    for (const view of row) {
      spots.push({ view, x, y: lowest + 4, how: view.how });
      x += view.width + GAP;
    }
    y = lowest + 4 + Math.max(...row.map((view) => view.height));
  }
  y = legend(parts, stage, y + 10, room);
  write(sourceOf(stage), SMALL, theme.muted);
  return { width, height: y + PAD, frame: parts.join(""), spots };
}

/** @param {Stage} stage @param {PlotView[]} views @param {boolean} below @returns {PlotView[][]} */
function rowsOf(stage, views, below) {
  const low = (/** @type {PlotView} */ view) => below && stage.decks.some((deck) => deck.view === view && deck.card.classList.contains("arl-below"));
  const narrow = stage.table.clientWidth < 720; // then they stand below each other on the page, too
  const high = views.filter((view) => !low(view));
  return [...(narrow && below ? high.map((view) => [view]) : [high]), views.filter(low)].filter((row) => row.length);
}

/** @param {string[]} parts @param {Stage} stage @param {number} top @param {number} room @returns {number} where it ends */
function legend(parts, { theme, lanes, load }, top, room) {
  let [x, y] = [PAD, top];
  for (const { mark, width, text } of entriesOf(lanes[0].trace, theme, load)) {
    const all = width + 6 + widthOf(text, SMALL, 400, theme.font) + 16;
    if (x > PAD && x + all > PAD + room + 16) [x, y] = [PAD, y + line(SMALL) + 4];
    parts.push(`<g transform="translate(${x} ${y})">${mark}</g>`);
    wrapped(text, room - width - 6, SMALL, 400, theme.font).forEach((words, k) => {
      if (k) y += line(SMALL);
      parts.push(`<text x="${x + width + 6}" y="${y + HEIGHT - 3}" font-size="${SMALL}" fill="${theme.muted}">${escapeHtml(words)}</text>`);
    });
    x += all;
  }
  return y + line(SMALL) + 8;
}

/** @param {Stage} stage @returns {string[]} what differs from the schedule that was asked for, or is wrong with it */
function notesOf({ forks, lanes: [{ trace: { fault } }] }) {
  const changed = forks.told.length ? [forks.element.querySelector("p")?.textContent ?? ""] : [];
  return fault ? [...changed, fault.sentence] : changed;
}

/** @param {Stage} stage @returns {string} algorithm, step, size, where the numbers come from */
function sourceOf({ lanes, conductor }) {
  const { trace } = lanes[0];
  const phase = conductor.step < trace.steps ? phaseOf(trace, conductor.step) : "";
  const words = [`${trace.collective} by ${trace.title}`, `after step ${conductor.step} of ${trace.steps}${phase ? `, next is ${phase}` : ""}`, `${trace.nbytes.toLocaleString("en-US")} bytes in all chunks`, `times: ${trace.origin}`];
  if (trace.links) words.push(`network: ${trace.links.network}`);
  if (lanes[1]) words.push(`beside it: ${lanes[1].trace.title}, times: ${lanes[1].trace.origin}`);
  return `AllReduce Lab. ${words.join("; ")}.`;
}

const pen = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));

/**
 * Whoever opens the picture elsewhere may lack the page's font: room is left for the wider of that and the usual one.
 * @param {string} text @param {number} size @param {number} weight @param {string} font @returns {number} pixels
 */
function widthOf(text, size, weight, font) {
  return Math.max(...[font, "sans-serif"].map((family) => {
    pen.font = `${weight} ${size}px ${family}`;
    return pen.measureText(text).width;
  }));
}

/** @param {string} text @param {number} room @param {number} size @param {number} weight @param {string} font @returns {string[]} lines */
function wrapped(text, room, size, weight, font) {
  const lines = [""];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = `${lines[lines.length - 1]} ${word}`.trim();
    if (lines[lines.length - 1] && widthOf(longer, size, weight, font) > room) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.filter(Boolean);
}

/** @param {Sheet} sheet @param {string} font @param {string[]} views SVG of each, in the order of the spots @returns {Promise<string>} a complete file */
export async function svgOf({ width, height, frame, spots }, font, views) {
  const placed = views.map((svg, k) => svg.replace(/^[^]*?<svg /, `<svg x="${spots[k].x}" y="${spots[k].y}" `));
  const style = `<style>${await fontFace(font)}</style>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${font.replaceAll('"', "'")}">${style}${frame}${placed.join("")}</svg>`;
}
