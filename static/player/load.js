// How full the links of the chosen network are at a moment [simulated].

import { stepOf } from "./edits.js";
import { wayOf } from "./links.js";
import { countOf, timesOf } from "./trace.js";

/** @typedef {import("./trace.js").Trace} Trace */

/**
 * What the transfers on their way bring over each link, by what it could carry in that time.
 * In steps they share the time of the step; in real time each is spread over its own.
 * @param {import("./lane.js").Lane} lane @param {boolean} clock is time real?
 * @returns {Float64Array} 1: full; above 1 where the model lets links carry more than they can, [links]
 */
export function fullness({ trace, moving }, clock) {
  const { links } = trace;
  if (!links) return new Float64Array(0);
  const full = new Float64Array(links.capacity.length);
  const times = moving.map((i) => timesOf(trace, i, stepOf(trace, i)));
  const begin = times.reduce((least, [start]) => Math.min(least, start), Infinity);
  const end = times.reduce((most, [, until]) => Math.max(most, until), 0);
  moving.forEach((i, k) => {
    const seconds = clock ? times[k][1] - times[k][0] : end - begin;
    const rate = (countOf(trace, i) * trace.nbytes) / trace.chunks / Math.max(seconds, 1e-12);
    for (const link of wayOf(trace, i)) full[link] += rate / Math.max(links.capacity[link], 1e-12);
  });
  return full;
}

/** @param {Trace} trace @param {Float64Array} full @param {number} i @returns {number} how full the fullest link on the way of a transfer is */
export const fullest = (trace, full, i) => Math.max(0, ...wayOf(trace, i).map((link) => full[link]));

/** @param {Trace} trace @param {Float64Array} full @param {number} i @returns {string} the way of a transfer in words */
export function wayInWords(trace, full, i) {
  const { links } = trace;
  const k = links?.at.get(trace.src[i] * trace.vertices + trace.dst[i]);
  if (!links || k === undefined) return "";
  const share = Math.round(100 * fullest(trace, full, i));
  return ` Its way over ${links.network}: slowest is ${links.classes[links.classOf[k]]}; the fullest link on it is ${share} % full [simulated].`;
}
