// The player: one trace, one clock, several views. Streamlit calls the default export on every rerun.

import { Controls } from "./controls.js";
import { full, short } from "./narrate.js";
import { contributor, themeOf } from "./palette.js";
import { loadPlotly } from "./plotly.js";
import { Replay } from "./replay.js";
import { identityOf, phaseOf, readTrace } from "./trace.js";
import { BuffersView, SLOTS_UP_TO } from "./views/buffers.js";
import { NetworkView } from "./views/network.js";
import { SpaceTimeView } from "./views/spacetime.js";

/** @typedef {import("./trace.js").Trace} Trace */
/** @typedef {{data: Uint8Array, parentElement: HTMLElement, setStateValue: (name: string, value: any) => void}} Component */

const STEP_MS = 900; // a step at speed 1
const REDRAW_MS = 80; // while playing fast, whole pictures change at most this often; what moves is drawn every frame
const SPEAK_MS = 300;
const PUBLISH_MS = 250; // the server hears of a step when the hand rests

/** @type {WeakMap<HTMLElement, Player>} */
const players = new WeakMap();

export class Player {
  /** @param {HTMLElement} host */
  constructor(host) {
    this.host = host;
    this.frac = 0;
    this.speed = 1;
    this.playing = false;
    this.focus = 0;
    /** @type {Trace} */
    this.trace = /** @type {any} */ (null);
    this.controls = new Controls(host, { act: (what) => this.act(what), seek: (step) => this.jump(step), speed: (speed) => { this.speed = speed; } });
    this.words = element("p", "arl-words");
    this.words.setAttribute("aria-live", "polite");
    this.legend = element("div", "arl-legend");
    this.views = [new NetworkView(), new BuffersView(), new SpaceTimeView()];
    const stage = element("div", "arl-stage");
    stage.append(...this.views.map((view) => view.card));
    host.replaceChildren(this.controls.bar, this.words, stage, this.legend);
    host.tabIndex = 0;
    host.setAttribute("role", "group");
    host.setAttribute("aria-label", "Animation of a collective. Space plays and pauses, left and right arrows step.");
    this.resizer = new ResizeObserver(() => this.resized());
    this.resizer.observe(host);
  }

  /**
   * @param {Trace} trace @param {any} Plotly @param {import("./palette.js").Themes} themes
   * @param {number} step where to begin
   */
  async show(trace, Plotly, themes, step) {
    this.stop();
    const fresh = !this.trace || this.trace.name !== trace.name || this.trace.ranks !== trace.ranks || this.trace.steps !== trace.steps;
    if (this.trace && fresh) step = 0;
    else if (this.trace) step = this.replay.step;
    [this.trace, this.Plotly, this.themes] = [trace, Plotly, themes];
    this.focus = Math.min(this.focus, trace.ranks - 1);
    this.replay = new Replay(trace);
    this.replay.seek(Math.max(0, Math.min(trace.steps, step)));
    this.frac = 0;
    this.controls.show(trace);
    await this.rebuild();
  }

  /** Everything anew: after a new trace, a new size, a new theme. */
  async rebuild() {
    this.theme = themeOf(this.host, /** @type {any} */ (this.themes));
    this.width = this.host.clientWidth;
    const scene = this.scene();
    const [network, , spacetime] = this.heights();
    for (const view of this.views) await view.build(scene, view.name === "spacetime" ? spacetime : network);
    this.showLegend();
    this.tell();
  }

  /** @returns {import("./views/view.js").Scene} what the views need to know, always up to date */
  scene() {
    const player = this;
    return {
      Plotly: this.Plotly, trace: this.trace, replay: /** @type {Replay} */ (this.replay), theme: /** @type {any} */ (this.theme),
      get frac() { return player.frac; }, get focus() { return player.focus; }, chosen: null, clock: false,
    };
  }

  /** @returns {[number, number, number]} so that controls, words, network and buffers fit one screen */
  heights() {
    const top = this.words.getBoundingClientRect().bottom - this.host.getBoundingClientRect().top;
    const above = Math.min(240, Math.max(0, this.host.getBoundingClientRect().top + window.scrollY));
    const room = window.innerHeight - above - top - 52;
    const wide = this.host.clientWidth >= 720;
    const width = wide ? this.host.clientWidth / 2 : this.host.clientWidth;
    const height = Math.round(Math.max(280, Math.min(wide ? room : 0.95 * width, 0.9 * width, 520)));
    return [height, height, Math.round(Math.min(320, Math.max(150, 13 * Math.min(this.trace.vertices, 24) + 34)))];
  }

  resized() {
    if (!this.replay || Math.abs(this.host.clientWidth - (this.width ?? 0)) < 3) return;
    clearTimeout(this.resizing);
    this.resizing = setTimeout(() => this.rebuild(), 120);
  }

  /** @param {import("./controls.js").Act} what */
  act(what) {
    if (!this.replay) return;
    if (what === "play") return this.playing ? this.pause() : this.play();
    const { step } = this.replay;
    this.jump({ first: 0, back: this.frac > 0 ? step : step - 1, forward: step + 1, last: this.trace.steps }[what]);
  }

  /** @param {number} step */
  jump(step) {
    if (!this.replay) return;
    this.stop();
    this.replay.seek(Math.max(0, Math.min(this.trace.steps, step)));
    this.frac = 0;
    this.publish();
    return this.update();
  }

  pause() {
    this.stop();
    this.tell();
    this.publish();
  }

  stop() {
    this.playing = false;
    this.controls.playing(false);
    this.words.setAttribute("aria-live", "polite");
  }

  play() {
    const replay = /** @type {Replay} */ (this.replay);
    if (replay.step >= this.trace.steps) replay.seek(0);
    this.playing = true;
    this.controls.playing(true);
    this.words.setAttribute("aria-live", "off"); // nobody can listen that fast; pausing speaks
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    let [last, drawn, spoken] = [performance.now(), 0, 0];
    const frame = async (/** @type {number} */ now) => {
      if (!this.playing || !this.host.isConnected) return;
      this.frac += Math.max(0, Math.min(now - last, 1000)) / (STEP_MS / this.speed);
      last = now;
      let moved = false;
      while (this.frac >= 1 && replay.step < this.trace.steps) {
        replay.next();
        this.frac -= 1;
        moved = true;
      }
      this.late ||= moved;
      const ended = replay.step >= this.trace.steps;
      if (ended) this.frac = 0;
      if (this.late && (ended || now - drawn >= (this.speed > 2 ? REDRAW_MS : 0))) {
        [drawn, this.late] = [now, false];
        const speak = ended || now - spoken >= SPEAK_MS;
        if (speak) spoken = now;
        await this.update(speak);
      } else if (!still) for (const view of this.views) view.draw();
      if (ended) return this.pause();
      requestAnimationFrame(frame);
    };
    this.update();
    requestAnimationFrame(frame);
  }

  /** Show a whole step. @param {boolean} [speak] */
  async update(speak = true) {
    const { trace } = this;
    const { step } = /** @type {Replay} */ (this.replay);
    this.controls.at(step, trace.steps, step < trace.steps ? phaseOf(trace, step) || "the next step" : "");
    if (speak) this.tell();
    await Promise.all(this.views.map((view) => view.update()));
  }

  tell() {
    const replay = /** @type {Replay} */ (this.replay);
    this.controls.at(replay.step, this.trace.steps, replay.step < this.trace.steps ? phaseOf(this.trace, replay.step) || "the next step" : "");
    this.words.replaceChildren(...coloured(short(replay, this.focus)));
  }

  /** @returns {string} every transfer of the coming step in words */
  details() {
    return full(/** @type {Replay} */ (this.replay));
  }

  /** Tell the server and the address bar which step this is, once the hand rests. */
  publish() {
    clearTimeout(this.publishing);
    this.publishing = setTimeout(() => {
      const step = /** @type {Replay} */ (this.replay).step;
      remember("step", step ? String(step) : null);
      this.component?.setStateValue("at", `${this.trace.id}:${step}`);
    }, PUBLISH_MS);
  }

  showLegend() {
    const { trace, theme } = this;
    const t = /** @type {any} */ (theme);
    const key = (/** @type {string} */ style, /** @type {string} */ text) => `<span><i style="${style}"></i>${text}</span>`;
    const most = Math.max(...trace.total);
    const ramp = `background:linear-gradient(90deg,${t.amount.join(",")});width:56px`;
    const items = [
      key(`background:${t.reduce_text}`, "add (reduce), solid line"),
      key(`background:${t.copy_text};box-shadow:2px -2px 0 -0.5px ${t.background},2px -2px 0 1px ${t.copy_text}`, "copy (overwrite), dashed line"),
      most > 1 ? key(ramp, `1 … ${most - 1} contributions`) : "",
      key(`background:${t.done}`, `complete${most > 1 ? ` (all ${most})` : ""}`),
    ];
    if (trace.ranks <= SLOTS_UP_TO && trace.ranks > 1) {
      const hues = Array.from({ length: trace.ranks }, (_, r) => `<i style="background:${contributor(r, trace.ranks, t.dark)}"></i>`).join("");
      items.push(`<span class="arl-hues">${hues} from rank 0 … ${trace.ranks - 1}</span>`);
    }
    this.legend.innerHTML = items.join("");
  }

  destroy() {
    this.stop();
    clearTimeout(this.publishing);
    clearTimeout(this.resizing);
    this.resizer.disconnect();
    for (const view of this.views) view.destroy();
  }
}

/** @param {string} tag @param {string} className */
function element(tag, className) {
  const made = document.createElement(tag);
  made.className = className;
  return made;
}

/** @param {string} sentence @returns {Node[]} with the word for the operation in its colour */
function coloured(sentence) {
  return sentence.split(/(adds (?:it|them) to its own|overwrites its cop(?:y|ies)|^Done:|^Not done:)/).map((part, k) => {
    if (k % 2 === 0) return document.createTextNode(part);
    const strong = document.createElement("strong");
    strong.className = part.startsWith("adds") ? "arl-add" : part.startsWith("over") ? "arl-copy" : part === "Done:" ? "arl-done" : "arl-fault";
    strong.textContent = part;
    return strong;
  });
}

/** @param {string} name @param {string|null} value keep it in the address bar, without a rerun */
function remember(name, value) {
  const url = new URL(location.href);
  if (value === null) url.searchParams.delete(name);
  else url.searchParams.set(name, value);
  history.replaceState(history.state, "", url);
}

/** @param {Component} component @param {HTMLElement} host */
async function render(component, host) {
  let player = players.get(host);
  const id = identityOf(component.data);
  const themes = JSON.parse(host.dataset.themes ?? "{}");
  if (player && host.dataset.shown === id) {
    player.component = component;
    const before = player.theme?.background;
    if (before && getComputedStyle(host).getPropertyValue("--st-background-color").trim() !== before) await player.rebuild();
    return;
  }
  host.dataset.shown = id;
  const [trace, Plotly] = await Promise.all([readTrace(component.data), loadPlotly(host.dataset.plotly ?? "")]);
  if (host.dataset.shown !== id) return; // something newer came while this was loading
  if (!player) {
    player = new Player(host);
    players.set(host, player);
    /** @type {any} */ (host).arlPlayer = player; // for tests and the curious
  }
  player.component = component;
  const step = Number(new URLSearchParams(location.search).get("step"));
  await player.show(trace, Plotly, themes, Number.isInteger(step) ? step : 0);
  host.dataset.ready = id;
}

/** @param {Component} component @returns {() => void} */
export default function mount(component) {
  const host = /** @type {HTMLElement} */ (component.parentElement.querySelector(".arl"));
  render(component, host).catch((problem) => {
    host.textContent = `The player could not start: ${problem.message}. Reload the page; if that does not help, restart the app.`;
    host.classList.add("arl-failed");
  });
  return () => {
    players.get(host)?.destroy();
    players.delete(host);
  };
}
