// What stands for a vertex: a gauge of its buffer, a piece of a band of ranks, a row in the block of its node.

import { binLevel } from "../cells.js";
import { levelColour, luminance } from "../palette.js";
import { COMPLETE } from "../replay.js";

/** @typedef {import("./view.js").Scene} Scene */
/** @typedef {import("../pen.js").Pen} Pen */
/** @typedef {import("../layout.js").Layout} Layout */

/** @param {import("../trace.js").Trace} trace @param {Layout} l @param {boolean} crowd will there be steps with too many messages to show each alike? @returns {string} how to read the picture */
export function howTo(trace, l, crowd) {
  const pale = crowd ? ", pale = other ranks" : "";
  if (l.kind === "cards") return `square = ${l.bins.per > 1 ? `${l.bins.per} chunks` : "chunk"}${crowd ? "" : ", moving = in flight"}${pale}`;
  const rest = trace.vertices > trace.ranks ? ", octagon = switch" : ", green = complete";
  if (l.mark === "band") return `around: every rank's buffer${l.lens ? "; inside: the chosen rank" : rest}`;
  if (l.mark === "row") return `box = ${trace.groupName}, row = rank; above: the chosen rank`;
  return `disc = rank${l.bins.count > 1 ? ", wedges = its chunks" : ""}${pale || rest}`;
}

/** @param {Pen} pen @param {Scene} scene @param {Layout} l */
export function paintMarks(pen, scene, l) {
  if (l.mark === "row") return paintRows(pen, scene, l);
  if (l.mark === "band") paintBand(pen, scene, l);
  const { trace, replay, theme } = scene;
  for (let v = l.mark === "band" ? trace.ranks : 0; v < trace.vertices; v++) {
    const levels = Array.from({ length: l.bins.count }, (_, bin) => binLevel(replay, v, l.bins, bin));
    if (v < trace.ranks) paintGauge(pen, theme, l, v, levels);
    else paintSwitch(pen, theme, l, v, levels);
  }
}

/** @param {Pen} pen @param {Scene["theme"]} theme @param {Layout} l @param {number} v @param {number[]} levels of the parts of its buffer, clockwise from the top */
function paintGauge(pen, theme, l, v, levels) {
  const [x, y, radius] = [l.x[v], l.y[v], l.cardWidth / 2];
  const numbered = l.numbered;
  const whole = levels.every((level) => level === levels[0]);
  pen.disc(x, y, radius, { fill: levelColour(levels[0], theme) });
  for (const [from, to] of whole ? [] : runs(levels)) {
    if (from) pen.area(wedge(x, y, radius, from / levels.length, to / levels.length), { fill: levelColour(levels[from], theme) }); // the first is there already
  }
  const hole = levels.length > 1 ? (numbered ? 0.58 : 0.3) * radius : 0;
  if (hole > 1.5) pen.disc(x, y, hole, { fill: theme.background });
  if (radius > 3) pen.disc(x, y, radius, { stroke: whole && levels[0] === COMPLETE ? theme.done : theme.line, width: 1 });
  if (!numbered) return;
  const ground = hole ? theme.background : levelColour(levels[0], theme);
  pen.text(x, y, `${v}`, { colour: hole ? theme.ink : luminance(ground) > 0.3 ? "#1b2333" : "#ffffff", size: Math.max(8.5, Math.min(12, 0.36 * l.cardWidth)), font: theme.font, weight: 500 });
}

/** @param {ArrayLike<number>} levels @returns {Array<[number, number]>} stretches of equal ones: first, and one after the last */
function runs(levels) {
  const starts = Array.from({ length: levels.length }, (_, k) => k).filter((k) => !k || levels[k] !== levels[k - 1]);
  return starts.map((start, k) => [start, starts[k + 1] ?? levels.length]);
}

/** @param {Pen} pen @param {Scene["theme"]} theme @param {Layout} l @param {number} v @param {number[]} levels */
function paintSwitch(pen, theme, l, v, levels) {
  const mean = levels.reduce((sum, level) => sum + Math.min(1, level), 0) / levels.length;
  const all = levels.every((level) => level === COMPLETE);
  const size = Math.max(8, Math.min(20, 0.8 * l.cardWidth));
  pen.area(octagon(l.x[v], l.y[v], size, size), { fill: theme.background, stroke: theme.switch, width: 1.8 });
  pen.area(octagon(l.x[v], l.y[v], size - 4, size - 4), { fill: levelColour(all ? COMPLETE : Math.min(0.999, mean), theme) });
}

/** @param {number} x @param {number} y centre @param {number} width @param {number} height @returns {Array<[number, number]>} what a switch looks like: a rectangle without corners */
export function octagon(x, y, width, height) {
  const [w, h] = [width / 2, height / 2];
  const cut = Math.min(9, 0.55 * Math.min(w, h));
  return [[x - w + cut, y - h], [x + w - cut, y - h], [x + w, y - h + cut], [x + w, y + h - cut], [x + w - cut, y + h], [x - w + cut, y + h], [x - w, y + h - cut], [x - w, y - h + cut]];
}

/** @param {number} x @param {number} y @param {number} radius @param {number} from part of a turn, clockwise from the top @param {number} to @returns {Array<[number, number]>} */
function wedge(x, y, radius, from, to) {
  const corners = Math.max(1, Math.ceil((to - from) * 20));
  /** @type {Array<[number, number]>} */
  const points = [[x, y]];
  for (let k = 0; k <= corners; k++) {
    const turn = 2 * Math.PI * (from + ((to - from) * k) / corners);
    points.push([x + radius * Math.sin(turn), y - radius * Math.cos(turn)]);
  }
  return points;
}

/** @param {Pen} pen @param {Scene} scene @param {Layout} l the buffers of all ranks, bent around: outside their first chunks, inside their last */
function paintBand(pen, { replay, theme, trace }, l) {
  const { outer, inner, per } = /** @type {import("../compact.js").Band} */ (l.band);
  const levels = replay.averages(per, l.bins.per, trace.chunks);
  const layers = l.bins.count;
  const at = (/** @type {number} */ k, /** @type {number} */ part) => /** @type {[number, number]} */ ([outer[k][0] + (inner[k][0] - outer[k][0]) * part, outer[k][1] + (inner[k][1] - outer[k][1]) * part]);
  for (let k = 0; k + 1 < outer.length; k++) {
    for (const [from, to] of runs(levels[k])) {
      const fill = levelColour(levels[k][from], theme);
      pen.area([at(k, from / layers), at(k + 1, from / layers), at(k + 1, to / layers), at(k, to / layers)], { fill, stroke: fill, width: 0.7 });
    }
  }
  for (const edge of [outer, inner]) pen.line([...edge, edge[0]], { colour: theme.line, width: 1 });
}

/** @param {Pen} pen @param {Scene} scene @param {Layout} l */
function paintRows(pen, { replay, theme, trace }, l) {
  const levels = replay.averages(1, l.bins.per, trace.chunks);
  const width = l.cardWidth / l.bins.count;
  const gap = l.cardHeight > 4 ? 1 : 0;
  for (let v = 0; v < trace.ranks; v++) {
    const [left, top] = [l.x[v] - l.cardWidth / 2, l.y[v] - l.cardHeight / 2];
    for (const [from, to] of runs(levels[v])) pen.box(left + from * width, top, (to - from) * width, l.cardHeight - gap, { fill: levelColour(levels[v][from], theme) });
  }
}

/** @param {Pen} pen @param {Layout} l @param {number} v @param {Scene["theme"]} theme a frame around the vertex that is looked at */
export function mark(pen, l, v, theme) {
  const style = { stroke: theme.ink, width: 2 };
  if (l.mark === "gauge" || l.mark === "band") pen.disc(l.x[v], l.y[v], Math.max(6, l.cardWidth / 2 + 3), style);
  else pen.box(l.x[v] - l.cardWidth / 2 - 2, l.y[v] - l.cardHeight / 2 - 2, l.cardWidth + 4, l.cardHeight + 4, { ...style, radius: l.mark === "card" ? 9 : 2 });
}
