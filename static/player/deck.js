// A card that holds one view or several behind tabs; only the open one is drawn.

/** @typedef {import("./views/view.js").View} View */

let decks = 0;

export class Deck {
  /** @param {string} place where it stands: left, right or below @param {View[]} views @param {() => void} changed */
  constructor(place, views, changed) {
    this.views = views;
    this.changed = changed;
    this.view = views[0];
    this.name = `arl-deck-${++decks}`;
    this.card = document.createElement("section");
    this.card.className = `arl-card arl-${place}`;
    this.head = document.createElement("div");
    this.head.className = "arl-head";
    this.body = document.createElement("div");
    this.body.className = "arl-body";
    this.card.append(this.head, this.body);
    this.open(views[0].name);
  }

  /** @param {string} name @returns {boolean} is there such a view here? */
  open(name) {
    const view = this.views.find((one) => one.name === name);
    if (!view) return false;
    this.view = view;
    this.body.replaceChildren(view.element);
    this.body.id = `${this.name}-body`;
    this.card.setAttribute("aria-label", view.title);
    this.card.dataset.view = name;
    this.drawHead();
    return true;
  }

  drawHead() {
    const how = `<span class="arl-how"></span>`;
    if (this.views.length === 1) {
      this.head.innerHTML = `<span class="arl-title">${this.views[0].title}</span> ${how}`;
    } else {
      this.body.setAttribute("role", "tabpanel");
      this.body.setAttribute("aria-labelledby", `${this.name}-${this.view.name}`);
      const tabs = this.views.map((one) => this.tab(one)).join("");
      this.head.innerHTML = `<div class="arl-tabs" role="tablist" aria-label="Views">${tabs}</div> ${how}`;
      const list = /** @type {HTMLElement} */ (this.head.querySelector("[role=tablist]"));
      list.addEventListener("click", (event) => this.choose(/** @type {HTMLElement} */ (event.target).dataset?.view));
      list.addEventListener("keydown", (event) => this.key(event));
    }
    this.explain();
  }

  explain() {
    /** @type {HTMLElement} */ (this.head.querySelector(".arl-how")).textContent = this.view.how;
  }

  /** @param {View} one */
  tab(one) {
    const open = one === this.view;
    return `<button type="button" role="tab" id="${this.name}-${one.name}" data-view="${one.name}" aria-controls="${this.name}-body" aria-selected="${open}" tabindex="${open ? 0 : -1}">${one.title}</button>`;
  }

  /** @param {string|undefined} name */
  choose(name) {
    if (!name || name === this.view.name || !this.open(name)) return;
    this.changed();
    /** @type {HTMLElement|null} */ (this.head.querySelector("[aria-selected=true]"))?.focus();
  }

  /** Left and right move between tabs, as tab lists do. @param {KeyboardEvent} event */
  key(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const at = this.views.indexOf(this.view) + by + this.views.length;
    this.choose(this.views[at % this.views.length].name);
  }
}
