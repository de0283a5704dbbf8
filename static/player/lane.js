// One trace at one moment: after so many steps, or after so many seconds.

import { Replay } from "./replay.js";
import { Timed, timedFits } from "./timed.js";
import { seconds } from "./trace.js";

/** @typedef {import("./trace.js").Trace} Trace */

export class Lane {
  /** @param {Trace} trace */
  constructor(trace) {
    this.trace = trace;
    this.stepped = new Replay(trace);
    /** @type {Timed|null} */
    this.timed = null;
    /** @type {Replay} what the views show */
    this.replay = this.stepped;
    this.frac = 0;
    this.time = 0;
    /** @type {number[]} transfers on their way now */
    this.moving = [];
    this.version = 0; // changes with the state or with what is moving
    this.goStep(0, 0);
  }

  get seconds() {
    return seconds(this.trace);
  }

  get canTime() {
    return timedFits(this.trace) && this.seconds > 0;
  }

  /** @param {number} step whole steps done @param {number} frac how far the next one has come, 0 to 1 */
  goStep(step, frac) {
    const changed = this.replay !== this.stepped || step !== this.stepped.step || !this.version;
    this.replay = this.stepped;
    this.stepped.seek(step);
    this.frac = step < this.trace.steps ? frac : 0;
    if (!changed) return;
    const [first, last] = step < this.trace.steps ? [this.trace.stepPtr[step], this.trace.stepPtr[step + 1]] : [0, 0];
    this.moving = Array.from({ length: last - first }, (_, k) => first + k);
    this.version++;
  }

  /** @param {number} time seconds since the first start */
  goTime(time) {
    this.timed ??= new Timed(this.trace, this.stepped.input);
    this.time = time;
    const done = this.timed.done;
    this.timed.seekTime(time);
    const moving = this.timed.moving(time);
    const same = this.replay === this.timed && done === this.timed.done && moving.length === this.moving.length && moving.every((i, k) => i === this.moving[k]);
    this.replay = this.timed;
    this.moving = moving;
    if (!same) this.version++;
  }

  /** @param {number} i a transfer on its way @returns {number} how far it has come, 0 to 1 */
  fracOf(i) {
    if (this.replay !== this.timed || !this.timed) return this.frac;
    const { start, end } = this.timed;
    return Math.max(0, Math.min(1, (this.time - start[i]) / Math.max(end[i] - start[i], 1e-12)));
  }

  /** @param {((rank: number, chunk: number) => number)|null} input numbers to carry along, or none */
  useNumbers(input) {
    const { step } = this.stepped;
    this.stepped.useNumbers(input);
    this.stepped.seek(step);
    this.timed = null;
    if (this.replay !== this.stepped) this.goTime(this.time);
    this.version++;
  }

  /** @returns {number} seconds, of the moment shown */
  now() {
    const { trace } = this;
    if (this.replay === this.timed) return this.time;
    const s = this.stepped.step;
    if (s >= trace.steps) return this.seconds;
    return trace.stepStart[s] + this.frac * (trace.stepEnd[s] - trace.stepStart[s]);
  }
}
