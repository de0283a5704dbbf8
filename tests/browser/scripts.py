"""What several tests do first inside the browser."""

STAGED = """
  const { readTrace } = await import("/trace.js");
  const { Lane } = await import("/lane.js");
  const { NetworkView } = await import("/views/network.js");
  const { themeOf } = await import("/palette.js");
  const { loadPlotly } = await import("/plotly.js");
  const Plotly = await loadPlotly("/vendor/plotly.js");
  const theme = themeOf(document.body, await (await fetch("/vendor/themes.json")).json());
  const trace = await readTrace(Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)));
  const lane = new Lane(trace);
"""  # data: a packed trace in base64; gives Plotly, theme, trace, lane, and the view of the network
