// The one clock: it moves all lanes together, by steps or in real time.

/** @typedef {import("./lane.js").Lane} Lane */

const STEP_MS = 900; // a step at speed 1
const [SHORTEST, LONGEST] = [4_000, 60_000]; // of a whole run in real time at speed 1, milliseconds

export class Conductor {
  /** @param {Lane[]} lanes @param {() => void} ended */
  constructor(lanes, ended) {
    this.lanes = lanes;
    this.ended = ended;
    this.position = 0; // steps, or seconds
    this.speed = 1;
    this.clock = false; // real time?
    this.loop = false;
    this.playing = false;
  }

  /** @returns {number} where the longest lane ends */
  get end() {
    return Math.max(...this.lanes.map((lane) => (this.clock ? lane.seconds : lane.trace.steps)));
  }

  /** @returns {number} of the first lane */
  get step() {
    return this.lanes[0].replay.step;
  }

  /** @param {number} position */
  go(position) {
    this.position = Math.max(0, Math.min(this.end, position));
    for (const lane of this.lanes) {
      if (this.clock) lane.goTime(this.position >= this.end ? Infinity : this.position);
      else lane.goStep(Math.min(Math.floor(this.position), lane.trace.steps), this.position % 1);
    }
  }

  /** @param {number} step go to where the first lane has done so many steps */
  goStep(step) {
    this.go(this.placeOf(Math.max(0, Math.min(this.lanes[0].trace.steps, step))));
  }

  /** @param {number} step @returns {number} the position where the first lane has done so many steps; a later step may end before an earlier one */
  placeOf(step) {
    return this.clock ? this.lanes[0].trace.stepEnd.subarray(0, step).reduce((most, end) => Math.max(most, end), 0) : step;
  }

  /** @param {1|-1} by @returns {number} the next or the last whole step seen from here */
  neighbour(by) {
    if (by > 0) return this.step + 1;
    let step = this.step;
    while (step > 0 && this.placeOf(step) >= this.position) step--;
    return step;
  }

  /** @param {boolean} clock */
  useClock(clock) {
    const { step } = this;
    this.clock = clock;
    this.goStep(step);
  }

  /** @returns {number} steps or seconds for each millisecond that passes */
  get rate() {
    if (!this.clock) return this.speed / STEP_MS;
    const whole = Math.max(SHORTEST, Math.min(LONGEST, STEP_MS * this.lanes[0].trace.steps));
    return (this.speed * this.end) / whole;
  }

  /** @param {() => boolean} show called every frame; false stops */
  play(show) {
    if (this.position >= this.end) this.go(0);
    this.playing = true;
    const turn = {}; // a new turn ends the one before
    this.turn = turn;
    let last = performance.now();
    const frame = (/** @type {number} */ now) => {
      if (!this.playing || this.turn !== turn) return;
      this.go(this.position + Math.max(0, Math.min(now - last, 1000)) * this.rate);
      last = now;
      const over = this.position >= this.end;
      if (over && this.loop && this.end > 0) this.go(0);
      if (!show()) this.playing = false;
      else if (over && !this.loop) this.ended();
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  stop() {
    this.playing = false;
  }
}
