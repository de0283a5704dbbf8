// Where the content of one cell came from: followed backwards through the schedule.

import { COPY, countOf } from "./trace.js";

/** @typedef {import("./trace.js").Trace} Trace */
/**
 * @typedef {object} History
 * @property {Map<number, number>} from rank -> how many times its input is inside
 * @property {Uint8Array} used 1 for every transfer that brought some of it, [transfers]
 * @property {Set<number>} cells every cell (vertex * slots + slot) it passed through
 */

/**
 * @param {Trace} trace @param {number} step the state after this many steps @param {number} vertex @param {number} slot
 * @returns {History}
 */
export function historyOf(trace, step, vertex, slot) {
  const { src, dst, chunk, into, op, slots, stepPtr } = trace;
  const weight = new Map([[vertex * slots + slot, 1]]); // how many times each cell's content ends up in the one asked about
  const used = new Uint8Array(src.length);
  const cells = new Set(weight.keys());
  for (let s = Math.min(step, trace.steps) - 1; s >= 0; s--) {
    /** @type {Array<[number, number]>} */
    const gained = [];
    const replaced = new Set();
    for (let i = stepPtr[s]; i < stepPtr[s + 1]; i++) {
      for (let k = 0; k < countOf(trace, i); k++) {
        const cell = dst[i] * slots + into[i] + k;
        const times = weight.get(cell);
        if (!times) continue;
        used[i] = 1;
        gained.push([src[i] * slots + chunk[i] + k, times]);
        if (op[i] === COPY) replaced.add(cell);
      }
    }
    for (const cell of replaced) weight.delete(cell);
    for (const [cell, times] of gained) {
      weight.set(cell, (weight.get(cell) ?? 0) + times);
      cells.add(cell);
    }
  }
  return { from: contributors(trace, weight), used, cells };
}

/** @param {Trace} trace @param {Map<number, number>} weight */
function contributors({ ranks, chunks, slots, own }, weight) {
  const from = new Map();
  for (const [cell, times] of weight) {
    const [rank, slot] = [Math.floor(cell / slots), cell % slots];
    if (rank < ranks && slot < chunks && own[rank * chunks + slot]) from.set(rank, (from.get(rank) ?? 0) + times);
  }
  return new Map([...from].sort(([a], [b]) => a - b));
}
