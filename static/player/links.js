// The chosen network: classes of links, which links every pair of ranks uses, and how a class is drawn.

/** @typedef {import("./trace.js").Trace} Trace */
/**
 * As core/figures/wiring.py tells it.
 * @typedef {object} Links
 * @property {string} network its name
 * @property {string[]} classes in words, the fastest first, used or not
 * @property {Map<number, number>} at src * vertices + dst -> place in the other arrays
 * @property {ArrayLike<number>} classOf @property {number} longest links of the longest way
 * @property {ArrayLike<number>} ways the links of each way, from 1; 0 fills up, [pairs * longest]
 * @property {Float32Array} capacity bytes a second that are left of each link; 0: cut
 */

/** The fastest first: pixels, and dash. */
export const STROKES = /** @type {Array<{width: number, dash: number[]}>} */ ([
  { width: 7, dash: [] }, { width: 5, dash: [9, 5] }, { width: 3.5, dash: [3, 4] }, { width: 2.5, dash: [12, 4, 2, 4] },
  { width: 1.5, dash: [2, 6] }, // to a switch that is only imagined
]);

/** @param {import("./trace.js").Header} header @param {import("./trace.js").Arrays} arrays @returns {Links|null} */
export function linksOf({ links }, { pair, pair_class, ways, capacity }) {
  if (!links || !pair || !pair_class || !ways || !capacity || !pair.length) return null;
  return { ...links, at: new Map(Array.from(pair, (key, k) => [key, k])), classOf: pair_class, ways, capacity };
}

/** @param {Trace} trace @param {number} a @param {number} b @returns {number} the class of the way between two vertices; of its two directions the slower */
export function classBetween({ links, vertices }, a, b) {
  if (!links) return 0;
  const places = [links.at.get(a * vertices + b), links.at.get(b * vertices + a)];
  return Math.max(0, ...places.map((k) => (k === undefined ? 0 : links.classOf[k])));
}

/** @param {Trace} trace @returns {number[]} the classes that this trace uses, or the one beside it */
export function classesIn({ links, ghost }) {
  const used = new Set([...Array.from(links?.classOf ?? []), ...Array.from(ghost?.links?.classOf ?? [])]);
  return [...used].sort((a, b) => a - b);
}

/** @param {Trace} trace @param {number} i a transfer @returns {number[]} the links it takes */
export function wayOf({ links, src, dst, vertices }, i) {
  const k = links?.at.get(src[i] * vertices + dst[i]);
  if (!links || k === undefined) return [];
  return Array.from({ length: links.longest }, (_, hop) => links.ways[k * links.longest + hop] - 1).filter((link) => link >= 0);
}
