// The animation as a GIF: every step painted a few times on its way, title, legend and source around it.

import { CanvasPen } from "./pen.js";
import { rasterOf } from "./dom.js";
import { Palette, Writer } from "./gif89.js";
import { sheetOf, svgOf } from "./sheet.js";
import { PlotView } from "./views/view.js";

/** @typedef {import("./stage.js").Stage} Stage */

const [MOST_RANKS, MOST_FRAMES] = [16, 1000];
const [PARTS, ENOUGH] = [4, 250]; // pictures for each step, while there are no more than so many in all
const [SECONDS_A_STEP, AT_THE_END] = [0.7, 2];

/** @param {Stage} stage @returns {Promise<Blob>} */
export async function gifOf(stage) {
  const { trace } = stage.lanes[0];
  if (trace.ranks > MOST_RANKS) throw new Error(`a GIF is made for up to ${MOST_RANKS} ranks; save the HTML animation instead.`);
  if (trace.steps > MOST_FRAMES) throw new Error(`${trace.steps} steps are too many for a GIF; save the HTML animation instead.`);
  const { step, clock } = stage.conductor;
  stage.playback.stop();
  stage.choose(null, false);
  if (clock) stage.conductor.useClock(false);
  try {
    return await film(stage, Math.max(1, Math.min(PARTS, Math.floor(ENOUGH / (trace.steps + 1)))));
  } finally {
    if (clock) stage.conductor.useClock(true);
    stage.conductor.goStep(step);
    await stage.playback.update();
  }
}

/** @param {Stage} stage @param {number} parts @returns {Promise<Blob>} */
async function film(stage, parts) {
  const { steps } = stage.lanes[0].trace;
  const views = /** @type {PlotView[]} */ (stage.decks.map((deck) => deck.view).filter((view) => view instanceof PlotView).slice(0, 2));
  const palette = new Palette();
  const height = await tallest(stage, views);
  for (const s of new Set([0, steps >> 2, steps >> 1, steps])) palette.see((await shots(stage, views, s, 1, height))[0]);
  palette.settle();
  const writer = new Writer(palette);
  for (let s = 0; s <= steps; s++) {
    const last = s === steps;
    for (const shot of await shots(stage, views, s, last ? 1 : parts, height)) writer.add(shot, last ? AT_THE_END : SECONDS_A_STEP / parts);
  }
  return writer.blob();
}

/** @param {Stage} stage @param {PlotView[]} views @returns {Promise<number>} pixels that the picture of every step fits in */
async function tallest(stage, views) {
  let most = 0;
  for (let s = 0; s <= stage.lanes[0].trace.steps; s++) {
    stage.conductor.goStep(s);
    stage.playback.tell();
    most = Math.max(most, sheetOf(stage, views, false).height);
  }
  return most;
}

/** @param {Stage} stage @param {PlotView[]} views @param {number} step @param {number} parts @param {number} height @returns {Promise<ImageData[]>} a step on its way */
async function shots(stage, views, step, parts, height) {
  stage.conductor.goStep(step);
  await stage.playback.update();
  const sheet = { ...sheetOf(stage, views, false), height };
  const ground = await rasterOf(await svgOf(sheet, stage.theme.font, await Promise.all(views.map((view) => view.base()))));
  const canvas = Object.assign(document.createElement("canvas"), { width: Math.ceil(sheet.width), height: Math.ceil(height) });
  const c = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { willReadFrequently: true }));
  const found = [];
  for (let part = 0; part < parts; part++) {
    if (part) stage.conductor.go(step + part / parts);
    c.drawImage(ground, 0, 0);
    for (const { view, x, y } of sheet.spots) {
      const pen = new CanvasPen(document.createElement("div"), view.width, view.height);
      view.paintStill(pen);
      view.paint(pen);
      c.drawImage(pen.canvas, x, y, view.width, view.height);
    }
    found.push(c.getImageData(0, 0, canvas.width, canvas.height));
  }
  return found;
}
