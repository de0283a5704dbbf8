// The chain of transfers that decides how long the whole takes: each begins when the one before it ends.

import { timesOf } from "./trace.js";

/** @typedef {import("./trace.js").Trace} Trace */

const MOST = 500_000; // transfers

/** @param {Trace} trace @returns {number[]} transfers in order of time; empty when there are too many to look at */
export function criticalPath(trace) {
  const count = trace.src.length;
  if (!count || count > MOST) return [];
  const start = new Float64Array(count);
  const end = new Float64Array(count);
  for (let s = 0; s < trace.steps; s++) for (let i = trace.stepPtr[s]; i < trace.stepPtr[s + 1]; i++) [start[i], end[i]] = timesOf(trace, i, s);
  const order = Uint32Array.from(end.keys()).sort((a, b) => end[a] - end[b] || a - b);
  const [arrivals, departures] = [byVertex(trace, trace.dst, order), byVertex(trace, trace.src, order)];
  const slack = 1e-6 * end[order[count - 1]];
  const everything = Array.from(order);
  const path = [order[count - 1]];
  while (path.length <= trace.steps * 4) {
    const i = path[path.length - 1];
    if (start[i] <= slack) break;
    // first what it had to wait for as data, then what kept the two ports busy
    const before = [arrivals[trace.src[i]], departures[trace.src[i]], arrivals[trace.dst[i]]].map((list) => lastEnded(list, end, start[i] + slack, start, i));
    if (trace.lockstep) before.push(lastEnded(everything, end, start[i] + slack, start, i)); // the step before had to be over for all
    const latest = Math.max(...before.map((j) => (j < 0 ? -1 : end[j])));
    if (latest < 0) break;
    path.push(before.find((j) => j >= 0 && end[j] >= latest - slack) ?? -1);
  }
  return path.reverse();
}

/** @param {Trace} trace @param {ArrayLike<number>} vertex @param {Uint32Array} order @returns {number[][]} transfers of each vertex, by end */
function byVertex(trace, vertex, order) {
  const lists = Array.from({ length: trace.vertices }, () => /** @type {number[]} */ ([]));
  for (const i of order) lists[vertex[i]].push(i);
  return lists;
}

/**
 * The transfer of a list that ended last, not after `time`; -1 if none.
 * @param {number[]} list @param {Float64Array} end @param {number} time @param {Float64Array} start @param {number} me
 */
function lastEnded(list, end, time, start, me) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (end[list[middle]] <= time) low = middle + 1;
    else high = middle;
  }
  for (let k = low - 1; k >= 0; k--) if (list[k] !== me && start[list[k]] < start[me]) return list[k];
  return -1;
}
