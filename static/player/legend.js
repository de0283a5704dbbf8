// What the colours and lines mean.

import { contributor } from "./palette.js";
import { SLOTS_UP_TO } from "./views/buffers.js";

/** @param {import("./trace.js").Trace} trace @param {import("./palette.js").Theme} theme @returns {string} HTML */
export function legendOf(trace, theme) {
  const key = (/** @type {string} */ style, /** @type {string} */ text) => `<span><i style="${style}"></i>${text}</span>`;
  const most = trace.total.reduce((a, b) => Math.max(a, b), 0);
  const sheets = `background:${theme.copy_text};box-shadow:2px -2px 0 -0.5px ${theme.background},2px -2px 0 1px ${theme.copy_text}`;
  const items = [
    key(`background:${theme.reduce_text}`, "add (reduce), solid line"),
    key(sheets, "copy (overwrite), dashed line"),
    most > 1 ? key(`background:linear-gradient(90deg,${theme.amount.join(",")});width:56px`, `1 … ${most - 1} contributions`) : "",
    key(`background:${theme.done}`, `complete${most > 1 ? ` (all ${most})` : ""}`),
  ];
  if (trace.fault) items.push(`<span><b class="arl-fault">×</b> the mistake, pale where it may be instead; dashed: a transfer that is missing</span>`);
  if (trace.group) items.push(key(`background:linear-gradient(transparent 4px,${theme.line} 4px 9px,transparent 9px)`, `wide link: between ${trace.groupName}s`));
  if (trace.ranks <= SLOTS_UP_TO && trace.ranks > 1) {
    const hues = Array.from({ length: trace.ranks }, (_, r) => `<i style="background:${contributor(r, trace.ranks, theme.dark)}"></i>`).join("");
    items.push(`<span class="arl-hues">${hues} from rank 0 … ${trace.ranks - 1}</span>`);
  }
  return items.join("");
}
