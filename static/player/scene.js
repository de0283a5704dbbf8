// What a view may know of the stage, always up to date, and how high it may be.

import { scrolled } from "./dom.js";

/** @param {import("./stage.js").Stage} stage @param {import("./lane.js").Lane} lane @returns {import("./views/view.js").Scene} */
export function sceneOf(stage, lane) {
  const first = () => lane === stage.lanes[0];
  return {
    Plotly: stage.Plotly, lane, trace: lane.trace, theme: stage.theme,
    get replay() { return lane.replay; },
    get ghost() { return stage.lanes.find((other) => other !== lane) ?? null; },
    get focus() { return stage.focus; }, get chosen() { return first() ? stage.chosen : null; },
    get hover() { return first() ? stage.hover : null; }, get load() { return stage.load; },
    get critical() { return first() ? stage.critical : null; }, get history() { return first() ? stage.history : null; },
    get clock() { return stage.conductor.clock; }, get still() { return stage.still; }, get words() { return stage.words; },
  };
}

/** @param {import("./stage.js").Stage} stage @param {import("./deck.js").Deck} deck @returns {number} so that controls, words, network and buffers fit one screen */
export function heightOf({ lanes, host, table }, deck) {
  const vertices = Math.max(...lanes.map((lane) => lane.trace.vertices));
  if (deck.card.classList.contains("arl-below")) return Math.round(Math.min(320, Math.max(150, 13 * Math.min(vertices, 24) + 34)));
  const { top, width } = host.getBoundingClientRect();
  const used = table.getBoundingClientRect().top - top + Math.min(320, Math.max(0, top + scrolled(host)));
  const two = width >= 720;
  const head = lanes.length > 1 ? 70 : 46; // one line, or two
  const room = two ? window.innerHeight - used - head : 0.95 * width;
  return Math.round(Math.max(280, Math.min(room, 0.9 * (two ? width / 2 : width), 540)));
}
