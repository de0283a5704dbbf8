// Tells the server which step this is, and the address bar everything a link must know, once the hand rests.

import { remember } from "./address.js";
import { bookmark } from "./bookmark.js";

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
    const { original, conductor } = this.stage;
    if (!original) return;
    if (original.linked) remember(bookmark(this.stage));
    this.component?.setStateValue("at", `${original.id}:${conductor.step}`);
  }

  stop() {
    clearTimeout(this.waiting);
  }
}
