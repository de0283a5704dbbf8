// Playing, stepping and seeking: what the toolbar asks for, and what is redrawn when.

import { coloured } from "./dom.js";
import { moment, short } from "./narrate.js";
import { phaseOf } from "./trace.js";

/** @typedef {import("./lane.js").Lane} Lane */

const REDRAW_MS = 80; // whole pictures change at most this often in fast play; what moves is drawn every frame
const SPEAK_MS = 300;

export class Playback {
  /** @param {import("./stage.js").Stage} stage */
  constructor(stage) {
    this.stage = stage;
    this.drawnVersions = /** @type {Map<Lane, number>} */ (new Map());
  }

  /** @param {import("./controls.js").Act} what */
  act(what) {
    if (!this.stage.lanes.length) return;
    if (what === "play") return this.stage.conductor.playing ? this.pause() : this.play();
    const last = this.stage.lanes[0].trace.steps;
    return this.jump({ first: 0, back: this.stage.conductor.neighbour(-1), forward: this.stage.conductor.neighbour(1), last }[what]);
  }

  /** @param {number} step */
  jump(step) {
    if (!this.stage.lanes.length) return;
    this.stop();
    this.stage.conductor.goStep(step);
    this.stage.publisher.soon();
    return this.update();
  }

  /** @param {number} part of the whole, 0 to 1: the scrubber when time is real */
  slide(part) {
    this.stop();
    this.stage.conductor.go(part * this.stage.conductor.end);
    this.stage.publisher.soon();
    return this.update();
  }

  play() {
    this.stage.choose(null, false);
    this.stage.controls.playing(true);
    let [drawn, spoken, cost] = [0, 0, 0];
    this.stage.conductor.play(() => {
      if (!this.stage.host.isConnected) return false;
      const now = performance.now();
      const changed = this.stage.lanes.some((lane) => lane.version !== this.drawnVersions.get(lane));
      const patient = this.stage.conductor.clock || this.stage.conductor.speed > 2;
      if (changed && (!patient || now - drawn >= Math.max(REDRAW_MS, 2.5 * cost))) {
        const speak = now - spoken >= SPEAK_MS;
        if (speak) spoken = now;
        drawn = now;
        this.update(speak).then(() => { cost = performance.now() - now; });
      } else this.draw();
      return true;
    });
    this.update(); // now that it plays, nothing is said aloud
  }

  pause() {
    this.stop();
    this.update();
    this.stage.publisher.soon();
  }

  stop() {
    this.stage.conductor.stop();
    this.stage.controls.playing(false);
  }

  draw() {
    for (const deck of this.stage.decks) deck.view.draw();
    if (this.stage.conductor.clock) this.stage.controls.time(this.stage.conductor.position, this.stage.conductor.end);
  }

  /** Show the state, not only what moves. @param {boolean} [speak] */
  async update(speak = true) {
    for (const lane of this.stage.lanes) this.drawnVersions.set(lane, lane.version);
    if (this.stage.chosen && !this.stage.conductor.playing) this.stage.trackChosen();
    if (speak) this.tell();
    else this.where();
    this.draw();
    await Promise.all(this.stage.decks.map((deck) => deck.view.update()));
  }

  where() {
    const { trace } = this.stage.lanes[0];
    const { step, clock, position, end } = this.stage.conductor;
    this.stage.controls.at(step, trace.steps, step < trace.steps ? phaseOf(trace, step) || "the next step" : "");
    if (clock) this.stage.controls.time(position, end);
  }

  tell() {
    this.where();
    const { lanes, conductor } = this.stage;
    const sentence = conductor.clock ? moment(lanes[0]) : short(lanes[0].replay, this.stage.focus);
    const other = lanes[1] ? ` ${lanes[1].trace.title}: step ${lanes[1].replay.step} of ${lanes[1].trace.steps}.` : "";
    this.stage.speech.say(coloured(sentence + other), conductor.playing);
  }
}
