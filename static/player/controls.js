// The toolbar: buttons, scrubber with its phase band, speed. It only reports what was asked for.

import { Mistake } from "./mistake.js";
import { ADD } from "./trace.js";

/** @typedef {import("./trace.js").Trace} Trace */
/** @typedef {"first"|"back"|"play"|"forward"|"last"} Act */
/** @typedef {{act: (what: Act) => void, seek: (step: number) => void, slide: (part: number) => void, speed: (speed: number) => void}} Asked */

const ICONS = {
  first: "M6 5h2v14H6zM20 5v14l-10-7z", back: "M18 5v14L7 12z", play: "M7 4v16l13-8z", pause: "M6 5h4v14H6zM14 5h4v14h-4z",
  forward: "M6 5v14l11-7z", last: "M16 5h2v14h-2zM4 5v14l10-7z",
};
const BUTTONS = /** @type {const} */ ([
  ["first", "First step (Home)"], ["back", "Step back (left arrow)"], ["play", "Play (space)"], ["forward", "Step forward (right arrow)"], ["last", "Last step (End)"],
]);
export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];
const KEYS = /** @type {Object<string, Act>} */ ({ " ": "play", ArrowRight: "forward", ArrowLeft: "back", Home: "first", End: "last" });

const SLIDES = 1000; // places of the scrubber when time is real

export class Controls {
  timed = false;

  /** @param {HTMLElement} host keys work while anything inside it has the focus @param {Asked} asked */
  constructor(host, asked) {
    this.bar = document.createElement("div");
    this.bar.className = "arl-bar";
    const buttons = BUTTONS.map(([act, label]) => `<button type="button" data-act="${act}" aria-label="${label}" title="${label}">${icon(act)}</button>`).join("");
    const speeds = SPEEDS.map((speed) => `<option value="${speed}"${speed === 1 ? " selected" : ""}>${speed}×</option>`).join("");
    this.bar.innerHTML = `<div class="arl-buttons">${buttons}</div>
      <div class="arl-scrub"><div class="arl-phases" aria-hidden="true"></div><input type="range" min="0" step="1" value="0" aria-label="Step"></div>
      <label class="arl-step"><input type="number" min="0" value="0" aria-label="Go to step"> / <span></span></label><select class="arl-speed" aria-label="Speed" title="Speed">${speeds}</select>`;
    this.range = /** @type {HTMLInputElement} */ (this.bar.querySelector("input"));
    this.playButton = /** @type {HTMLElement} */ (this.bar.querySelector("[data-act=play]"));
    this.mistake = new Mistake(/** @type {HTMLElement} */ (this.bar.querySelector(".arl-scrub")), asked.seek);
    this.bar.addEventListener("click", (event) => {
      const button = /** @type {HTMLElement} */ (event.target).closest("[data-act]");
      if (button) asked.act(/** @type {Act} */ (/** @type {HTMLElement} */ (button).dataset.act));
    });
    this.range.addEventListener("input", () => (this.timed ? asked.slide(Number(this.range.value) / SLIDES) : asked.seek(Number(this.range.value))));
    this.number = /** @type {HTMLInputElement} */ (this.bar.querySelector(".arl-step input"));
    this.number.addEventListener("change", () => asked.seek(Math.round(Number(this.number.value)) || 0));
    this.speed = /** @type {HTMLSelectElement} */ (this.bar.querySelector("select"));
    this.speed.addEventListener("change", () => asked.speed(Number(this.speed.value)));
    this.keyed = (/** @type {KeyboardEvent} */ event) => this.key(event, asked);
    this.host = host;
    host.addEventListener("keydown", this.keyed);
  }

  destroy() {
    this.host.removeEventListener("keydown", this.keyed); // the place may stay, and get another player
  }

  /** @param {KeyboardEvent} event @param {Asked} asked */
  key(event, asked) {
    const target = /** @type {HTMLElement} */ (event.target);
    const act = KEYS[event.key];
    const typing = target.matches("select, textarea, input:not([type=range])") || target.isContentEditable;
    if (!act || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " " && target.closest("button, summary, a")) return; // space presses the button that has the focus
    const region = target.closest("[role=region]");
    if (region && (region !== target || region.scrollWidth > region.clientWidth + 1)) return; // there the arrows scroll
    event.preventDefault();
    event.stopPropagation();
    asked.act(act);
  }

  /** @param {Trace} trace */
  show(trace) {
    this.number.max = String(trace.steps);
    this.timed = false;
    this.mistake.show(trace);
    const band = /** @type {HTMLElement} */ (this.bar.querySelector(".arl-phases"));
    band.replaceChildren(...trace.phases.map(([name, first, last]) => {
      const part = document.createElement("span");
      part.className = `arl-phase ${kindOf(trace, first, last)}`;
      part.style.flex = `${last - first} 1 0`;
      part.textContent = part.title = name || "\u00a0";
      return part;
    }));
  }

  /** @param {number} step @param {number} steps @param {string} phase */
  at(step, steps, phase) {
    this.timed = false;
    this.mistake.place();
    this.range.max = String(steps);
    this.range.value = String(step);
    const text = `Step ${step} of ${steps}`;
    this.range.setAttribute("aria-valuetext", phase ? `${text}, next is ${phase}` : `${text}, the end`);
    if (document.activeElement !== this.number) this.number.value = String(step);
    /** @type {HTMLElement} */ (this.bar.querySelector(".arl-step span")).textContent = String(steps);
  }

  /** The scrubber in real time. @param {number} now @param {number} end seconds */
  time(now, end) {
    this.timed = true;
    this.mistake.place(end);
    this.range.max = String(SLIDES);
    this.range.value = String(Math.round((SLIDES * now) / Math.max(end, 1e-12)));
    this.range.setAttribute("aria-valuetext", `${(now * 1e6).toPrecision(4)} of ${(end * 1e6).toPrecision(4)} microseconds`);
  }

  /** @param {boolean} playing */
  playing(playing) {
    this.playButton.innerHTML = icon(playing ? "pause" : "play");
    const label = playing ? "Pause (space)" : "Play (space)";
    this.playButton.setAttribute("aria-label", label);
    this.playButton.title = label;
  }
}

/** @param {keyof typeof ICONS} name */
const icon = (name) => `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;

/** @param {Trace} trace @param {number} first @param {number} last @returns {"add"|"copy"|"both"} what the steps do */
function kindOf(trace, first, last) {
  let [adds, copies] = [false, false];
  for (let i = trace.stepPtr[first]; i < trace.stepPtr[last] && !(adds && copies); i++) {
    if (trace.op[i] === ADD) adds = true;
    else copies = true;
  }
  return adds && copies ? "both" : copies ? "copy" : "add";
}
