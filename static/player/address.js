// What the page's address remembers of the player, so that a link brings it back.

const NAMES = ["step", "view", "rank", "clock"];

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
