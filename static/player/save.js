// What the reader takes away: pictures, a table, a page that plays by itself, a link.

import { addressIn } from "./address.js";
import { rasterOf } from "./dom.js";
import { animationPage } from "./offline.js";
import { fontFace } from "./fonts.js";
import { gifOf } from "./gif.js";
import { cellEntries, htmlOf } from "./legend.js";
import { COLUMNS, rows } from "./narrate.js";
import { escapeHtml } from "./pen.js";
import { Replay } from "./replay.js";
import { sheetOf, svgOf } from "./sheet.js";
import { movesOf } from "./trace.js";
import { PlotView } from "./views/view.js";
import { stripRows } from "./views/filmstrip.js";

/** @typedef {import("./stage.js").Stage} Stage */

const MOST_ROWS = 400_000;

/** @param {Stage} stage @param {string} what */
export async function save(stage, what) {
  const { trace } = stage.lanes[0];
  const name = `${trace.name}-${trace.ranks}`;
  if (what === "link") {
    stage.publisher.now();
    return copy(addressIn(stage.theme.dark));
  }
  if (what === "svg") return download(`${name}.svg`, "image/svg+xml", await pictureOf(stage));
  if (what === "png") return download(`${name}.png`, "image/png", await pngOf(await pictureOf(stage)));
  if (what === "csv") return download(`${name}.csv`, "text/csv", csvOf(trace));
  if (what === "strip") return download(`${name}-film-strip.html`, "text/html", await stripPage(stage));
  if (what === "html") return download(`${name}.html`, "text/html", await animationPage(stage));
  if (what === "gif") return download(`${name}.gif`, "image/gif", await gifOf(stage));
}

/** @param {string} text into the clipboard; without https a page may only copy what is selected */
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = Object.assign(document.createElement("textarea"), { value: text });
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (!done) throw new Error(`the browser does not let pages copy; the link is ${text}`);
}

/** @param {string} name @param {string} type @param {BlobPart|Blob} content */
function download(name, type, content) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** @param {Stage} stage @returns {Promise<string>} the open pictures on a sheet, as one SVG */
async function pictureOf(stage) {
  const open = /** @type {PlotView[]} */ (stage.decks.map((deck) => deck.view).filter((view) => view instanceof PlotView));
  const sheet = sheetOf(stage, open);
  return svgOf(sheet, stage.theme.font, await Promise.all(sheet.spots.map(({ view }) => view.svg())));
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

/** @param {Stage} stage @returns {Promise<string>} a page that prints without cutting a row of pictures in two */
async function stripPage({ lanes, theme }) {
  const { trace } = lanes[0];
  const title = `${escapeHtml(trace.title)}, ${trace.ranks} ranks: all ${trace.steps} steps`;
  const css = `${await fontFace(theme.font)}body{font-family:${theme.font.replace(/[<>{}]/g, "")};margin:16px;background:${theme.background};color:${theme.ink};print-color-adjust:exact;-webkit-print-color-adjust:exact}h1{font-size:22px;margin:0 0 6px}p{margin:6px 0;font-size:14px}.legend{display:flex;flex-wrap:wrap;gap:4px 18px;font-size:13px}.legend svg{vertical-align:-3px;margin-right:6px}.row{display:block;max-width:100%;height:auto;break-inside:avoid;margin-top:8px}@page{size:landscape;margin:10mm}`;
  const how = "Each picture is the state after a step: a row for each rank, a column for each chunk; darker is fuller. Solid outlines were added to in that step, dashed ones overwritten.";
  const rows = stripRows(trace, theme).map((svg) => svg.replace("<svg ", '<svg class="row" ')).join("");
  const source = `AllReduce Lab. ${trace.collective} by ${trace.title}; ${trace.nbytes.toLocaleString("en-US")} bytes in all chunks. Contributions are counted.`;
  const page = `<h1>${title}</h1><p>${how}</p><p class="legend">${htmlOf(cellEntries(trace, theme))}</p>${rows}<p>${escapeHtml(source)}</p>`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${css}</style>${page}</html>`;
}
