// Everything that is not needed all the time: the clock, numbers in the cells, a closer look, files to take away.

import { part } from "./dom.js";
import { KINDS, numbersIn } from "./numbers.js";

/**
 * @typedef {object} MenuAsked
 * @property {(clock: boolean) => void} clock
 * @property {(loop: boolean) => void} loop
 * @property {(still: boolean) => void} still
 * @property {(load: boolean) => void} load
 * @property {(critical: boolean) => void} critical
 * @property {(kind: keyof typeof KINDS, text: string) => string} numbers returns what is wrong with the text, or ""
 * @property {(vertex: number, slot: number) => void} look
 * @property {(what: string) => Promise<void>|void} save
 */

const FILES = [["png", "Picture (PNG)"], ["svg", "Picture (SVG)"], ["strip", "Film strip to print (HTML)"], ["csv", "All steps (CSV)"], ["html", "Animation, plays offline (HTML)"], ["gif", "Animation (GIF)"], ["link", "Copy a link to this moment"]];

export class Menu {
  /** @param {MenuAsked} asked */
  constructor(asked) {
    this.element = document.createElement("details");
    this.element.className = "arl-more";
    const numbers = Object.entries(KINDS).map(([kind, text]) => `<option value="${kind}">${text}</option>`).join("");
    const files = FILES.map(([what, text]) => `<button type="button" data-save="${what}">${text}</button>`).join("");
    this.element.innerHTML = `<summary aria-label="More: clock, numbers, files" title="More">⋯</summary><div class="arl-menu">
      <fieldset><legend>Time</legend><label><input type="checkbox" name="clock"> Real time, not one beat a step</label>
        <label><input type="checkbox" name="loop"> Start again at the end</label><label><input type="checkbox" name="still"> Reduce motion</label></fieldset>
      <fieldset><legend>Show also</legend><label><input type="checkbox" name="load"> <span></span></label>
        <label><input type="checkbox" name="critical"> Critical path: what decides the time</label></fieldset>
      <fieldset><legend>In the cells</legend><select aria-label="In the cells">${numbers}</select>
        <textarea rows="4" hidden aria-label="Your own numbers: a line for each rank" placeholder="a line for each rank: 1 2 3 4"></textarea><p class="arl-trouble" role="alert"></p></fieldset>
      <fieldset><legend>Look at a cell</legend><label>rank <input type="number" name="vertex" min="0" value="0"></label> <label>chunk <input type="number" name="slot" min="0" value="0"></label> <button type="button" data-look>Look</button></fieldset>
      <fieldset class="arl-files"><legend>Take away</legend>${files}<p class="arl-saved" role="status"></p></fieldset></div>`;
    this.asked = asked;
    this.element.addEventListener("change", (event) => this.changed(/** @type {HTMLInputElement} */ (event.target)));
    this.element.addEventListener("click", (event) => this.clicked(/** @type {HTMLElement} */ (event.target)));
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.element.open) return;
      this.element.open = false;
      part(this.element, "summary", HTMLElement).focus();
      event.stopPropagation();
    });
    this.away = (/** @type {Event} */ event) => {
      if (!this.element.contains(/** @type {Node} */ (event.target))) this.element.open = false;
    };
    document.addEventListener("pointerdown", this.away);
  }

  /** @param {string} selector @returns {HTMLInputElement} */
  field(selector) {
    return part(this.element, selector, HTMLInputElement);
  }

  /** @param {HTMLInputElement} field */
  changed(field) {
    if (field.name === "clock") this.asked.clock(field.checked);
    else if (field.name === "loop") this.asked.loop(field.checked);
    else if (field.name === "still") this.asked.still(field.checked);
    else if (field.name === "load") this.asked.load(field.checked);
    else if (field.name === "critical") this.asked.critical(field.checked);
    else if (field.matches("select, textarea")) {
      const kind = /** @type {keyof typeof KINDS} */ (part(this.element, "select", HTMLSelectElement).value);
      const own = part(this.element, "textarea", HTMLTextAreaElement);
      own.hidden = kind !== "own";
      part(this.element, ".arl-trouble", HTMLElement).textContent = this.asked.numbers(kind, own.value);
    }
  }

  /** @param {HTMLElement} target */
  async clicked(target) {
    const button = target.closest("button");
    if (!button) return;
    if (button.hasAttribute("data-look")) return this.asked.look(Number(this.field("[name=vertex]").value), Number(this.field("[name=slot]").value));
    const said = part(this.element, ".arl-saved", HTMLElement);
    said.textContent = "Working …";
    try {
      await this.asked.save(button.dataset.save ?? "");
      said.textContent = button.dataset.save === "link" ? "Copied." : "Saved.";
    } catch (problem) {
      said.textContent = `That did not work: ${/** @type {Error} */ (problem).message}`;
    }
  }

  /** @param {{clock: boolean, canTime: boolean, loop: boolean, still: boolean, load: boolean, links: boolean, critical: boolean, values: string, vertices: number, slots: number}} state */
  show({ clock, canTime, loop, still, load, links, critical, values, vertices, slots }) {
    const [kind, own] = numbersIn(values);
    const text = part(this.element, "textarea", HTMLTextAreaElement);
    part(this.element, "select", HTMLSelectElement).value = kind;
    text.hidden = kind !== "own";
    if (own) text.value = own;
    for (const [name, checked] of Object.entries({ loop, load, critical })) this.field(`[name=${name}]`).checked = checked;
    part(this.element, "[name=load] + span", HTMLElement).textContent = links ? "Load: how full the links are now [simulated]" : "Load: what each link carries in all [counted]";
    this.field("[name=clock]").checked = clock;
    this.field("[name=clock]").disabled = !canTime;
    this.field("[name=still]").checked = still;
    this.field("[name=vertex]").max = String(vertices - 1);
    this.field("[name=slot]").max = String(slots - 1);
  }

  destroy() {
    document.removeEventListener("pointerdown", this.away);
  }
}
