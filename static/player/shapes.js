// The shapes that vertices are arranged in: ellipse, frame, tree, rings, nodes.

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
  const rx = (width - card.cardWidth) / 2 - EDGE;
  const ry = (height - card.cardHeight) / 2 - EDGE;
  const round = (/** @type {number} */ v) => Math.sign(v) * Math.sqrt(Math.abs(v));
  return onPath(trace, width, height, (t) => [rx * round(Math.sin(2 * Math.PI * t)), -ry * round(Math.cos(2 * Math.PI * t))]);
}

/**
 * Ranks equally far apart along a closed path, whatever its speed.
 * @param {Trace} trace @param {number} width @param {number} height @param {(t: number) => [number, number]} path
 */
function onPath({ vertices }, width, height, path) {
  const SAMPLES = 240;
  const points = Array.from({ length: SAMPLES + 1 }, (_, k) => path(k / SAMPLES));
  const length = [0];
  for (let k = 1; k <= SAMPLES; k++) length.push(length[k - 1] + Math.hypot(points[k][0] - points[k - 1][0], points[k][1] - points[k - 1][1]));
  const x = new Float64Array(vertices);
  const y = new Float64Array(vertices);
  for (let v = 0, k = 0; v < vertices; v++) {
    const along = (v / vertices) * length[SAMPLES];
    while (k < SAMPLES - 1 && length[k + 1] <= along) k++;
    const part = (along - length[k]) / Math.max(length[k + 1] - length[k], 1e-9);
    x[v] = width / 2 + points[k][0] + part * (points[k + 1][0] - points[k][0]);
    y[v] = height / 2 + points[k][1] + part * (points[k + 1][1] - points[k][1]);
  }
  return { x, y, boxes: [] };
}

/** @type {Spots} ranks along the bottom, each level of switches above the one it serves */
export function tree(trace, width, height, card) {
  const level = levels(trace);
  const top = Math.max(...level);
  const x = new Float64Array(trace.vertices);
  const y = new Float64Array(trace.vertices);
  for (let v = 0; v < trace.vertices; v++) y[v] = height - EDGE - card.cardHeight / 2 - (level[v] / Math.max(top, 1)) * (height - card.cardHeight - 2 * EDGE);
  for (let r = 0; r < trace.ranks; r++) x[r] = EDGE + ((r + 0.5) / trace.ranks) * (width - 2 * EDGE);
  for (let depth = 1; depth <= top; depth++) spread(trace, level, depth, x, width, card.cardWidth);
  return { x, y, boxes: [] };
}

/**
 * Put the switches of one level above the middle of what they serve, or evenly when that would make them overlap.
 * @param {Trace} trace @param {Uint16Array} level @param {number} depth @param {Float64Array} x
 * @param {number} width @param {number} cardWidth
 */
function spread(trace, level, depth, x, width, cardWidth) {
  const served = servedBy(trace, level, depth);
  for (const [v, below] of served) x[v] = below.reduce((sum, low) => sum + x[low], 0) / below.length;
  const here = [...served.keys()].sort((a, b) => x[a] - x[b] || a - b);
  const tight = here.some((v, k) => k > 0 && x[v] - x[here[k - 1]] < cardWidth + 4);
  if (tight) here.forEach((v, k) => { x[v] = EDGE + ((k + 0.5) / here.length) * (width - 2 * EDGE); });
}

/**
 * The vertices one level further down that each switch of a level talks to.
 * @param {Trace} trace @param {Uint16Array} level @param {number} depth @returns {Map<number, number[]>}
 */
function servedBy(trace, level, depth) {
  /** @type {Map<number, Set<number>>} */
  const served = new Map();
  for (let i = 0; i < trace.src.length; i++) {
    const [a, b] = [trace.src[i], trace.dst[i]];
    const [low, high] = level[a] < level[b] ? [a, b] : [b, a];
    if (level[high] !== depth || level[low] !== depth - 1) continue;
    served.set(high, (served.get(high) ?? new Set()).add(low));
  }
  return new Map([...served].map(([v, below]) => [v, [...below]]));
}

/** @param {Trace} trace @returns {Uint16Array} 0 for ranks, for a switch how many hops to the nearest rank */
export function levels(trace) {
  const level = new Uint16Array(trace.vertices).fill(65535);
  level.fill(0, 0, trace.ranks);
  for (let changed = true; changed; ) {
    changed = false;
    for (let i = 0; i < trace.src.length; i++) {
      for (const [a, b] of [[trace.src[i], trace.dst[i]], [trace.dst[i], trace.src[i]]]) {
        if (level[a] + 1 < level[b]) { level[b] = level[a] + 1; changed = true; }
      }
    }
  }
  return level.map((depth) => (depth === 65535 ? 1 : depth));
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

/** @type {Spots} ranks on the outer ring, each level of switches on a ring further in */
export function rings(trace, width, height, card) {
  const level = levels(trace);
  const top = Math.max(...level);
  const placed = ellipse({ ...trace, vertices: trace.ranks }, width, height, card);
  const x = new Float64Array(trace.vertices);
  const y = new Float64Array(trace.vertices);
  x.set(placed.x);
  y.set(placed.y);
  const [rx, ry] = [(width - card.cardWidth) / 2 - EDGE, (height - card.cardHeight) / 2 - EDGE];
  for (let depth = 1; depth <= top; depth++) {
    const shrink = 1 - depth / (top + 0.35);
    const served = servedBy(trace, level, depth);
    for (const [v, below] of served) {
      const mean = (/** @type {Float64Array} */ at) => below.reduce((sum, low) => sum + at[low], 0) / below.length;
      const [dx, dy] = [(mean(x) - width / 2) / rx, (mean(y) - height / 2) / ry];
      const far = Math.hypot(dx, dy);
      const reach = far < 0.02 ? 0 : shrink / far;
      [x[v], y[v]] = [width / 2 + dx * reach * rx, height / 2 + dy * reach * ry];
    }
    const here = [...served.keys()];
    if (!crowded(here, x, y)) continue;
    here.forEach((v, k) => { // several switches serve the same ranks: side by side on their ring
      const turn = (2 * Math.PI * (k + depth / 2)) / here.length;
      [x[v], y[v]] = [width / 2 + shrink * rx * Math.sin(turn), height / 2 - shrink * ry * Math.cos(turn)];
    });
  }
  return { x, y, boxes: [] };
}

/** @param {number[]} vertices @param {Float64Array} x @param {Float64Array} y @returns {boolean} are two of them at one place? */
function crowded(vertices, x, y) {
  const places = new Set(vertices.map((v) => `${Math.round(x[v] / 3)} ${Math.round(y[v] / 3)}`));
  return places.size < vertices.length;
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
