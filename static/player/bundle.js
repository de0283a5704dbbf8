// The player, its data and plotly.js as one page that needs no server and no network.

import { escapeHtml } from "./pen.js";

const USED = ["background-color", "secondary-background-color", "text-color", "border-color", "primary-color", "font"];

/** @param {import("./stage.js").Stage} stage @returns {Promise<string>} */
export async function animationPage(stage) {
  const { host } = stage;
  const entry = new URL(host.dataset.module ?? "", location.href).href;
  const css = await text(new URL(host.dataset.css ?? "", location.href).href);
  const plotly = await text(new URL(host.dataset.plotly ?? "", location.href).href);
  const style = getComputedStyle(host);
  const variables = USED.map((name) => `--st-${name}:${style.getPropertyValue(`--st-${name}`)}`).join(";");
  const { trace } = stage.lanes[0];
  const data = btoa(Array.from(stage.bytes, (byte) => String.fromCharCode(byte)).join(""));
  const start = `player.default({ data: Uint8Array.from(atob("${data}"), (letter) => letter.charCodeAt(0)), parentElement: document.body, setStateValue() {} });`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(trace.title)}, ${trace.ranks} ranks</title>
<style>:root{${variables}}body{margin:16px;background:var(--st-background-color)}${css}</style>
<main><h1 style="font:600 20px var(--st-font);color:var(--st-text-color)">${escapeHtml(trace.title)}, ${trace.ranks} ranks</h1><div class="arl" data-colours="${escapeHtml(JSON.stringify(stage.themes))}"></div></main>
<script>${inScript(plotly)}</script><script type="module">${inScript(await scriptOf(entry))}\n${start}</script></html>`;
}

/** @param {string} code */
const inScript = (code) => code.replace(/<\/(script)/gi, "<\\/$1");

/** @param {string} url @returns {Promise<string>} */
async function text(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} did not load`);
  return answer.text();
}

const IMPORT = /^import (\{[^}]*\}) from "(\.[^"]+)";$/gm;
const EXPORT = /^export (default )?((?:async )?function|class|const) (\w+)/gm;

/** @param {string} entry address of a module @returns {Promise<string>} it and all it imports, as one script that defines `player` */
async function scriptOf(entry) {
  /** @type {Map<string, string>} */
  const done = new Map();
  const visit = async (/** @type {string} */ url) => {
    if (done.has(url)) return;
    done.set(url, "");
    const code = await text(url);
    for (const [, , from] of code.matchAll(IMPORT)) await visit(new URL(from, url).href);
    done.delete(url); // so that it comes after what it needs
    done.set(url, wrapped(code, url, entry));
  };
  await visit(entry);
  return `const modules = {};\n${[...done.values()].join("\n")}\nconst player = modules[${named(entry, entry)}];`;
}

/** @param {string} url @param {string} entry @returns {string} a module's name, without where it was served */
const named = (url, entry) => JSON.stringify(url.slice(new URL(".", entry).href.length));

/** @param {string} code @param {string} url @param {string} entry @returns {string} a module as a function that returns what it exports */
function wrapped(code, url, entry) {
  const given = [...code.matchAll(EXPORT)].map(([, first, , name]) => (first ? `default: ${name}` : name));
  const body = code
    .replace(IMPORT, (_, names, from) => `const ${names.replaceAll(" as ", ": ")} = modules[${named(new URL(from, url).href, entry)}];`)
    .replace(EXPORT, "$2 $3");
  return `modules[${named(url, entry)}] = (() => {\n${body}\nreturn { ${given.join(", ")} };\n})();`;
}
