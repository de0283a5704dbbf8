// Every step in words: the same sentences as core/figures/narrate.py, which the tests compare with these.

import { ADD, countOf, phaseOf, vertexName } from "./trace.js";
import { after, eachChunk } from "./replay.js";

/** @typedef {import("./trace.js").Trace} Trace */
/** @typedef {import("./replay.js").Replay} Replay */

const NAMES_UP_TO = 16;
const number = (/** @type {number} */ n) => n.toLocaleString("en-US");
const capital = (/** @type {string} */ text) => text[0].toUpperCase() + text.slice(1);

/** @param {Replay} replay @param {number} [focus] the rank whose transfer is the example @returns {string} */
export function short(replay, focus) {
  const { trace, step } = replay;
  if (step >= trace.steps) return ending(replay);
  const size = trace.stepPtr[step + 1] - trace.stepPtr[step];
  if (!size) return `${heading(replay)} nothing moves.`;
  return `${heading(replay)} ${size === 1 ? "1 transfer" : `${number(size)} transfers at once`}. ${example(replay, focus)}`;
}

/** @param {Replay} replay @returns {string} a sentence for every transfer of the step */
export function full(replay) {
  const { trace, step } = replay;
  if (step >= trace.steps) return ending(replay);
  const told = [];
  for (let i = trace.stepPtr[step]; i < trace.stepPtr[step + 1]; i++) told.push(transfer(replay, i));
  return told.length ? [heading(replay), ...told].join(" ") : `${heading(replay)} nothing moves.`;
}

/** @param {import("./lane.js").Lane} lane @returns {string} what is on its way at this moment of real time */
export function moment(lane) {
  const { trace, moving, replay } = lane;
  if (replay.step >= trace.steps) return ending(replay);
  const [done, cells] = replay.progress();
  const now = `At ${micros(lane.now())} of ${micros(lane.seconds)} µs (${number(done)} of ${number(cells)} cells complete so far)`;
  if (!moving.length) return `${now}: nothing is on its way.`;
  const i = moving[0];
  const what = `${vertexName(trace, trace.src[i])} is sending ${run(trace, trace.chunk[i], countOf(trace, i))} to ${vertexName(trace, trace.dst[i])}`;
  return `${now}: ${moving.length === 1 ? "1 transfer" : `${number(moving.length)} transfers`} on the way. For example, ${what}.`;
}

const micros = (/** @type {number} */ t) => Number((t * 1e6).toPrecision(4)).toLocaleString("en-US");

/**
 * One row for every chunk moved in the step; the last three count contributions.
 * @param {Replay} replay @param {number} [most] rows at most @returns {Array<Array<string|number>>}
 */
export function rows(replay, most = Infinity) {
  const { trace, step } = replay;
  const slotName = (/** @type {number} */ slot) => (slot < trace.chunks ? `${slot}` : `scratch ${slot - trace.chunks}`);
  return eachChunk(trace, step).slice(0, most).map(([i, chunk, into]) => {
    const [src, dst] = [trace.src[i], trace.dst[i]];
    return [
      step + 1, phaseOf(trace, step), vertexName(trace, src), vertexName(trace, dst), slotName(chunk), slotName(into),
      trace.op[i] === ADD ? "add" : "copy", replay.held[src * trace.slots + chunk],
      replay.held[dst * trace.slots + into], after(replay, dst, into).held,
    ];
  });
}

export const COLUMNS = ["step", "phase", "from", "to", "chunk", "becomes", "operation", "sent", "held before", "holds after"];

/** @param {Replay} replay */
function heading(replay) {
  const phase = phaseOf(replay.trace, replay.step);
  const [done, cells] = replay.progress();
  return `Step ${replay.step + 1} of ${replay.trace.steps}${phase ? `, ${phase}` : ""} (${number(done)} of ${number(cells)} cells complete so far):`;
}

/** @param {Replay} replay @param {number} [focus] */
function example(replay, focus) {
  const { trace, step } = replay;
  const first = trace.stepPtr[step];
  const last = trace.stepPtr[step + 1];
  let i = first;
  for (let j = first; j < last; j++) if (trace.src[j] === focus) { i = j; break; }
  const [src, dst, chunk, count] = [trace.src[i], trace.dst[i], trace.chunk[i], countOf(trace, i)];
  const total = trace.total[chunk % trace.chunks];
  const who = last - first === 1 ? capital(vertexName(trace, src)) : `For example, ${vertexName(trace, src)}`;
  const sent = Array.from({ length: count }, (_, k) => replay.held[src * trace.slots + chunk + k]);
  const has = total > 1 ? ` (${span(sent)} of ${total} contributions)` : "";
  const holds = total > 1 ? ` and then holds ${span(cellsAfter(replay, i).map(({ held }) => held))}` : "";
  return `${who} sends ${run(trace, chunk, count)}${has} to ${vertexName(trace, dst)}, which ${act(replay, i)}${holds}.`;
}

/** @param {Replay} replay @param {number} i @returns {string} what the receiver does with it */
function act({ trace, step, held }, i) {
  const [dst, into, count] = [trace.dst[i], trace.into[i], countOf(trace, i)];
  const [it, copy] = count === 1 ? ["it", "copy"] : ["them", "copies"];
  const cell = dst * trace.slots + into;
  const empty = held.subarray(cell, cell + count).every((n) => n === 0);
  if (trace.op[i] !== ADD) return empty ? `stores ${it}` : `overwrites its ${copy}`;
  let many = 0;
  for (let j = trace.stepPtr[step]; j < trace.stepPtr[step + 1]; j++) if (trace.dst[j] === dst && trace.into[j] <= into && into < trace.into[j] + countOf(trace, j)) many++;
  if (many > 1) return empty ? `adds up all ${many} that arrive` : `adds all ${many} that arrive to its own`;
  return empty ? `begins its sum with ${it}` : `adds ${it} to its own`;
}

/** @param {Replay} replay @param {number} i */
export function transfer(replay, i) {
  const { trace } = replay;
  const to = vertexName(trace, trace.dst[i]);
  const verb = trace.op[i] === ADD ? "to add" : "as a copy";
  const sent = `${capital(vertexName(trace, trace.src[i]))} sends ${run(trace, trace.chunk[i], countOf(trace, i))} to ${to} ${verb}`;
  return `${sent}; ${to} now holds ${run(trace, trace.into[i], countOf(trace, i))}${holding(trace, trace.into[i], cellsAfter(replay, i))}.`;
}

/** @param {Replay} replay @param {number} i @returns {Array<ReturnType<typeof after>>} what each of the cells that transfer i writes holds after the step */
const cellsAfter = (replay, i) => Array.from({ length: countOf(replay.trace, i) }, (_, k) => after(replay, replay.trace.dst[i], replay.trace.into[i] + k));

/**
 * With whose contributions, in words; how many, where the chunks differ in that or there are many ranks.
 * @param {Trace} trace @param {number} slot the first @param {Array<ReturnType<typeof after>>} cells
 */
function holding(trace, slot, cells) {
  const total = trace.total[slot % trace.chunks];
  const complete = cells.every(({ held, twice }) => held === total && !twice) ? " (complete)" : "";
  const [{ held, who, twice }] = cells;
  const alike = cells.every((cell) => cell.held === held && cell.who === who && cell.twice === twice);
  if (trace.ranks > NAMES_UP_TO || !alike) return `${total > 1 ? ` with ${span(cells.map((cell) => cell.held))} of ${number(total)} contributions` : ""}${complete}`;
  if (complete && total === trace.ranks) return ` from all ranks${complete}`;
  const ranks = Array.from({ length: trace.ranks }, (_, r) => r).filter((r) => (who >>> r) & 1);
  if (!ranks.length) return " empty";
  const names = ranks.map((r) => ((twice >>> r) & 1 ? `${r} (more than once)` : `${r}`));
  return ` from rank${ranks.length > 1 ? "s" : ""} ${names.join(", ")}${complete}`;
}

/** @param {number[]} counts @returns {string} one number, or from the least to the most */
function span(counts) {
  const [low, high] = [counts.reduce((a, b) => Math.min(a, b)), counts.reduce((a, b) => Math.max(a, b))]; // too many, perhaps, to be arguments
  return low === high ? number(low) : `${number(low)} to ${number(high)}`;
}

/** @param {Replay} replay */
function ending(replay) {
  const [done, cells] = replay.progress();
  const { steps, src } = replay.trace;
  const plural = (/** @type {number} */ n, /** @type {string} */ word) => `${number(n)} ${word}${n === 1 ? "" : "s"}`;
  const work = `${plural(steps, "step")}, ${plural(src.length, "transfer")}`;
  if (done === cells) return `Done: every rank holds what it needs, in all ${number(cells)} cells. ${work}.`;
  return `Not done: ${number(cells - done)} of ${number(cells)} cells are wrong at the end. ${work}.`;
}

/** @param {Trace} trace @param {number} slot @param {number} count @returns {string} "chunk 3", "chunks 4–7", "scratch chunk 0" */
export function run(trace, slot, count) {
  const scratch = slot >= trace.chunks ? "scratch " : "";
  const first = slot % trace.chunks;
  return count === 1 ? `${scratch}chunk ${first}` : `${scratch}chunks ${first}–${first + count - 1}`;
}
