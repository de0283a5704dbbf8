// What if: the same schedule with one transfer dropped, delayed, sent elsewhere, or added instead of copied.

import { historyOf } from "./history.js";
import { run } from "./narrate.js";
import { NAMED, Replay } from "./replay.js";
import { countOf, vertexName } from "./trace.js";

/** @typedef {import("./trace.js").Trace} Trace */
/** @typedef {{kind: "drop"|"delay"|"flip"|"redirect", transfer: number, to?: number}} Change */

/** @param {Trace} trace @param {number} i @returns {number} the step of transfer i */
export function stepOf(trace, i) {
  let [low, high] = [0, trace.steps];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (trace.stepPtr[middle] <= i) low = middle;
    else high = middle;
  }
  return low;
}

/** @param {Trace} trace @param {Change} change @returns {Trace} a new trace; the old one stays as it is */
export function edited(trace, { kind, transfer, to }) {
  if (kind === "flip") return { ...trace, op: trace.op.map((op, i) => (i === transfer ? 1 - op : op)) };
  if (kind === "redirect") return { ...trace, dst: trace.dst.map((dst, i) => (i === transfer ? /** @type {number} */ (to) : dst)) };
  const from = stepOf(trace, transfer);
  const order = Array.from(trace.src.keys()).filter((i) => i !== transfer);
  const late = kind === "delay";
  const last = from + 1 >= trace.steps; // delayed beyond the end: it gets a step of its own
  const place = last ? order.length : trace.stepPtr[from + 1] - 1;
  if (late) order.splice(place, 0, transfer);
  const sizes = Array.from({ length: trace.steps }, (_, s) => trace.stepPtr[s + 1] - trace.stepPtr[s]);
  sizes[from] -= 1;
  if (late && last) sizes.push(1);
  else if (late) sizes[from + 1] += 1;
  return rearranged(trace, order, sizes, late ? place : -1);
}

/**
 * @param {Trace} trace @param {number[]} order which old transfer each new one is @param {number[]} sizes transfers per step
 * @param {number} moved the new place of a transfer that takes its new step's times, or -1
 * @returns {Trace}
 */
function rearranged(trace, order, sizes, moved) {
  const stepPtr = Uint32Array.from([0, ...sizes]);
  for (let s = 1; s < stepPtr.length; s++) stepPtr[s] += stepPtr[s - 1];
  const steps = sizes.length;
  const grow = (/** @type {Float64Array} */ times, /** @type {number} */ next) => (steps > times.length ? Float64Array.from([...times, next]) : times);
  const end = trace.stepEnd[trace.steps - 1] ?? 0;
  const length = end - (trace.stepStart[trace.steps - 1] ?? 0);
  const phases = steps > trace.steps ? [...trace.phases, /** @type {[string, number, number]} */ (["delayed", steps - 1, steps])] : trace.phases;
  const take = (/** @type {import("./trace.js").Columns} */ column) => ordered(column, order);
  const columns = { src: take(trace.src), dst: take(trace.dst), chunk: take(trace.chunk), into: take(trace.into), count: trace.count && take(trace.count), op: ordered(trace.op, order) };
  const stepStart = grow(trace.stepStart, end);
  const stepEnd = grow(trace.stepEnd, end + length);
  const [start, finish] = [trace.start && ordered(trace.start, order), trace.end && ordered(trace.end, order)];
  if (start && finish && moved >= 0) {
    let s = steps - 1;
    while (stepPtr[s] > moved) s--;
    [start[moved], finish[moved]] = [stepStart[s], stepEnd[s]];
  }
  return { ...trace, ...columns, stepPtr, steps, phases, stepStart, stepEnd, start, end: finish };
}

/**
 * @template {import("./trace.js").Columns|Float32Array} T
 * @param {T} column @param {number[]} order not longer than the column @returns {T} its entries in that order
 */
function ordered(column, order) {
  const made = /** @type {T} */ (column.slice(0, order.length));
  order.forEach((i, k) => { made[k] = column[i]; });
  return made;
}

/** @param {Trace} trace @param {Change} change @returns {string} in words */
export function tell(trace, { kind, transfer: i, to }) {
  const what = `in step ${stepOf(trace, i) + 1}, ${run(trace, trace.chunk[i], countOf(trace, i))} from ${vertexName(trace, trace.src[i])} to ${vertexName(trace, trace.dst[i])}`;
  if (kind === "drop") return `${what} is lost`;
  if (kind === "delay") return `${what} comes one step later`;
  if (kind === "flip") return `${what} is ${trace.op[i] ? "copied, not added" : "added, not copied"}`;
  return `${what} goes to ${vertexName(trace, /** @type {number} */ (to))} instead`;
}

/** @param {Trace} trace @returns {{right: boolean, text: string}} what the promise of the collective says about the end */
export function verdict(trace) {
  const replay = new Replay(trace);
  replay.seek(trace.steps);
  const [done, cells] = replay.progress();
  if (done === cells) return { right: true, text: `Still right: all ${cells} cells are complete, each input exactly once.` };
  for (let r = 0; r < trace.ranks; r++) {
    for (let c = 0; c < trace.chunks; c++) {
      if (!trace.needs[r * trace.chunks + c] || replay.complete(r, c)) continue;
      return { right: false, text: `Wrong: ${cells - done} of ${cells} cells at the end. Chunk ${c} of rank ${r} ${fault(trace, r, c)}.` };
    }
  }
  return { right: false, text: "Wrong." };
}

/** @param {Trace} trace @param {number} rank @param {number} chunk @returns {string} what is missing or twice in a final cell */
function fault(trace, rank, chunk) {
  const { from } = historyOf(trace, trace.steps, rank, chunk);
  const wanted = Array.from({ length: trace.ranks }, (_, r) => r).filter((r) => trace.own[r * trace.chunks + chunk]);
  const list = (/** @type {number[]} */ ranks) => `rank${ranks.length > 1 ? "s" : ""} ${ranks.slice(0, NAMED).join(", ")}${ranks.length > NAMED ? " ..." : ""}`;
  const missing = wanted.filter((r) => !from.has(r));
  const twice = wanted.filter((r) => (from.get(r) ?? 0) > 1);
  return [missing.length ? `misses the contribution of ${list(missing)}` : "", twice.length ? `has that of ${list(twice)} more than once` : ""].filter(Boolean).join(" and ");
}
