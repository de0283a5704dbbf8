// The state at any moment of real time, when transfers of several steps may be on their way at once.

import { eachChunk, Replay } from "./replay.js";
import { COPY, movesOf, timesOf } from "./trace.js";

/** @typedef {import("./trace.js").Trace} Trace */

const MOST_MOVES = 400_000;

/** @param {Trace} trace @returns {boolean} small enough to be replayed by the clock */
export const timedFits = (trace) => movesOf(trace) <= MOST_MOVES;

/** What arrives is what the schedule sent; only the moment of arrival comes from the times. */
export class Timed extends Replay {
  /** @param {Trace} trace @param {((rank: number, chunk: number) => number)|null} [input] */
  constructor(trace, input = null) {
    super(trace);
    this.useNumbers(input);
    const { start, end, moves } = this.carry(trace);
    this.start = start;
    this.end = end;
    this.moves = moves;
    this.order = Uint32Array.from(moves.keys()).sort((a, b) => end[moves[a].i] - end[moves[b].i] || moves[a].step - moves[b].step || a - b);
    this.done = 0; // how many of `order` have arrived
    this.reset();
  }

  /** Replay step by step once, and remember what every transfer carries. @param {Trace} trace */
  carry(trace) {
    const start = new Float64Array(trace.src.length);
    const end = new Float64Array(trace.src.length);
    /** @type {Array<{i: number, step: number, into: number, held: number, who: number, twice: number, value: number}>} */
    const moves = [];
    for (let step = 0; step < trace.steps; step++) {
      for (let i = trace.stepPtr[step]; i < trace.stepPtr[step + 1]; i++) [start[i], end[i]] = timesOf(trace, i, step);
      for (const [i, chunk, into] of eachChunk(trace, step)) {
        const from = trace.src[i] * trace.slots + chunk;
        moves.push({ i, step, into, held: this.held[from], who: this.who?.[from] ?? 0, twice: this.twice?.[from] ?? 0, value: this.value?.[from] ?? 0 });
      }
      this.next();
    }
    return { start, end, moves };
  }

  reset() {
    super.reset();
    this.done = 0;
  }

  /** @param {number} time seconds; everything that has ended by then has arrived */
  seekTime(time) {
    const { end, order, moves, trace } = this;
    if (this.done && end[moves[order[this.done - 1]].i] > time) this.reset();
    while (this.done < order.length && end[moves[order[this.done]].i] <= time) this.arrive(moves[order[this.done++]]);
    let step = 0;
    while (step < trace.steps && trace.stepEnd[step] <= time) step++;
    this.step = step;
  }

  /** @param {{i: number, into: number, held: number, who: number, twice: number, value: number}} move */
  arrive({ i, into, held, who, twice, value }) {
    const cell = this.trace.dst[i] * this.trace.slots + into;
    const keep = this.trace.op[i] === COPY ? 0 : 1;
    const before = keep && this.who ? this.who[cell] : 0;
    this.held[cell] = keep * this.held[cell] + held;
    if (this.value) this.value[cell] = keep * this.value[cell] + value;
    if (!this.who || !this.twice) return;
    this.twice[cell] = ((keep ? this.twice[cell] : 0) | twice | (before & who)) >>> 0;
    this.who[cell] = (before | who) >>> 0;
  }

  /** @param {number} time seconds @returns {number[]} transfers that have begun and not ended */
  moving(time) {
    const found = [];
    for (let i = 0; i < this.start.length; i++) if (this.start[i] <= time && time < this.end[i]) found.push(i);
    return found;
  }
}
