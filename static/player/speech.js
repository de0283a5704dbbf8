// The sentence above the pictures. It always shows the moment; a screen reader hears it when the hand rests, not at every step.

import { element } from "./dom.js";

const REST_MS = 400;
let speeches = 0;

export class Speech {
  constructor() {
    this.element = element("p", "arl-words");
    this.element.id = `arl-words-${++speeches}`; // every picture is described by it
    this.element.setAttribute("aria-live", "off");
    this.resting = 0;
  }

  /** @param {Node[]} words @param {boolean} playing then nobody can listen that fast; the pause speaks */
  say(words, playing) {
    clearTimeout(this.resting);
    this.element.setAttribute("aria-live", "off");
    this.element.replaceChildren(...words);
    if (!playing) this.resting = window.setTimeout(() => this.aloud(), REST_MS);
  }

  aloud() {
    this.element.setAttribute("aria-live", "polite");
    this.element.replaceChildren(...this.element.childNodes); // what changes now is read
  }

  stop() {
    clearTimeout(this.resting);
  }
}

/** @param {HTMLElement} region that was hidden until now: a screen reader reads what changes after it has met it */
export function announce(region) {
  window.setTimeout(() => region.replaceChildren(...region.childNodes), REST_MS);
}
