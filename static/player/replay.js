// Carry out a schedule on counts: how many contributions every cell holds, and whose.

import { COPY, countOf } from "./trace.js";

/** @typedef {import("./trace.js").Trace} Trace */

export const NAMED = 32; // ranks whose contributions fit in the bits of one number

/** The state of every cell (vertex * slots + slot) after `step` steps. */
export class Replay {
  /** @param {Trace} trace */
  constructor(trace) {
    this.trace = trace;
    this.step = 0;
    const cells = trace.vertices * trace.slots;
    this.held = new Uint32Array(cells); // contributions inside, repeats counted
    this.who = trace.ranks <= NAMED ? new Uint32Array(cells) : null; // bit r: rank r is inside
    this.twice = trace.ranks <= NAMED ? new Uint32Array(cells) : null; // bit r: rank r is inside more than once
    /** @type {Float64Array|null} the numbers themselves, when there are any */
    this.value = null;
    /** @type {((rank: number, chunk: number) => number)|null} */
    this.input = null;
    this.reset();
  }

  reset() {
    const { ranks, chunks, slots, own } = this.trace;
    this.step = 0;
    this.held.fill(0);
    this.who?.fill(0);
    this.twice?.fill(0);
    this.value?.fill(0);
    for (let r = 0; r < ranks; r++) {
      this.held.set(own.subarray(r * chunks, (r + 1) * chunks), r * slots);
      if (!this.who && !this.value) continue;
      for (let c = 0; c < chunks; c++) {
        if (this.who && own[r * chunks + c]) this.who[r * slots + c] = 2 ** r;
        if (this.value) this.value[r * slots + c] = own[r * chunks + c] && this.input ? this.input(r, c) : 0;
      }
    }
  }

  /** @param {((rank: number, chunk: number) => number)|null} input what each rank starts with; goes back to the start */
  useNumbers(input) {
    this.input = input;
    this.value = input ? new Float64Array(this.held.length) : null;
    this.reset();
  }

  /** @param {number} step go to the state after this many steps, forwards or backwards */
  seek(step) {
    if (step < this.step) this.reset();
    while (this.step < step) this.next();
  }

  next() {
    if (this.value) apply(this.trace, this.step, this.value);
    apply(this.trace, this.step++, this.held);
    if (this.who && this.twice) this.nextNames(this.step - 1, this.who, this.twice);
  }

  /** @param {number} s @param {Uint32Array} who @param {Uint32Array} twice */
  nextNames(s, who, twice) {
    const { src, dst, op, slots } = this.trace;
    const moves = eachChunk(this.trace, s);
    const read = moves.map(([i, chunk]) => [who[src[i] * slots + chunk], twice[src[i] * slots + chunk]]);
    moves.forEach(([i, , into], k) => {
      const cell = dst[i] * slots + into;
      const keep = op[i] === COPY ? 0 : -1;
      twice[cell] = ((twice[cell] & keep) | read[k][1] | (who[cell] & keep & read[k][0])) >>> 0;
      who[cell] = ((who[cell] & keep) | read[k][0]) >>> 0;
    });
  }

  /** @param {number} vertex @param {number} slot @returns {boolean} */
  complete(vertex, slot) {
    const cell = vertex * this.trace.slots + slot;
    return this.held[cell] === this.trace.total[slot % this.trace.chunks] && !this.twice?.[cell];
  }

  /** @returns {[number, number]} needed cells that are complete, needed cells */
  progress() {
    const { held, twice, trace } = this;
    const { ranks, chunks, slots, needs, total } = trace;
    let [done, cells] = [0, 0];
    for (let r = 0; r < ranks; r++) {
      for (let c = 0; c < chunks; c++) {
        if (!needs[r * chunks + c]) continue;
        cells++;
        const cell = r * slots + c;
        if (held[cell] === total[c] && !twice?.[cell]) done++;
      }
    }
    return [done, cells];
  }

  /**
   * The mean level of blocks of cells; COMPLETE where all of them are, FAULT where any is.
   * @param {number} perRow vertices in a block @param {number} perColumn slots in a block @param {number} [slots] how many to look at
   * @returns {Float32Array[]} row by row
   */
  averages(perRow, perColumn, slots = this.trace.slots) {
    const { held, twice, trace } = this;
    const columns = Math.ceil(slots / perColumn);
    const share = Float64Array.from({ length: slots }, (_, slot) => 1 / Math.max(1, trace.total[slot % trace.chunks]));
    return Array.from({ length: Math.ceil(trace.vertices / perRow) }, (_, row) => {
      const levels = new Float32Array(columns);
      const [top, bottom] = [row * perRow, Math.min(trace.vertices, (row + 1) * perRow)];
      for (let column = 0; column < columns; column++) {
        const [left, right] = [column * perColumn, Math.min(slots, (column + 1) * perColumn)];
        const cells = (bottom - top) * (right - left);
        let all = 0;
        for (let v = top; v < bottom; v++) {
          for (let slot = left, cell = v * trace.slots + left; slot < right; slot++, cell++) {
            const part = held[cell] * share[slot];
            if (part > 1.000001 || (twice && twice[cell])) all = Infinity;
            all += part;
          }
        }
        levels[column] = all === Infinity ? FAULT : all >= cells - 0.001 ? COMPLETE : Math.min(0.999, all / cells);
      }
      return levels;
    });
  }

  /**
   * How full a cell is: 0 empty, up to 1 for all but complete, COMPLETE, or FAULT when something is in it twice.
   * @param {number} vertex @param {number} slot
   */
  level(vertex, slot) {
    const cell = vertex * this.trace.slots + slot;
    const total = this.trace.total[slot % this.trace.chunks];
    if (this.twice?.[cell] || this.held[cell] > total) return FAULT;
    if (this.held[cell] === total && total) return COMPLETE;
    return this.held[cell] / Math.max(total, 1);
  }
}

export const COMPLETE = 1.25;
export const FAULT = 1.5;

let scratch = new Float64Array(1024); // what is on its way; kept from step to step

/**
 * Do step s on one number per cell: every transfer reads, then every transfer writes.
 * @param {Trace} trace @param {number} s @param {Uint32Array|Float64Array} state
 */
function apply(trace, s, state) {
  const { stepPtr, src, dst, chunk, into, op, slots, count } = trace;
  const [first, last] = [stepPtr[s], stepPtr[s + 1]];
  let moves = last - first;
  if (count) for (let i = first; i < last; i++) moves += count[i] - 1;
  if (scratch.length < moves) scratch = new Float64Array(2 * moves);
  for (let i = first, at = 0; i < last; i++) {
    const from = src[i] * slots + chunk[i];
    const many = count ? count[i] : 1;
    for (let k = 0; k < many; k++) scratch[at++] = state[from + k];
  }
  for (let i = first, at = 0; i < last; i++) {
    const cell = dst[i] * slots + into[i];
    const many = count ? count[i] : 1;
    for (let k = 0; k < many; k++) state[cell + k] = op[i] === COPY ? scratch[at++] : state[cell + k] + scratch[at++];
  }
}

/**
 * One entry per chunk moved in step s: [transfer, slot it leaves, slot it becomes].
 * @param {Trace} trace @param {number} s @returns {Array<[number, number, number]>}
 */
export function eachChunk(trace, s) {
  /** @type {Array<[number, number, number]>} */
  const moves = [];
  if (s >= trace.steps) return moves;
  for (let i = trace.stepPtr[s]; i < trace.stepPtr[s + 1]; i++) {
    for (let k = 0; k < countOf(trace, i); k++) moves.push([i, trace.chunk[i] + k, trace.into[i] + k]);
  }
  return moves;
}

/**
 * What cell (vertex, slot) will hold after the step that comes next, without doing it.
 * @param {Replay} replay @param {number} vertex @param {number} slot
 * @returns {{held: number, who: number, twice: number}}
 */
export function after(replay, vertex, slot) {
  const { trace, step } = replay;
  const { src, dst, chunk, into, op, slots, stepPtr } = trace;
  const cell = vertex * slots + slot;
  let [held, who, twice] = [replay.held[cell], replay.who?.[cell] ?? 0, replay.twice?.[cell] ?? 0];
  for (let i = stepPtr[step]; i < stepPtr[step + 1]; i++) {
    if (dst[i] !== vertex || slot < into[i] || slot >= into[i] + countOf(trace, i)) continue;
    const from = src[i] * slots + chunk[i] + slot - into[i];
    const [newWho, newTwice] = [replay.who?.[from] ?? 0, replay.twice?.[from] ?? 0];
    if (op[i] === COPY) [held, who, twice] = [replay.held[from], newWho, newTwice];
    else [held, who, twice] = [held + replay.held[from], (who | newWho) >>> 0, (twice | newTwice | (who & newWho)) >>> 0];
  }
  return { held, who, twice };
}
