// What the page's address remembers of the player, so that a link brings it back.

import { luminance } from "./palette.js";

const NAMES = ["step", "moment", "view", "rank", "clock", "speed", "loop", "values", "fork", "cell", "show", "told"];
const THEMES = /** @type {const} */ (["light", "dark"]);
const OPTIONS = "embed_options"; // where Streamlit itself looks for a theme, whether embedded or not

/** @returns {Object<string, string>} */
export function remembered() {
  const query = new URLSearchParams(location.search);
  return Object.fromEntries(NAMES.filter((name) => query.has(name)).map((name) => [name, query.get(name) ?? ""]));
}

/** @param {Object<string, string|null>} values null forgets; nothing is loaded anew */
export function remember(values) {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(values)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  if (url.href !== location.href) history.replaceState(history.state, "", url);
}

/** @param {Object<string, string>} values @param {string} name @returns {number} a whole number, or 0 */
export function whole(values, name) {
  const number = Number(values[name]);
  return Number.isInteger(number) && number > 0 ? number : 0;
}

/** @param {boolean} dark @returns {string} this address, asking for the theme as well */
export function addressIn(dark) {
  const url = new URL(location.href);
  const others = url.searchParams.getAll(OPTIONS).filter((option) => !/^(light|dark)_theme$/.test(option));
  url.searchParams.delete(OPTIONS);
  const theme = THEMES[Number(dark)];
  url.searchParams.set("theme", theme);
  for (const option of [...others, `${theme}_theme`]) url.searchParams.append(OPTIONS, option);
  return url.href;
}

let heeded = false; // a link asks once: whoever changes the theme afterwards keeps it

/**
 * Load the page anew in the theme that the link asks for. Only the page can do that, when it starts: a script on the
 * server cannot choose a theme, and what a reader has chosen for good stays as it is.
 * @param {HTMLElement} host @returns {boolean} is it on its way?
 */
export function heedTheme(host) {
  const theme = new URLSearchParams(location.search).get("theme");
  if (heeded || !host.dataset.home || (theme !== "light" && theme !== "dark")) return false;
  heeded = true;
  const wanted = addressIn(theme === "dark");
  const asked = new URLSearchParams(location.search).getAll(OPTIONS).includes(`${theme}_theme`);
  if (asked || isDark(host) === (theme === "dark")) return false;
  location.replace(wanted);
  return true;
}

/** @param {HTMLElement} host @returns {boolean} is the page dark now? */
function isDark(host) {
  return luminance(getComputedStyle(host).getPropertyValue("--st-background-color").trim() || "#ffffff") < 0.2;
}
