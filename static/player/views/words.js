// The step in words or as a table: everything the pictures show, for whoever cannot or will not see them.

import { COLUMNS, full, rows, short } from "../narrate.js";
import { escapeHtml } from "../pen.js";
import { View } from "./view.js";

const MOST = 300; // sentences or rows; the file has them all

export class WordsView extends View {
  /** @param {(form: "short"|"full"|"table") => void} choose @param {(transfer: number) => void} look */
  constructor(choose, look) {
    super("words", "Words");
    this.shown = "";
    this.element.classList.add("arl-scroll");
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "region");
    this.element.setAttribute("aria-label", "Words: this step, told");
    this.element.innerHTML = `<label class="arl-field">Tell it <select><option value="short">short</option><option value="full" selected>in full</option><option value="table">as a table</option></select></label><div class="arl-told"></div>`;
    this.select = /** @type {HTMLSelectElement} */ (this.element.querySelector("select"));
    this.select.addEventListener("change", () => choose(/** @type {import("./view.js").Scene["words"]} */ (this.select.value)));
    this.element.addEventListener("click", (event) => {
      const line = /** @type {HTMLElement} */ (event.target).closest("[data-transfer]");
      if (line) look(Number(/** @type {HTMLElement} */ (line).dataset.transfer));
    });
  }

  /** @param {import("./view.js").Scene} scene @param {number} height */
  async build(scene, height) {
    await super.build(scene, height);
    this.how = "this step, transfer by transfer";
    this.update();
  }

  update() {
    this.select.value = this.scene.words;
    const html = this.html();
    if (html === this.shown) return; // whoever is on a sentence stays there
    this.shown = html;
    /** @type {HTMLElement} */ (this.element.querySelector(".arl-told")).innerHTML = html;
  }

  /** @returns {string} */
  html() {
    const { replay, focus, words, trace } = this.scene;
    const size = replay.step < trace.steps ? trace.stepPtr[replay.step + 1] - trace.stepPtr[replay.step] : 0;
    if (words === "short" || (size > MOST && words === "full")) return `<p>${escapeHtml(short(replay, focus))}</p>${size > MOST ? "<p>This step has too many transfers to list; choose the table, or download all steps.</p>" : ""}`;
    return words === "full" ? this.sentences() : table(rows(replay, MOST));
  }

  /** @returns {string} one sentence a transfer; each is a button that looks at it */
  sentences() {
    const { replay, trace } = this.scene;
    const first = trace.stepPtr[Math.min(replay.step, trace.steps - 1)] ?? 0;
    return full(replay).split(/(?<=[.:]) (?=Rank|Switch)/).map((sentence, k) => {
      const text = escapeHtml(sentence);
      return k === 0 ? `<p>${text}</p>` : `<button type="button" data-transfer="${first + k - 1}" title="Look at this transfer">${text}</button>`;
    }).join("");
  }
}

/** @param {Array<Array<string|number>>} body */
function table(body) {
  const here = (/** @type {Array<string|number>} */ row) => row.slice(2); // without step and phase, which stand above
  const head = here([...COLUMNS]).map((name) => `<th scope="col">${name}</th>`).join("");
  const lines = body.map((row) => `<tr>${here(row).map((cell) => `<td>${escapeHtml(String(cell))}</td>`).join("")}</tr>`).join("");
  return `<table><caption class="arl-hidden">The transfers of this step; the last three columns count contributions</caption><thead><tr>${head}</tr></thead><tbody>${lines}</tbody></table>${body.length === MOST ? "<p>The first 300 rows; the CSV file has all.</p>" : ""}`;
}
