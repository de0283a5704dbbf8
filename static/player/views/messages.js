// The messages of a step: their ways, the chunks that travel, and which of them stand out when there are too many.

import { binAt } from "../layout.js";
import { binOf } from "../cells.js";
import { ADD, countOf } from "../trace.js";
import { along, between, detour, ease } from "../ways.js";
import { show } from "../numbers.js";
import { arrow } from "./scenery.js";

/** @typedef {import("./view.js").Scene} Scene */
/** @typedef {import("../pen.js").Pen} Pen */
/** @typedef {import("../layout.js").Layout} Layout */
/** @typedef {{x0: number, y0: number, x1: number, y1: number, bow: number, add: boolean, transfer: number, slot: number}} Packet */
/** @typedef {{src: number, dst: number, bow: number, add: boolean, mine: boolean}} Message */
/** @typedef {{packets: Packet[], messages: Message[], crowd: boolean}} Traffic in a crowd, only the messages from and to the chosen rank are `mine` and have packets */

const TANGLE = 30; // so many times from side to side, and messages hide one another: those of the chosen rank stand out
const MOST_PALE = 300; // of the others
const NOTHING = /** @type {Traffic} */ ({ packets: [], messages: [], crowd: false });

/** @param {Scene} scene @param {Layout} l @returns {Traffic} of the transfers on their way */
export function trafficOf(scene, l) {
  const { trace, lane, focus } = scene;
  if (l.dense) return NOTHING; // the lens shows them
  const all = messagesOf(trace, lane.moving, l);
  const crowd = isCrowd(trace, lane.moving, l);
  for (const message of all) message.mine = !crowd || message.src === focus || message.dst === focus;
  const every = Math.ceil(all.length / MOST_PALE);
  const messages = all.filter(({ mine }, k) => (crowd && mine) || k % every === 0);
  return { messages, packets: packetsOf(trace, lane.moving, l, messages.filter(({ mine }) => mine)), crowd };
}

/** @param {import("../trace.js").Trace} trace @param {number[]} moving @param {Layout} l @returns {boolean} are their messages, end to end, too long to be told apart? */
function isCrowd({ src, dst, vertices }, moving, { x, y, width, height }) {
  const pairs = new Map(moving.map((i) => [src[i] * vertices + dst[i], Math.hypot(x[src[i]] - x[dst[i]], y[src[i]] - y[dst[i]])]));
  return [...pairs.values()].reduce((sum, length) => sum + length, 0) > (TANGLE * (width + height)) / 2;
}

/** @param {import("../trace.js").Trace} trace @param {Layout} l @returns {boolean} is there a step with so many messages that most are pale? */
export function hasCrowd(trace, l) {
  if (l.dense) return false;
  for (let s = 0; s < trace.steps; s++) {
    const [first, last] = [trace.stepPtr[s], trace.stepPtr[s + 1]];
    if (isCrowd(trace, Array.from({ length: last - first }, (_, k) => first + k), l)) return true;
  }
  return false;
}

/** @param {import("../trace.js").Trace} trace @param {number[]} moving @param {Layout} l @returns {Message[]} one for each pair that talks; opposite ones keep apart */
function messagesOf(trace, moving, l) {
  /** @type {Map<number, Message>} */
  const found = new Map();
  for (const i of moving) {
    const [src, dst] = [trace.src[i], trace.dst[i]];
    const key = src * trace.vertices + dst;
    if (!found.has(key)) found.set(key, { src, dst, bow: 0, add: trace.op[i] === ADD, mine: true });
  }
  for (const message of found.values()) {
    const { src, dst } = message;
    const bow = detour(l, src, dst);
    const apart = found.has(dst * trace.vertices + src) ? Math.min(l.kind === "cards" ? 9 : 6, 0.14 * Math.hypot(l.x[src] - l.x[dst], l.y[src] - l.y[dst])) : 0;
    message.bow = bow && apart && bow < 0 ? bow - apart / 2 : bow + apart * (bow ? 0.5 : 1);
  }
  return [...found.values()];
}

/** @param {import("../trace.js").Trace} trace @param {number[]} moving @param {Layout} l @param {Message[]} messages @returns {Packet[]} one for each pair of cells */
function packetsOf(trace, moving, l, messages) {
  const shown = new Map(messages.map((message) => [message.src * trace.vertices + message.dst, message]));
  const drawn = new Set();
  const cards = l.kind === "cards";
  const packets = [];
  for (const i of moving) {
    const [src, dst] = [trace.src[i], trace.dst[i]];
    const message = shown.get(src * trace.vertices + dst);
    if (!message) continue;
    for (let k = 0; k < (cards ? countOf(trace, i) : 1); k++) {
      const [leaves, arrives] = cards ? [binOf(l.bins, trace.chunk[i] + k), binOf(l.bins, trace.into[i] + k)] : [0, 0];
      const key = ((src * trace.vertices + dst) * l.bins.count + leaves) * l.bins.count + arrives;
      if (drawn.has(key)) continue;
      drawn.add(key);
      const [[x0, y0], [x1, y1]] = cards ? [binAt(l, src, leaves), binAt(l, dst, arrives)] : [besides(l, src, dst), besides(l, dst, src)];
      packets.push({ x0, y0, x1, y1, bow: message.bow, add: trace.op[i] === ADD, transfer: i, slot: trace.chunk[i] + k });
    }
  }
  return packets;
}

/** @param {Layout} l of gauges @param {number} v @param {number} other @returns {[number, number]} where a packet of theirs rests: on the rim, towards the middle of a ring or else towards the other */
function besides(l, v, other) {
  const [x, y] = l.shape === "circle" ? [l.width / 2, l.height / 2] : [l.x[other], l.y[other]];
  const part = (0.42 * l.cardWidth + 2) / (Math.hypot(x - l.x[v], y - l.y[v]) || 1);
  return [l.x[v] + part * (x - l.x[v]), l.y[v] + part * (y - l.y[v])];
}

/** @param {Pen} pen @param {Scene} scene @param {Layout} l @param {Traffic} traffic one line for every message, with an arrow head where there is room */
export function paintWays(pen, { theme }, l, { messages, crowd }) {
  const pale = Math.max(0.05, Math.min(0.3, 14 / messages.length));
  const thick = crowd ? 1.3 : l.kind === "cards" ? 2.2 : l.cardWidth >= 20 ? 1.8 : 1.2;
  for (const { src, dst, bow, add, mine } of [...messages].sort((a, b) => Number(a.mine) - Number(b.mine))) {
    const points = between(l, src, dst, bow);
    if (points.length < 2) continue;
    const colour = add ? theme.reduce : theme.copy;
    pen.line(points, mine ? { colour, width: thick, dash: add || crowd ? [] : [6, 4], alpha: crowd ? 0.75 : 0.85 } : { colour, width: 1, alpha: pale });
    if (mine && (l.kind === "cards" || (crowd && l.cardWidth >= 12))) arrow(pen, points, colour, crowd ? 6 : 7);
  }
}

/** @param {Pen} pen @param {Scene} scene @param {Layout} l @param {Traffic} traffic an outline around everything that is about to change */
export function paintTargets(pen, { theme, trace }, l, { packets, messages }) {
  const width = l.kind === "cards" || l.numbered ? 1.8 : 1.2;
  const style = (/** @type {boolean} */ add) => ({ stroke: add ? theme.reduce : theme.copy, width, dash: add ? [] : [3, 2] });
  if (l.kind === "cards") for (const { x1, y1, add } of packets) pen.square(x1, y1, l.cell - 1, { ...style(add), radius: 2 });
  else if (l.cardWidth >= 14 && l.mark === "gauge") {
    for (const { dst, add, mine } of messages) if (mine && dst < trace.ranks) pen.disc(l.x[dst], l.y[dst], l.cardWidth / 2 + 1.5, style(add));
  }
}

/** @param {Packet} packet @param {Scene} scene @returns {[number, number]} where it is now */
export const placeOf = ({ x0, y0, x1, y1, bow, transfer }, { lane, still }) => along(x0, y0, x1, y1, bow, still ? 0 : ease(lane.fracOf(transfer)));

/** @param {Pen} pen @param {Scene} scene @param {Layout} l @param {Traffic} traffic */
export function paintPackets(pen, scene, l, { packets, crowd }) {
  const { theme, trace } = scene;
  const cards = l.kind === "cards";
  const size = cards ? Math.max(8, Math.min(l.cell - 1, crowd ? 14 : 40)) : Math.max(3.5, Math.min(11, 0.42 * l.cardWidth));
  for (const packet of packets) {
    const [x, y] = placeOf(packet, scene);
    const { add } = packet;
    const fill = add ? theme.reduce_text : theme.copy_text;
    if (!cards) loose(pen, x, y, size, add, { fill, stroke: theme.background, width: size > 8 ? 1 : 0.5 });
    else {
      if (!add) pen.square(x + 2.5, y - 2.5, size, { fill: theme.background, stroke: fill, width: 1.4 }); // a copy: two sheets
      pen.square(x, y, size, { fill, stroke: theme.background, width: 1.5 });
      if (size >= 11 && l.bins.per === 1) pen.text(x, y, slotLabel(scene, trace.src[packet.transfer], packet.slot), { colour: theme.on_packet, size: Math.min(13, size * 0.6), font: theme.font, weight: 650 });
    }
  }
}

/** @param {Pen} pen @param {number} x @param {number} y @param {number} size @param {boolean} add @param {import("../pen.js").Fill} style a packet without a number: round adds, square copies */
const loose = (pen, x, y, size, add, style) => (add ? pen.disc(x, y, size / 2, style) : pen.square(x, y, size * 0.9, { ...style, radius: 0 }));

/** @param {Scene} scene @param {number} v @param {number} slot @returns {string} what stands in a cell: its number among the chunks, or what it holds */
export function slotLabel({ replay, trace }, v, slot) {
  if (replay.value) return replay.held[v * trace.slots + slot] ? show(replay.value[v * trace.slots + slot]) : "";
  return slot < trace.chunks ? `${slot}` : `s${slot - trace.chunks}`;
}
