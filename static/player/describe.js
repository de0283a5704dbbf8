// One cell or one transfer, in words and numbers.

import { historyOf } from "./history.js";
import { fullness, wayInWords } from "./load.js";
import { run } from "./narrate.js";
import { show } from "./numbers.js";
import { ADD, countOf, timesOf, vertexName } from "./trace.js";
import { stepOf } from "./edits.js";

/** @typedef {import("./replay.js").Replay} Replay */

const MOST_NAMES = 12;

/** @param {Replay} replay @param {number} vertex @param {number} slot @param {import("./history.js").History} history */
export function describeCell(replay, vertex, slot, history) {
  const { trace } = replay;
  const cell = vertex * trace.slots + slot;
  const total = trace.total[slot % trace.chunks];
  const held = replay.held[cell];
  const twice = [...history.from].filter(([, times]) => times > 1).map(([rank]) => rank);
  const names = [...history.from.keys()];
  const whose = names.length === 0 ? "" : names.length === trace.ranks ? " (all ranks)" : ` (rank${names.length > 1 ? "s" : ""} ${names.slice(0, MOST_NAMES).join(", ")}${names.length > MOST_NAMES ? ", ..." : ""})`;
  const faults = twice.length ? ` Rank ${twice.slice(0, MOST_NAMES).join(", ")} is inside more than once.` : "";
  const value = replay.value && held ? ` Its value is ${show(replay.value[cell])}.` : "";
  const way = history.used.reduce((sum, used) => sum + used, 0);
  const came = way ? ` ${way} transfer${way > 1 ? "s" : ""} brought it here.` : "";
  return `${vertexName(trace, vertex)}, ${run(trace, slot, 1)}: ${held} of ${total} contributions${whose}.${value}${came}${faults}`;
}

/** @param {import("./lane.js").Lane} lane @param {number} i @param {boolean} clock is time real? */
export function describeTransfer(lane, i, clock) {
  const { trace, replay } = lane;
  const [src, dst, chunk, into] = [trace.src[i], trace.dst[i], trace.chunk[i], trace.into[i]];
  const [from, to] = [vertexName(trace, src), vertexName(trace, dst)];
  const arriving = replay.held[src * trace.slots + chunk];
  const there = replay.held[dst * trace.slots + into];
  const add = trace.op[i] === ADD;
  const sum = add ? `${there} there + ${arriving} arriving = ${there + arriving} contributions` : `${arriving} contributions replace ${there}`;
  return `${from} sends ${run(trace, chunk, countOf(trace, i))} to ${to}, which ${add ? "adds" : "overwrites"}: ${sum}${arithmetic(replay, i)}.${when(trace, i)}${wayInWords(trace, fullness(lane, clock), i)}`;
}

/** @param {Replay} replay @param {number} i @returns {string} the same in numbers, when there are any */
function arithmetic(replay, i) {
  const { trace, value } = replay;
  if (!value) return "";
  const [here, there] = [value[trace.src[i] * trace.slots + trace.chunk[i]], value[trace.dst[i] * trace.slots + trace.into[i]]];
  return trace.op[i] === ADD ? `; in numbers ${show(there)} + ${show(here)} = ${show(there + here)}` : `; in numbers ${show(here)} replaces ${show(there)}`;
}

/** @param {import("./trace.js").Trace} trace @param {number} i */
function when(trace, i) {
  const [start, end] = timesOf(trace, i, stepOf(trace, i));
  if (!end) return "";
  const micro = (/** @type {number} */ t) => Number((t * 1e6).toPrecision(4)).toLocaleString("en-US");
  return ` From ${micro(start)} to ${micro(end)} µs.`;
}

/** @param {Replay} replay @param {number} vertex @param {number} slot */
export const historyNow = (replay, vertex, slot) => historyOf(replay.trace, replay.step, vertex, slot);
