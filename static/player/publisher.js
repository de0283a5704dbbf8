// Tells the server and the address bar which step this is, once the hand rests.

import { remember } from "./address.js";

const REST_MS = 250;

export class Publisher {
  /** @param {import("./stage.js").Stage} stage */
  constructor(stage) {
    this.stage = stage;
    /** @type {import("./player.js").Component|null} */
    this.component = null;
    this.waiting = 0;
  }

  soon() {
    clearTimeout(this.waiting);
    this.waiting = window.setTimeout(() => this.now(), REST_MS);
  }

  now() {
    const { original, conductor, decks, focus } = this.stage;
    if (!original) return;
    const open = decks.filter((deck) => deck.view !== deck.views[0]).map((deck) => deck.view.name);
    const { step, clock } = conductor;
    if (original.linked) remember({ step: step ? String(step) : null, view: open.join(".") || null, rank: focus ? String(focus) : null, clock: clock ? "time" : null });
    this.component?.setStateValue("at", `${original.id}:${step}`);
  }

  stop() {
    clearTimeout(this.waiting);
  }
}
