// What the colours and lines mean: one list, for the page and for every picture that is taken away.

import { classesIn, STROKES } from "./links.js";
import { contributor } from "./palette.js";
import { escapeHtml } from "./pen.js";
import { SLOTS_UP_TO } from "./views/buffers.js";
import { BAND } from "./views/traffic.js";

/** @typedef {import("./trace.js").Trace} Trace */
/** @typedef {import("./palette.js").Theme} Theme */
/** @typedef {{mark: string, width: number, text: string}} Entry mark: SVG, HEIGHT pixels high */

export const HEIGHT = 15;

/** @param {Trace} trace @param {Theme} theme @param {boolean} load is it drawn? @returns {Entry[]} */
export function entriesOf(trace, theme, load) {
  const entries = cellEntries(trace, theme);
  if (trace.fault) entries.push(entry(`<path d="M2 3l9 9m0-9l-9 9" stroke="${theme.fault_text}" stroke-width="2.6"/>`, 13, "the mistake, pale where it may be instead; dashed: a transfer that is missing"));
  entries.push(...network(trace, theme, load));
  if (trace.ranks <= SLOTS_UP_TO && trace.ranks > 1) {
    const hues = Array.from({ length: trace.ranks }, (_, r) => `<rect x="${14 * r}" y="1" width="13" height="13" rx="3" fill="${contributor(r, trace.ranks, theme.dark)}"/>`).join("");
    entries.push(entry(hues, 14 * trace.ranks, `from rank 0 … ${trace.ranks - 1}`));
  }
  return entries;
}

/** @param {Trace} trace @param {Theme} theme @returns {Entry[]} what is done to a cell, and how full it is */
export function cellEntries(trace, theme) {
  const most = trace.total.reduce((a, b) => Math.max(a, b), 0);
  const ramp = theme.amount.map((colour, k) => `<rect x="${14 * k}" y="1" width="14" height="13" fill="${colour}"/>`).join("");
  const sheet = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ fill) => `<rect x="${x}" y="${y}" width="11" height="11" rx="2" fill="${fill}" stroke="${theme.copy_text}" stroke-width="1.3"/>`;
  return [
    entry(square(theme.reduce_text), 13, "add (reduce), solid line"),
    entry(sheet(3.5, 0.7, theme.background) + sheet(0.7, 3.3, theme.copy_text), 15, "copy (overwrite), dashed line"),
    ...(most > 1 ? [entry(ramp, 14 * theme.amount.length, `1 … ${most - 1} contributions`)] : []),
    entry(square(theme.done), 13, `complete${most > 1 ? ` (all ${most})` : ""}`),
  ];
}

/** @param {Trace} trace @param {Theme} theme @param {boolean} load @returns {Entry[]} boxes, links and how full they are */
function network(trace, theme, load) {
  const { links, group, groupName, pod, podName } = trace;
  const line = (/** @type {number} */ width, /** @type {number[]} */ dash) => `<line x1="0" x2="40" y1="7.5" y2="7.5" stroke="${theme.line}" stroke-width="${width}"${dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : ""}/>`;
  const entries = pod ? [entry(`<rect x="1" y="1" width="24" height="13" fill="none" stroke="${theme.muted}" stroke-width="1.4" stroke-dasharray="4 3"/>`, 26, `a ${podName} of several ${several(groupName)}`)] : [];
  if (links) entries.push(...classesIn(trace).map((k) => entry(line(STROKES[k].width, STROKES[k].dash), 40, links.classes[k])));
  else if (group) entries.push(entry(line(4, []), 40, `wide link: between ${several(groupName)}`));
  const wedge = `<path d="M0 ${7.5 - BAND.least / 2}L40 0V15L0 ${7.5 + BAND.least / 2}Z" fill="${theme.switch}" opacity="${BAND.alpha}"/>`;
  if (load) entries.push(entry(wedge, 40, links ? "fullest link on the way, now: 0 to 100 % of its bandwidth [simulated]" : "what a link carries in all [counted]"));
  return entries;
}

/** @param {string} mark @param {number} width @param {string} text @returns {Entry} */
const entry = (mark, width, text) => ({ mark, width, text });

/** @param {string} word */
const several = (word) => `${word.replace(/f$/, "ve")}s`;

/** @param {string} colour */
const square = (colour) => `<rect y="1" width="13" height="13" rx="3" fill="${colour}"/>`;

/** @param {Entry[]} entries @returns {string} */
export const htmlOf = (entries) => entries.map(({ mark, width, text }) => `<span><svg width="${width}" height="${HEIGHT}" aria-hidden="true">${mark}</svg>${escapeHtml(text)}</span>`).join("");
