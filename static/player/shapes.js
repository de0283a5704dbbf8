// The shapes that ranks are arranged in: ellipse, frame, loop, nodes, grid.

/** @typedef {import("./trace.js").Trace} Trace */
/** @typedef {import("./layout.js").Layout} Layout */
/** @typedef {{cardWidth: number, cardHeight: number}} Card */
/** @typedef {(trace: Trace, width: number, height: number, card: Card) => {x: Float64Array, y: Float64Array, boxes: Layout["boxes"]}} Spots */

export const EDGE = 6; // pixels around everything

/** @type {Spots} ranks clockwise on an ellipse, rank 0 on top, equally far apart along it */
export function ellipse(trace, width, height, card) {
  const rx = (width - card.cardWidth) / 2 - EDGE;
  const ry = (height - card.cardHeight) / 2 - EDGE;
  return onPath(trace, width, height, (t) => [rx * Math.sin(2 * Math.PI * t), -ry * Math.cos(2 * Math.PI * t)]);
}

/** @type {Spots} ranks clockwise along a rectangle with round corners: room for more cards than an ellipse */
export function frame(trace, width, height, card) {
  return onPath(trace, width, height, framed(width, height, card));
}

/**
 * Places on that same rectangle.
 * @param {number[]} parts of the way round, in rising order; a little below 0 is allowed @param {number} width @param {number} height @param {Card} card
 * @returns {Array<[number, number]>}
 */
export function framePoints(parts, width, height, card) {
  const at = measured(framed(width, height, card));
  return parts.map((part) => {
    const [x, y] = at(part < 0 ? part + 1 : part);
    return [width / 2 + x, height / 2 + y];
  });
}

/** @param {number} width @param {number} height @param {Card} card @returns {(t: number) => [number, number]} */
function framed(width, height, card) {
  const rx = (width - card.cardWidth) / 2 - EDGE;
  const ry = (height - card.cardHeight) / 2 - EDGE;
  const round = (/** @type {number} */ v) => Math.sign(v) * Math.sqrt(Math.abs(v));
  return (t) => [rx * round(Math.sin(2 * Math.PI * t)), -ry * round(Math.cos(2 * Math.PI * t))];
}

/** @param {number} across @returns {Spots} ranks clockwise along the four sides of a rectangle, so many on its upper side */
export const loop = (across) => ({ vertices }, width, height, card) => {
  const below = (vertices - 2 * across) % 2 ? across - 1 : across;
  const side = (vertices - across - below) / 2;
  const [left, top] = [EDGE + card.cardWidth / 2, EDGE + card.cardHeight / 2];
  const spots = Array.from({ length: vertices }, (_, v) => {
    if (v < across) return [v / (across - 1), 0];
    if (v < across + side) return [1, (v - across + 1) / (side + 1)];
    if (v < across + side + below) return [1 - (v - across - side) / Math.max(1, below - 1), 1];
    return [0, 1 - (v - across - side - below + 1) / (side + 1)];
  });
  const x = Float64Array.from(spots, ([part]) => left + part * (width - 2 * left));
  const y = Float64Array.from(spots, ([, part]) => top + part * (height - 2 * top));
  return { x, y, boxes: [] };
};

const SAMPLES = 240;

/** @param {(t: number) => [number, number]} path closed @returns {(part: number) => [number, number]} the place after that part of its length */
function measured(path) {
  const points = Array.from({ length: SAMPLES + 1 }, (_, k) => path(k / SAMPLES));
  const length = [0];
  for (let k = 1; k <= SAMPLES; k++) length.push(length[k - 1] + Math.hypot(points[k][0] - points[k - 1][0], points[k][1] - points[k - 1][1]));
  return (part) => {
    const along = part * length[SAMPLES];
    let k = Math.max(0, length.findIndex((far) => far > along) - 1);
    if (along >= length[SAMPLES]) k = SAMPLES - 1;
    const rest = (along - length[k]) / Math.max(length[k + 1] - length[k], 1e-9);
    return [points[k][0] + rest * (points[k + 1][0] - points[k][0]), points[k][1] + rest * (points[k + 1][1] - points[k][1])];
  };
}

/**
 * Ranks equally far apart along a closed path, whatever its speed.
 * @param {Trace} trace @param {number} width @param {number} height @param {(t: number) => [number, number]} path
 */
function onPath({ vertices }, width, height, path) {
  const at = measured(path);
  const spots = Array.from({ length: vertices }, (_, v) => at(v / vertices));
  return { x: Float64Array.from(spots, ([x]) => width / 2 + x), y: Float64Array.from(spots, ([, y]) => height / 2 + y), boxes: [] };
}

/** @type {Spots} a box for every node, as square as the space allows, and its ranks in a grid inside */
export function nodes(trace, width, height, card) {
  const group = /** @type {Uint8Array} */ (trace.group);
  const members = membersOf(group);
  const [across, inside] = bestGrid(members, width, height, card);
  const down = Math.ceil(members.length / across);
  const [boxWidth, boxHeight] = [(width - EDGE) / across, (height - EDGE) / down];
  const x = new Float64Array(trace.vertices);
  const y = new Float64Array(trace.vertices);
  const boxes = members.map((ranks, g) => {
    const [x0, y0] = [EDGE / 2 + (g % across) * boxWidth + EDGE / 2, EDGE / 2 + Math.floor(g / across) * boxHeight + EDGE / 2];
    const [w, h] = [boxWidth - EDGE, boxHeight - EDGE];
    const rows = Math.ceil(ranks.length / inside);
    const label = h > 60 && w > 44 ? 16 : 0;
    ranks.forEach((r, k) => { // to and fro like a plough, so that neighbours stay neighbours
      const row = Math.floor(k / inside);
      const column = row % 2 ? inside - 1 - (k % inside) : k % inside;
      x[r] = x0 + (column + 0.5) * (w / inside);
      y[r] = y0 + label + (row + 0.5) * ((h - label) / rows);
    });
    return { x0, y0, x1: x0 + w, y1: y0 + h, name: label ? `${trace.groupName} ${g}` : "" };
  });
  return { x, y, boxes };
}

/** @param {ArrayLike<number>} group @returns {number[][]} the ranks of every group */
function membersOf(group) {
  /** @type {number[][]} */
  const members = [];
  for (let r = 0; r < group.length; r++) (members[group[r]] ??= []).push(r);
  return members.filter(Boolean);
}

/**
 * Boxes side by side, and ranks side by side in each: the choice that leaves every rank most room.
 * @param {number[][]} members @param {number} width @param {number} height @param {Card} card
 * @returns {[number, number]}
 */
function bestGrid(members, width, height, card) {
  const size = Math.max(...members.map((ranks) => ranks.length));
  let best = /** @type {[number, number]} */ ([1, 1]);
  let most = -Infinity;
  for (let across = 1; across <= members.length; across++) {
    for (let inside = 1; inside <= size; inside++) {
      const w = (width - EDGE) / across / inside;
      const h = ((height - EDGE) / Math.ceil(members.length / across) - 22) / Math.ceil(size / inside);
      const rows = across === 1 && inside === size ? 1.6 : 1; // a group a row: ways between groups run straight up and down
      const room = rows * Math.min(w / card.cardWidth, h / card.cardHeight);
      if (room > most + 1e-9) [most, best] = [room, [across, inside]];
    }
  }
  return best;
}

/** @type {Spots} ranks in rows and columns, with room around for the ways that close them to rings */
export function grid(trace, width, height, card) {
  const rows = Math.ceil(trace.ranks / trace.grid);
  const [edgeX, edgeY] = [EDGE + card.cardWidth / 2 + 14, EDGE + card.cardHeight / 2 + 14];
  const step = (/** @type {number} */ room, /** @type {number} */ edge, /** @type {number} */ many) => (room - 2 * edge) / Math.max(1, many - 1);
  const x = Float64Array.from({ length: trace.vertices }, (_, r) => edgeX + (r % trace.grid) * step(width, edgeX, trace.grid));
  const y = Float64Array.from({ length: trace.vertices }, (_, r) => edgeY + Math.floor(r / trace.grid) * step(height, edgeY, rows));
  return { x, y, boxes: [] };
}
