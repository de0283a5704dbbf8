// Everything about the player that a link must bring back: written into the address, and read from it once.

import { remembered, whole } from "./address.js";
import { SPEEDS } from "./controls.js";
import { numbersIn } from "./numbers.js";

/** @typedef {import("./stage.js").Stage} Stage */
/** @typedef {import("./edits.js").Change} Change */

const LONGEST = 1500; // letters of the reader's own numbers that still fit into a link
const FORMS = /** @type {const} */ (["short", "full", "table"]);
const CHANGES = /** @type {const} */ (["drop", "delay", "flip", "redirect"]);

/** @param {Stage} stage @returns {Object<string, string|null>} null: as usual, not worth a word */
export function bookmark(stage) {
  const { conductor, decks, focus, chosen, forks, values, lanes } = stage;
  const { step, clock, position, speed, loop } = conductor;
  const open = decks.filter((deck) => deck.view !== deck.views[0]).map((deck) => deck.view.name);
  const between = clock ? position > 0 && position < conductor.end : position % 1 > 0;
  const shown = [stage.load === Boolean(lanes[0].trace.links) ? "" : stage.load ? "load" : "noload", stage.wantsCritical ? "critical" : ""].filter(Boolean);
  return {
    step: step ? String(step) : null, moment: between ? String(Number((clock ? position * 1e6 : position % 1).toPrecision(6))) : null,
    view: open.join(".") || null, rank: focus ? String(focus) : null, clock: clock ? "time" : null,
    speed: speed === 1 ? null : String(speed), loop: loop ? "1" : null, values: values.length <= LONGEST && values !== "none" ? values : null,
    fork: forks.changes.map(({ kind, transfer, to }) => [kind, transfer, ...(kind === "redirect" ? [to] : [])].join(".")).join("_") || null,
    cell: chosen ? `${chosen.vertex}.${chosen.slot}` : null, show: shown.join(".") || null, told: stage.words === "full" ? null : stage.words,
  };
}

/** @param {Stage} stage a fresh one, at the step that the link names @param {Object<string, string>} link */
export async function restore(stage, link) {
  const { conductor } = stage;
  const { step } = conductor;
  const speed = Number(link.speed);
  if (SPEEDS.includes(speed)) stage.useSpeed(speed);
  if (link.loop === "1") conductor.loop = true;
  if (link.told) stage.words = FORMS.find((form) => form === link.told) ?? stage.words;
  if (link.values) stage.useNumbers(...numbersIn(link.values));
  for (const change of changesIn(link.fork ?? "")) if (!(await stage.forks.make(change))) break;
  const shown = (link.show ?? "").split(".");
  if (shown.includes("load") || shown.includes("noload")) stage.load = shown.includes("load");
  if (shown.includes("critical")) stage.useCritical(true);
  const moment = Number(link.moment);
  if (moment > 0 && conductor.clock) conductor.go(moment / 1e6);
  else conductor.goStep(step);
  if (moment > 0 && moment < 1 && !conductor.clock) conductor.go(step + moment);
  const cell = /^(\d{1,7})\.(\d{1,7})$/.exec(link.cell ?? "");
  if (cell) stage.look(Number(cell[1]), Number(cell[2]));
  stage.showMenu();
  await stage.rebuild();
}

/** @param {boolean} heed @returns {{values: Object<string, string>, step: number, rank: number}} what the address says, if anybody heeds it */
export function asked(heed) {
  const values = heed ? remembered() : {};
  return { values, step: whole(values, "step"), rank: whole(values, "rank") };
}

/** @param {import("./trace.js").Trace} trace @returns {boolean} does it start on real time? The address says so, which the page may have changed; else what it is: who came late is seen only there */
export const realAtFirst = ({ linked, lockstep }) => (linked ? remembered().clock === "time" : !lockstep);

/** @param {string} text as bookmark() writes it @returns {Change[]} up to the first that makes no sense */
function changesIn(text) {
  const changes = [];
  for (const word of text.split("_")) {
    const [name, transfer, to] = word.split(".");
    const kind = CHANGES.find((one) => one === name);
    if (!kind || !/^\d{1,8}$/.test(transfer ?? "")) break;
    changes.push({ kind, transfer: Number(transfer), ...(kind === "redirect" ? { to: Number(to) } : {}) });
  }
  return changes;
}
