// The player itself: one or two traces, one clock, views that all show the same moment.

import { asked, realAtFirst, restore } from "./bookmark.js";
import { Conductor } from "./conductor.js";
import { Controls } from "./controls.js";
import { criticalPath } from "./critical.js";
import { historyNow } from "./describe.js";
import { element } from "./dom.js";
import { Forks } from "./forks.js";
import { Inspector } from "./inspector.js";
import { Lane } from "./lane.js";
import { entriesOf, htmlOf } from "./legend.js";
import { Menu } from "./menu.js";
import { numbersOf } from "./numbers.js";
import { themeOf } from "./palette.js";
import { Playback } from "./playback.js";
import { Pointing } from "./pointing.js";
import { Publisher } from "./publisher.js";
import { save } from "./save.js";
import { Speech } from "./speech.js";
import { heightOf, sceneOf } from "./scene.js";
import { decksFor } from "./views/all.js";

/** @typedef {import("./trace.js").Trace} Trace */
/** @typedef {import("./deck.js").Deck} Deck */

export class Stage {
  /** @param {HTMLElement} host @param {import("./plotly.js").Plotly} Plotly @param {import("./palette.js").Themes} themes */
  constructor(host, Plotly, themes) {
    this.host = host;
    this.Plotly = Plotly;
    this.themes = themes;
    this.theme = themeOf(host, themes);
    this.focus = 0;
    this.words = /** @type {"short"|"full"|"table"} */ ("full");
    this.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.chosen = /** @type {{vertex: number, slot: number}|null} */ (null);
    this.history = /** @type {import("./history.js").History|null} */ (null);
    this.hover = /** @type {import("./views/view.js").Pick|null} */ (null);
    this.load = false;
    this.wantsCritical = false;
    this.critical = /** @type {Set<number>|null} */ (null);
    this.values = "none"; // what is in the cells: a name in KINDS, or the reader's own text
    this.numbers = /** @type {((trace: Trace) => import("./numbers.js").Input)|null} */ (null);
    this.original = /** @type {Trace|null} */ (null);
    this.lanes = /** @type {Lane[]} */ ([]);
    this.decks = /** @type {Deck[]} */ ([]);
    this.bytes = new Uint8Array();
    this.conductor = new Conductor(this.lanes, () => this.playback.pause());
    this.publisher = new Publisher(this);
    this.playback = new Playback(this);
    this.controls = new Controls(host, {
      act: (what) => this.playback.act(what), seek: (step) => this.playback.jump(step), slide: (part) => this.playback.slide(part), speed: (speed) => this.useSpeed(speed),
    });
    this.menu = new Menu({
      clock: (clock) => this.useClock(clock), loop: (loop) => { this.conductor.loop = loop; this.publisher.soon(); }, still: (still) => { this.still = still; this.playback.draw(); },
      load: (load) => { this.load = load; this.publisher.soon(); this.rebuild(); }, critical: (critical) => this.useCritical(critical),
      numbers: (kind, text) => this.useNumbers(kind, text), look: (vertex, slot) => this.look(vertex, slot), save: (what) => save(this, what),
    });
    this.speech = new Speech();
    this.told = this.speech.element;
    this.inspector = new Inspector({ close: () => this.choose(null), change: (change) => this.forks.make(change) });
    this.forks = new Forks(this);
    this.table = element("div", "arl-stage");
    this.legend = element("div", "arl-legend");
    this.pointing = new Pointing(this);
    this.furnish();
    this.width = 0;
    this.lanesShown = 0;
    this.resizing = 0;
    this.resizer = new ResizeObserver(() => this.resized());
    this.resizer.observe(host);
  }

  furnish() {
    const { host } = this;
    this.controls.bar.append(this.menu.element);
    host.replaceChildren(this.controls.bar, this.told, this.controls.mistake.element, this.forks.element, this.inspector.element, this.table, this.legend);
    host.tabIndex = 0;
    host.setAttribute("role", "group");
    host.setAttribute("aria-label", "Animation of a collective. Space plays and pauses, left and right arrows step.");
    host.classList.toggle("arl-alone", new URLSearchParams(location.search).get("embed") === "player");
  }

  /** @param {import("./player.js").Component} component who is told of the step */
  publishTo(component) {
    this.publisher.component = component;
  }

  /** @param {Trace} trace the new content; a reader who is looking at the same schedule stays at the same step */
  async show(trace) {
    const before = this.original;
    const same = before && before.name === trace.name && before.ranks === trace.ranks && before.steps === trace.steps;
    const link = asked(trace.linked && !before);
    const step = same ? this.conductor.step : link.step;
    this.original = trace;
    this.playback.stop();
    this.forks.forget();
    if (!same) this.load = Boolean(trace.links); // on a network the first question is what is full
    this.focus = Math.min(link.rank || this.focus, trace.ranks - 1);
    this.layDecks(trace, link.values.view ?? "");
    if (!same || before.lockstep !== trace.lockstep) this.conductor.clock = realAtFirst(trace);
    await this.put(trace, step);
    if (Object.keys(link.values).length) await restore(this, link.values);
    if (before && !same) this.publisher.soon();
  }

  /** Put a trace on the stage, the original or a changed one. @param {Trace} trace @param {number} step */
  async put(trace, step) {
    this.lanes.splice(0, this.lanes.length, new Lane(trace), ...(trace.ghost ? [new Lane(trace.ghost)] : []));
    if (!this.lanes.every((lane) => lane.canTime)) this.conductor.clock = false;
    for (const lane of this.lanes) lane.useNumbers(this.numbers ? this.numbers(lane.trace) : null);
    this.critical = this.wantsCritical ? new Set(criticalPath(trace)) : null;
    this.conductor.goStep(step);
    this.choose(null, false);
    this.controls.show(trace);
    this.showMenu();
    await this.rebuild();
  }

  showMenu() {
    const { lanes, conductor: { clock, loop }, still, load, values, wantsCritical: critical } = this;
    const { links, vertices, slots } = lanes[0].trace;
    this.menu.show({ clock, canTime: lanes.every((lane) => lane.canTime), loop, still, load, links: Boolean(links), critical, values, vertices, slots });
  }

  /** @param {Trace} trace @param {string} open names of views to open, with dots between */
  layDecks(trace, open) {
    const kind = trace.ghost ? 2 : 1;
    if (this.lanesShown !== kind) {
      for (const deck of this.decks) for (const view of deck.views) view.destroy();
      this.decks = decksFor(this, Boolean(trace.ghost));
      this.lanesShown = kind;
      this.table.classList.toggle("arl-pair", kind === 2);
      this.table.replaceChildren(...this.decks.map((deck) => deck.card));
    }
    for (const name of open.split(".")) for (const deck of this.decks) deck.open(name);
  }

  /** Everything anew: after a new trace, a new size, a new theme. */
  async rebuild() {
    this.theme = themeOf(this.host, this.themes, this.lanes[0].trace.ranks);
    this.width = this.host.clientWidth;
    this.playback.tell();
    this.legend.innerHTML = htmlOf(entriesOf(this.lanes[0].trace, this.theme, this.load));
    await Promise.all(this.decks.map((deck) => this.buildDeck(deck)));
  }

  /** @param {Deck} deck */
  async buildDeck(deck) {
    const lane = this.lanes[deck.view.lane] ?? this.lanes[0];
    await deck.view.build(sceneOf(this, lane), heightOf(this, deck));
    if (this.lanes.length > 1 && !deck.card.classList.contains("arl-below")) deck.view.how = `${lane.trace.title}: ${deck.view.how}`;
    if (deck.view.element.matches("[role=img]")) deck.view.element.setAttribute("aria-describedby", this.told.id);
    deck.explain();
  }

  resized() {
    if (!this.lanes.length || Math.abs(this.host.clientWidth - this.width) < 3) return;
    clearTimeout(this.resizing);
    this.resizing = window.setTimeout(() => this.rebuild(), 120);
  }

  async themeMayHaveChanged() {
    const ground = getComputedStyle(this.host).getPropertyValue("--st-background-color").trim();
    if (ground && ground !== this.theme.background) await this.rebuild();
  }

  /** @param {boolean} clock */
  async useClock(clock) {
    this.playback.stop();
    this.conductor.useClock(clock);
    this.publisher.soon();
    await this.rebuild();
  }

  /** @param {number} speed */
  useSpeed(speed) {
    this.conductor.speed = speed;
    this.controls.speed.value = String(speed);
    this.publisher.soon();
  }

  /** @param {boolean} wanted mark the chain of transfers that decides the time */
  useCritical(wanted) {
    this.wantsCritical = wanted;
    this.publisher.soon();
    this.critical = wanted ? new Set(criticalPath(this.lanes[0].trace)) : null;
    for (const deck of this.decks) if (deck.view.name === "spacetime") this.buildDeck(deck);
  }

  /** @param {keyof typeof import("./numbers.js").KINDS} kind @param {string} text @returns {string} what is wrong with the text */
  useNumbers(kind, text) {
    const { make, trouble, values } = numbersOf(kind, text);
    [this.numbers, this.values] = [make, values];
    this.publisher.soon();
    for (const lane of this.lanes) lane.useNumbers(this.numbers ? this.numbers(lane.trace) : null);
    this.playback.update();
    return trouble;
  }

  /** @param {number} rank */
  lookAs(rank) {
    const { ranks } = this.lanes[0].trace;
    this.focus = Math.max(0, Math.min(ranks - 1, Math.floor(rank) || 0));
    this.publisher.soon();
    this.playback.update();
    const below = this.decks.find((deck) => deck.view.name === "spacetime");
    if (below) this.buildDeck(below);
  }

  /** @param {number} vertex @param {number} slot */
  look(vertex, slot) {
    const { vertices, slots } = this.lanes[0].trace;
    this.choose({ vertex: Math.max(0, Math.min(vertices - 1, vertex || 0)), slot: Math.max(0, Math.min(slots - 1, slot || 0)) });
  }

  /** @param {import("./views/view.js").Pick|null} pick @param {boolean} [draw] */
  choose(pick, draw = true) {
    this.chosen = pick?.vertex !== undefined && pick.slot !== undefined ? { vertex: pick.vertex, slot: pick.slot } : null;
    this.history = null;
    if (pick) this.playback.stop();
    if (pick?.vertex !== undefined && pick.vertex < this.lanes[0].trace.ranks) this.focus = pick.vertex;
    if (pick?.transfer !== undefined) this.inspector.showTransfer(this.lanes[0], pick.transfer, this.conductor.clock);
    else if (!this.chosen) this.inspector.hide();
    if (!draw) return;
    this.publisher.soon();
    this.playback.update();
  }

  /** The content of the chosen cell changes with time: follow it. */
  trackChosen() {
    const { replay } = this.lanes[0];
    const chosen = /** @type {{vertex: number, slot: number}} */ (this.chosen);
    this.history = historyNow(replay, chosen.vertex, chosen.slot);
    this.inspector.showCell(replay, chosen, this.history);
  }

  destroy() {
    this.playback.stop();
    this.publisher.stop();
    this.speech.stop();
    clearTimeout(this.resizing);
    this.resizer.disconnect();
    this.menu.destroy();
    this.controls.destroy();
    for (const deck of this.decks) for (const view of deck.views) view.destroy();
  }
}
