// The files that stand beside player.js on the server. A saved animation brings their content along instead.

/** @param {HTMLElement} host @param {string} name @returns {string} the address of a file in the player's folder */
export const beside = (host, name) => new URL(name, new URL(host.dataset.home ?? "", location.href)).href;

/** Load the style once; without it all is there, only plainer. @param {HTMLElement} host @returns {Promise<unknown>} */
export async function loadStyle(host) {
  const href = beside(host, "player.css");
  if (!host.dataset.home || document.querySelector(`link[href="${href}"]`)) return;
  await new Promise((done) => {
    document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href, onload: done, onerror: done }));
  });
}

/** @param {HTMLElement} host @returns {Promise<import("./palette.js").Themes>} */
export async function loadThemes(host) {
  if (host.dataset.colours) return JSON.parse(host.dataset.colours);
  const answer = await fetch(beside(host, "themes.json"));
  if (!answer.ok) throw new Error("its colours did not load");
  return answer.json();
}
