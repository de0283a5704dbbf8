// What the reader takes away: pictures, a table, a page that plays by itself, a link.

import { rasterOf } from "./dom.js";
import { animationPage } from "./offline.js";
import { gifOf } from "./gif.js";
import { COLUMNS, rows } from "./narrate.js";
import { escapeHtml } from "./pen.js";
import { Replay } from "./replay.js";
import { movesOf } from "./trace.js";
import { PlotView } from "./views/view.js";
import { stripSvg } from "./views/filmstrip.js";

/** @typedef {import("./stage.js").Stage} Stage */

const MOST_ROWS = 400_000;

/** @param {Stage} stage @param {string} what */
export async function save(stage, what) {
  const { trace } = stage.lanes[0];
  const name = `${trace.name}-${trace.ranks}`;
  if (what === "link") return navigator.clipboard.writeText(location.href);
  if (what === "svg") return download(`${name}.svg`, "image/svg+xml", await pictureOf(stage));
  if (what === "png") return download(`${name}.png`, "image/png", await pngOf(await pictureOf(stage)));
  if (what === "csv") return download(`${name}.csv`, "text/csv", csvOf(trace));
  if (what === "strip") return download(`${name}-film-strip.html`, "text/html", stripPage(stage));
  if (what === "html") return download(`${name}.html`, "text/html", await animationPage(stage));
  if (what === "gif") return download(`${name}.gif`, "image/gif", await gifOf(stage));
}

/** @param {string} name @param {string} type @param {BlobPart|Blob} content */
function download(name, type, content) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** @param {Stage} stage @returns {Promise<string>} the open pictures, the sentence above them, as one SVG */
async function pictureOf(stage) {
  const { background, ink, font } = stage.theme;
  const open = stage.decks.filter((deck) => deck.view instanceof PlotView);
  const parts = [];
  let [x, y, row, width] = [8, 52, 0, 0];
  for (const deck of open) {
    const view = /** @type {PlotView} */ (deck.view);
    if (deck.card.classList.contains("arl-below") && x > 8) [x, y, row] = [8, y + row + 30, 0];
    parts.push(`<text x="${x + 4}" y="${y}" font-size="13" font-weight="650" fill="${ink}">${escapeHtml(view.title)}</text>`);
    parts.push((await view.svg()).replace(/^[^]*?<svg /, `<svg x="${x}" y="${y + 8}" `));
    x += view.width + 14;
    [row, width] = [Math.max(row, view.height), Math.max(width, x)];
  }
  const height = y + row + 18;
  const words = `<text x="12" y="24" font-size="14" fill="${ink}">${escapeHtml(stage.told.textContent ?? "")}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${font.replaceAll('"', "'")}"><rect width="100%" height="100%" fill="${background}"/>${words}${parts.join("")}</svg>`;
}

/** @param {string} svg @param {number} [scale] @returns {Promise<Blob>} */
async function pngOf(svg, scale = 2) {
  const picture = await rasterOf(svg);
  const canvas = Object.assign(document.createElement("canvas"), { width: picture.width * scale, height: picture.height * scale });
  /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")).drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("the picture is too large for this browser"))), "image/png"));
}

/** @param {import("./trace.js").Trace} trace @returns {string} every chunk moved in every step */
function csvOf(trace) {
  const moves = movesOf(trace);
  if (moves > MOST_ROWS) throw new Error(`${moves.toLocaleString("en-US")} rows are too many for a table here; choose fewer ranks.`);
  const replay = new Replay(trace);
  const quote = (/** @type {string|number} */ cell) => (/[",\n]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : cell);
  const lines = [COLUMNS.join(",")];
  for (; replay.step < trace.steps; replay.next()) for (const row of rows(replay)) lines.push(row.map(quote).join(","));
  return `${lines.join("\r\n")}\r\n`;
}

/** @param {Stage} stage @returns {string} */
function stripPage(stage) {
  const { trace } = stage.lanes[0];
  const title = `${escapeHtml(trace.title)}, ${trace.ranks} ranks: all ${trace.steps} steps`;
  const page = "body{font-family:sans-serif;margin:16px}svg{max-width:100%;height:auto}@media print{@page{size:landscape;margin:10mm}}";
  const how = "Each picture is the state after a step: a row for each rank, a column for each chunk; darker is fuller, green is complete. Solid outlines were added to in that step, dashed ones overwritten.";
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><style>${page}</style><h1>${title}</h1><p>${how}</p>${stripSvg(trace, stage.theme)}</html>`;
}
