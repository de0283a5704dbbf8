// The player, its data and plotly.js as one page that needs no server and no network.

import { beside } from "./files.js";
import { fontFace } from "./fonts.js";
import { escapeHtml } from "./pen.js";

const USED = ["background-color", "secondary-background-color", "text-color", "border-color", "primary-color", "font"];

/** @param {import("./stage.js").Stage} stage @returns {Promise<string>} */
export async function animationPage(stage) {
  const { host } = stage;
  const names = ["player.js", "player.css", host.dataset.plotly ?? ""];
  const [script, css, plotly] = await Promise.all(names.map((name) => text(beside(host, name))));
  const style = getComputedStyle(host);
  const variables = USED.map((name) => `--st-${name}:${style.getPropertyValue(`--st-${name}`)}`).join(";");
  const { trace } = stage.lanes[0];
  const data = btoa(Array.from(stage.bytes, (byte) => String.fromCharCode(byte)).join(""));
  const start = `$modules.player.default({ data: Uint8Array.from(atob("${data}"), (letter) => letter.charCodeAt(0)), parentElement: document.body, setStateValue() {} });`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(trace.title)}, ${trace.ranks} ranks</title>
<style>${await fontFace(stage.theme.font)}:root{${variables}}body{margin:16px;background:var(--st-background-color)}${css}</style>
<main><h1 style="font:600 20px var(--st-font);color:var(--st-text-color)">${escapeHtml(trace.title)}, ${trace.ranks} ranks</h1><div class="arl" data-colours="${escapeHtml(JSON.stringify(stage.themes))}"></div>
<p style="font:13px var(--st-font);color:var(--st-text-color)">${escapeHtml(`AllReduce Lab. ${trace.collective} by ${trace.title}; ${trace.nbytes.toLocaleString("en-US")} bytes in all chunks; times: ${trace.origin}. This file needs no network.`)}</p></main>
<script>${inScript(plotly)}</script><script type="module">${inScript(script)}\n${start}</script></html>`;
}

/** @param {string} code */
const inScript = (code) => code.replace(/<\/(script)/gi, "<\\/$1");

/** @param {string} url @returns {Promise<string>} */
async function text(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} did not load`);
  return answer.text();
}
