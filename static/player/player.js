// Streamlit calls the default export on every rerun; it shows what is new and leaves alone what is not.

import { heedTheme } from "./address.js";
import { beside, loadStyle, loadThemes } from "./files.js";
import { loadPlotly } from "./plotly.js";
import { Stage } from "./stage.js";
import { identityOf, readTrace } from "./trace.js";

/** @typedef {{data: Uint8Array, parentElement: HTMLElement, setStateValue: (name: string, value: string) => void}} Component */

/** @type {WeakMap<HTMLElement, Stage>} */
const stages = new WeakMap();

/** @param {Component} component @returns {() => void} */
export default function mount(component) {
  const host = /** @type {HTMLElement} */ (component.parentElement.querySelector(".arl"));
  render(component, host).catch((problem) => {
    host.textContent = `The player could not start: ${problem.message}. Reload the page; if that does not help, restart the app.`;
    host.classList.add("arl-failed");
  });
  return () => {
    stages.get(host)?.destroy();
    stages.delete(host);
    delete host.dataset.shown;
  };
}

/** @param {Component} component @param {HTMLElement} host */
async function render(component, host) {
  const stage = stages.get(host);
  const id = identityOf(component.data);
  if (stage && host.dataset.shown === id) {
    stage.publishTo(component);
    return stage.themeMayHaveChanged();
  }
  if (heedTheme(host)) return;
  host.dataset.shown = id;
  const drawing = loadPlotly(beside(host, host.dataset.plotly ?? "")); // the largest file first
  const [Plotly, trace, themes] = await Promise.all([drawing, readTrace(component.data), loadThemes(host), loadStyle(host)]);
  if (host.dataset.shown !== id) return; // something newer came while this was loading
  let here = stages.get(host);
  if (!here) {
    here = new Stage(host, Plotly, themes);
    stages.set(host, here);
    Object.assign(host, { arlPlayer: here }); // for tests and the curious
  }
  here.publishTo(component);
  here.bytes = new Uint8Array(component.data);
  await here.show(trace);
  host.dataset.ready = id;
}
