// Small things about the page that several modules need.

/** @param {string} tag @param {string} className @returns {HTMLElement} */
export function element(tag, className) {
  const made = document.createElement(tag);
  made.className = className;
  return made;
}

/**
 * @template {HTMLElement} T
 * @param {HTMLElement} whole @param {string} selector @param {new () => T} kind @returns {T} what must be there
 */
export function part(whole, selector, kind) {
  const found = whole.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`the player lacks ${selector}`);
  return found;
}

/** @param {HTMLElement} host @returns {number} how far whatever scrolls around it has scrolled */
export function scrolled(host) {
  let top = window.scrollY;
  for (let outer = host.parentElement; outer; outer = outer.parentElement) top += outer.scrollTop;
  return top;
}

/** @param {string} sentence @returns {Node[]} with the word for the operation in its colour */
export function coloured(sentence) {
  return sentence.split(/(adds (?:it|them) to its own|adds (?:up )?all [\d,]+ that arrive(?: to its own)?|begins its sum with (?:it|them)|overwrites its cop(?:y|ies)|stores (?:it|them)|^Done:|^Not done:)/).map((part, k) => {
    if (k % 2 === 0) return document.createTextNode(part);
    const strong = element("strong", /^(adds|begins)/.test(part) ? "arl-add" : /^(over|stores)/.test(part) ? "arl-copy" : part === "Done:" ? "arl-done" : "arl-fault");
    strong.textContent = part;
    return strong;
  });
}

/** @param {string} svg @returns {Promise<HTMLImageElement>} ready to be painted on a canvas */
export async function rasterOf(svg) {
  const picture = new Image();
  picture.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  await picture.decode();
  URL.revokeObjectURL(picture.src);
  return picture;
}
