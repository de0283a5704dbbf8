// plotly.js, loaded once for the whole page, from this app's own server.

/** @typedef {Record<string, unknown>} Options in Plotly's own words */
/**
 * As much of plotly.js as the player uses.
 * @typedef {object} Plotly
 * @property {(place: HTMLElement, data: Options[], layout: Options, config: Options) => Promise<unknown>} react
 * @property {(place: HTMLElement, change: Options, traces: number[]) => Promise<unknown>} restyle
 * @property {(place: HTMLElement, options: Options) => Promise<string>} toImage a data: address
 * @property {(place: HTMLElement) => void} purge
 */
const page = /** @type {Window & {Plotly?: Plotly}} */ (window);

/** @type {Promise<Plotly>|null} */
let loading = null;

/** @param {string} url @returns {Promise<Plotly>} */
export function loadPlotly(url) {
  if (page.Plotly) return Promise.resolve(page.Plotly);
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = url;
    const failed = () => {
      loading = null;
      script.remove();
      reject(new Error("plotly.js, which draws the pictures, did not load"));
    };
    script.onload = () => (page.Plotly ? resolve(page.Plotly) : failed());
    script.onerror = failed;
    document.head.append(script);
  });
  return loading;
}
