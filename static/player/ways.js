// How things travel between two places in the network picture: pure geometry.

/** @typedef {import("./layout.js").Layout} Layout */

/**
 * The way from one point to another. With a bow it swings out to its right; when it is long it runs beside the straight line, like a lane.
 * @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 @param {number} bow pixels at the middle
 * @param {number} f 0 at the start, 1 at the end @returns {[number, number]}
 */
export function along(x0, y0, x1, y1, bow, f) {
  const length = Math.hypot(x1 - x0, y1 - y0) || 1;
  const flat = Math.max(2, Math.min(7, (0.75 * length) / Math.max(1, Math.abs(bow)))); // 2 is a parabola
  const lift = (bow * (1 - Math.abs(2 * f - 1) ** flat)) / length;
  return [x0 + (x1 - x0) * f - (y1 - y0) * lift, y0 + (y1 - y0) * f + (x1 - x0) * lift];
}

/** @param {number} f @returns {number} slow at both ends */
export const ease = (f) => (f < 0.5 ? 2 * f * f : 1 - (2 - 2 * f) ** 2 / 2);

/**
 * The visible part of the way between two vertices: what lies outside both cards (or dots).
 * @param {Layout} l @param {number} a @param {number} b @param {number} bow
 */
export function between(l, a, b, bow) {
  const SAMPLES = 40;
  const round = l.kind === "dots";
  const inside = (/** @type {number} */ v, /** @type {number} */ x, /** @type {number} */ y) =>
    round ? Math.hypot(x - l.x[v], y - l.y[v]) < l.cardWidth / 2 : Math.abs(x - l.x[v]) < l.cardWidth / 2 + 2 && Math.abs(y - l.y[v]) < l.cardHeight / 2 + 2;
  const points = [];
  for (let k = 0; k <= SAMPLES; k++) {
    const [x, y] = along(l.x[a], l.y[a], l.x[b], l.y[b], bow, k / SAMPLES);
    if (!inside(a, x, y) && !inside(b, x, y)) points.push(/** @type {[number, number]} */ ([x, y]));
  }
  return bow || points.length < 2 ? points : [points[0], points[points.length - 1]]; // a straight line needs no more
}

/**
 * How far a way must bow so as not to run through what stands between its ends; 0 when nothing is in the way.
 * On a loop it swings inwards, above a row of a tree upwards, in a grid to its right.
 * @param {Layout} l @param {number} a @param {number} b @returns {number}
 */
export function detour(l, a, b) {
  if (l.x.length > 300) return 0;
  if (l.shape === "circle" && l.kind === "dots") return innerLane(l, a, b);
  const flat = Math.abs(l.y[a] - l.y[b]) < 2;
  const upright = Math.abs(l.x[a] - l.x[b]) < 2;
  if (!flat && !upright) return 0;
  const [at, across] = flat ? [l.x, l.y] : [l.y, l.x];
  const half = (flat ? l.cardHeight : l.cardWidth) / 2;
  const reach = l.shape === "tree" ? half + 6 : 2;
  const blocks = (/** @type {number} */ v) => Math.abs(across[v] - across[a]) < reach && at[v] > Math.min(at[a], at[b]) + 2 && at[v] < Math.max(at[a], at[b]) - 2;
  const blocked = Array.from(l.x.keys()).filter(blocks);
  if (!blocked.length) return 0;
  const aside = across[a] - across[blocked[0]];
  if (Math.abs(aside) > 2) return (flat ? 1 : -1) * Math.sign((at[b] - at[a]) * aside) * (reach + 6 - Math.abs(aside)); // past its nearer side
  if (l.shape === "grid" || l.shape === "nodes") return half + (l.kind === "cards" ? Math.max(6, l.gap / 2) : 5);
  const far = Math.abs(at[a] - at[b]);
  return inwards(l, a, b) * Math.min(half + 14 + 0.06 * far, 0.4 * Math.min(l.width, l.height));
}

/** @param {Layout} l @param {number} a @param {number} b @returns {1|-1} the sign of a bow that swings towards the middle */
function inwards(l, a, b) {
  const [mx, my] = [l.width / 2 - (l.x[a] + l.x[b]) / 2, l.height / 2 - (l.y[a] + l.y[b]) / 2];
  return -(l.y[b] - l.y[a]) * mx + (l.x[b] - l.x[a]) * my >= 0 ? 1 : -1;
}

/** @param {Layout} l @param {number} a @param {number} b neighbours on a ring of dots: their packets pass inside, not over others */
function innerLane(l, a, b) {
  const far = Math.hypot(l.x[a] - l.x[b], l.y[a] - l.y[b]);
  return far < 3.2 * l.cardWidth ? inwards(l, a, b) * (4 + 0.4 * l.cardWidth) : 0;
}
