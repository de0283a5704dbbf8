// plotly.js, loaded once for the whole page, from this app's own server.

/** @type {Promise<any>|null} */
let loading = null;

/** @param {string} url @returns {Promise<any>} the Plotly object */
export function loadPlotly(url) {
  const known = /** @type {any} */ (window).Plotly;
  if (known) return Promise.resolve(known);
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = url;
    script.onload = () => resolve(/** @type {any} */ (window).Plotly);
    script.onerror = () => {
      loading = null;
      script.remove();
      reject(new Error("plotly.js, which draws the pictures, did not load"));
    };
    document.head.append(script);
  });
  return loading;
}
