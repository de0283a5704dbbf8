// Where every vertex is drawn, in pixels: pure geometry that knows nothing of drawing.

/** @typedef {import("./trace.js").Trace} Trace */
/**
 * @typedef {object} Layout
 * @property {"cards"|"dots"} kind cards show their cells, dots only how full they are
 * @property {"circle"|"tree"|"nodes"} shape
 * @property {number} width @property {number} height
 * @property {Float64Array} x centre of each vertex @property {Float64Array} y
 * @property {number} cardWidth @property {number} cardHeight of a card, or the diameter of a dot
 * @property {number} title height of the line with the name, 0 when the name stands alone
 * @property {number} cell side of a cell with its gap @property {number} columns cells side by side in a card
 * @property {Array<{x0: number, y0: number, x1: number, y1: number, name: string}>} boxes around nodes or rows
 * @property {{x: number, y: number, width: number, height: number}|null} lens room in the middle, if there is any
 */

const LARGEST_CELL = 30;
const SMALLEST_CELL = 7;
const CARD_CELLS = 320; // more cells than this are drawn as one dot for each vertex
const GAPS = [[34, 17], [24, 14], [14, 12], [8, SMALLEST_CELL]]; // pixels between cards, and the smallest cell worth that gap
const EDGE = 6; // pixels around everything

/** @param {Trace} trace @param {number} width @param {number} height @returns {Layout} */
export function place(trace, width, height) {
  const shape = trace.vertices > trace.ranks ? "tree" : trace.group ? "nodes" : "circle";
  if (trace.vertices * trace.slots <= CARD_CELLS) {
    const cards = largestCards(trace, width, height, shape);
    if (cards) return { ...cards, lens: shape === "circle" && cards.cell < 14 ? emptyMiddle(trace, cards) : null };
  }
  return dots(trace, width, height, shape);
}

/**
 * The layout with the largest cells that fit without overlap, or null.
 * @param {Trace} trace @param {number} width @param {number} height @param {Layout["shape"]} shape
 */
function largestCards(trace, width, height, shape) {
  for (const [gap, smallest] of GAPS) {
    for (let cell = LARGEST_CELL; cell >= smallest; cell--) {
      for (const columns of columnChoices(trace)) {
        for (const spots of candidates(trace, shape)) {
          const card = cardSize(trace, cell, columns);
          const layout = { kind: /** @type {const} */ ("cards"), shape, width, height, ...card, cell, columns, lens: null, ...spots(trace, width, height, card) };
          if (fits(layout, gap)) return layout;
        }
      }
    }
  }
  return null;
}

/** @param {Trace} trace @param {Layout} cards @returns {Layout["lens"]} the room inside the ring, if no edge crosses it */
function emptyMiddle(trace, { x, y, width, height, cardWidth, cardHeight }) {
  const [halfWidth, halfHeight] = [width / 2 - cardWidth - 3 * EDGE, height / 2 - cardHeight - 3 * EDGE];
  for (let i = 0; i < trace.src.length; i++) {
    const [a, b] = [trace.src[i], trace.dst[i]];
    const near = (/** @type {number} */ v) => [Math.abs((x[v] + (v === a ? x[b] : x[a])) / 2 - width / 2), Math.abs((y[v] + (v === a ? y[b] : y[a])) / 2 - height / 2)];
    const [dx, dy] = near(a);
    if (dx < halfWidth && dy < halfHeight) return null; // the middle of this edge lies in it
  }
  return { x: width / 2, y: height / 2, width: 2 * halfWidth, height: 2 * halfHeight };
}

/** @param {Trace} trace @returns {number[]} how many cells side by side, most square first */
function columnChoices({ slots, chunks }) {
  const square = Math.ceil(Math.sqrt(chunks));
  const choices = [square, 2 * square, Math.ceil(chunks / 2), chunks, Math.max(1, Math.floor(square / 2))];
  return [...new Set(choices.filter((columns) => columns >= 1 && columns <= Math.max(chunks, 1) && slots > 0))];
}

/** @param {Trace} trace @param {number} cell @param {number} columns */
function cardSize({ slots }, cell, columns) {
  const rows = Math.ceil(slots / columns);
  const title = cell >= 12 ? 18 : 14;
  return { cardWidth: Math.max(columns * cell + 8, 20), cardHeight: rows * cell + title + 8, title };
}

/** @typedef {{cardWidth: number, cardHeight: number}} Card */
/** @typedef {(trace: Trace, width: number, height: number, card: Card) => {x: Float64Array, y: Float64Array, boxes: Layout["boxes"]}} Spots */

/** @param {Trace} trace @param {Layout["shape"]} shape @returns {Spots[]} */
function candidates(trace, shape) {
  if (shape === "tree") return [tree];
  if (shape === "nodes") return [nodes];
  return trace.ranks <= 2 ? [ellipse] : [ellipse, frame];
}

/** @type {Spots} ranks clockwise on an ellipse, rank 0 on top, equally far apart along it */
function ellipse(trace, width, height, card) {
  const rx = (width - card.cardWidth) / 2 - EDGE;
  const ry = (height - card.cardHeight) / 2 - EDGE;
  return onPath(trace, width, height, (t) => [rx * Math.sin(2 * Math.PI * t), -ry * Math.cos(2 * Math.PI * t)]);
}

/** @type {Spots} ranks clockwise along a rectangle with round corners: room for more cards than an ellipse */
function frame(trace, width, height, card) {
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
  const SAMPLES = 720;
  const points = Array.from({ length: SAMPLES + 1 }, (_, k) => path(k / SAMPLES));
  const length = [0];
  for (let k = 1; k <= SAMPLES; k++) length.push(length[k - 1] + Math.hypot(points[k][0] - points[k - 1][0], points[k][1] - points[k - 1][1]));
  const x = new Float64Array(vertices);
  const y = new Float64Array(vertices);
  for (let v = 0, k = 0; v < vertices; v++) {
    while (k < SAMPLES && length[k + 1] <= (v / vertices) * length[SAMPLES]) k++;
    x[v] = width / 2 + points[k][0];
    y[v] = height / 2 + points[k][1];
  }
  return { x, y, boxes: [] };
}

/** @type {Spots} ranks along the bottom, each level of switches above the one it serves */
function tree(trace, width, height, card) {
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
function nodes(trace, width, height, card) {
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
export function membersOf(group) {
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
      const room = Math.min(w / card.cardWidth, h / card.cardHeight);
      if (room > most + 1e-9) [most, best] = [room, [across, inside]];
    }
  }
  return best;
}

/** @param {Omit<Layout, "lens">} layout @param {number} gap @returns {boolean} nothing overlaps, nothing sticks out */
export function fits({ x, y, cardWidth, cardHeight, width, height, shape }, gap) {
  const gapX = shape === "tree" ? Math.min(gap, 3) : gap;
  const gapY = gap;
  for (let a = 0; a < x.length; a++) {
    if (x[a] < cardWidth / 2 || x[a] > width - cardWidth / 2 || y[a] < cardHeight / 2 || y[a] > height - cardHeight / 2) return false;
    for (let b = 0; b < a; b++) {
      if (Math.abs(x[a] - x[b]) < cardWidth + gapX && Math.abs(y[a] - y[b]) < cardHeight + gapY) return false;
    }
  }
  return true;
}

/**
 * One dot for every vertex.
 * @param {Trace} trace @param {number} width @param {number} height @param {Layout["shape"]} shape @returns {Layout}
 */
function dots(trace, width, height, shape) {
  const spots = shape === "nodes" ? nodes : shape === "tree" ? rings : ellipse;
  const size = Math.max(4, Math.min(22, (Math.min(width, height) * 2.4) / trace.ranks));
  const margin = trace.ranks <= 64 ? 62 : 92; // room for the names outside
  const card = shape === "nodes" ? { cardWidth: size, cardHeight: size } : { cardWidth: margin, cardHeight: trace.ranks <= 64 ? margin : 62 };
  const placed = spots(trace, width, height, card);
  const dot = shape === "nodes" ? Math.min(18, 0.8 * nearest(placed)) : size;
  const lens = shape === "circle" ? { x: width / 2, y: height / 2, width: (width - 2 * margin) * 0.9, height: (height - 2 * margin) * 0.66 } : null;
  return { kind: "dots", shape, width, height, ...placed, cardWidth: dot, cardHeight: dot, title: 0, cell: 0, columns: 1, lens };
}

/** @type {Spots} ranks on the outer ring, each level of switches on a ring further in */
function rings(trace, width, height, card) {
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

/** @param {{x: Float64Array, y: Float64Array}} placed @returns {number} distance between the first two neighbours */
function nearest({ x, y }) {
  let least = Infinity;
  for (let v = 1; v < Math.min(x.length, 64); v++) least = Math.min(least, Math.hypot(x[v] - x[v - 1], y[v] - y[v - 1]));
  return least;
}

/** @param {Layout} layout @param {number} v @param {number} slot @returns {[number, number]} the centre of a cell */
export function cellAt(layout, v, slot) {
  if (layout.kind === "dots") return [layout.x[v], layout.y[v]];
  const { cell, columns, cardHeight, title } = layout;
  const left = layout.x[v] - (columns * cell) / 2;
  const top = layout.y[v] - cardHeight / 2 + title + 2;
  return [left + ((slot % columns) + 0.5) * cell, top + (Math.floor(slot / columns) + 0.5) * cell];
}

/**
 * The way from one point to another; two opposite ways bow apart, each keeping to its right.
 * @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 @param {number} bow pixels at the middle
 * @param {number} f 0 at the start, 1 at the end @returns {[number, number]}
 */
export function along(x0, y0, x1, y1, bow, f) {
  const length = Math.hypot(x1 - x0, y1 - y0) || 1;
  const lift = (bow * 4 * f * (1 - f)) / length;
  return [x0 + (x1 - x0) * f - (y1 - y0) * lift, y0 + (y1 - y0) * f + (x1 - x0) * lift];
}

/** @param {number} f @returns {number} slow at both ends */
export const ease = (f) => (f < 0.5 ? 2 * f * f : 1 - (2 - 2 * f) ** 2 / 2);
