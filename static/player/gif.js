// The animation as a GIF: every step painted a few times on its way, 256 colours, compressed as GIF87a/89a prescribe.

import { CanvasPen } from "./pen.js";
import { PlotView } from "./views/view.js";

const PARTS = 5; // pictures for each step
const [MOST_RANKS, MOST_STEPS] = [16, 80];
const HUNDREDTHS = 14; // of a second, each picture

/** @param {import("./stage.js").Stage} stage @returns {Promise<Blob>} */
export async function gifOf(stage) {
  const { trace } = stage.lanes[0];
  if (trace.ranks > MOST_RANKS || trace.steps > MOST_STEPS) throw new Error(`a GIF is made for up to ${MOST_RANKS} ranks and ${MOST_STEPS} steps; save the HTML animation instead.`);
  const step = stage.conductor.step;
  const clock = stage.conductor.clock;
  stage.playback.stop();
  if (clock) stage.conductor.useClock(false);
  const frames = [];
  for (let s = 0; s <= trace.steps; s++) {
    stage.conductor.goStep(s);
    await stage.playback.update();
    frames.push(...(await framesOf(stage, s === trace.steps)));
  }
  if (clock) stage.conductor.useClock(true);
  stage.conductor.goStep(step);
  await stage.playback.update();
  return new Blob([/** @type {BlobPart} */ (encode(frames))], { type: "image/gif" });
}

/** @param {import("./stage.js").Stage} stage @param {boolean} last @returns {Promise<ImageData[]>} one step on its way */
async function framesOf(stage, last) {
  const views = /** @type {PlotView[]} */ (stage.decks.map((deck) => deck.view).filter((view) => view instanceof PlotView).slice(0, 2));
  const grounds = await Promise.all(views.map((view) => view.ground()));
  const [width, height] = [views.reduce((sum, view) => sum + view.width, 0), Math.max(...views.map((view) => view.height)) + 26];
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const c = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { willReadFrequently: true }));
  const frames = [];
  const step = stage.conductor.step;
  for (let part = 0; part < (last ? PARTS * 2 : PARTS); part++) {
    if (!last) stage.conductor.go(step + part / PARTS);
    c.fillStyle = stage.theme.background;
    c.fillRect(0, 0, width, height);
    c.fillStyle = stage.theme.ink;
    c.font = `600 14px ${stage.theme.font}`;
    c.fillText(`${stage.lanes[0].trace.title}: step ${step} of ${stage.lanes[0].trace.steps}`, 12, 18);
    let x = 0;
    views.forEach((view, k) => {
      c.drawImage(grounds[k], x, 26, view.width, view.height);
      const pen = new CanvasPen(document.createElement("div"), view.width, view.height);
      view.paintStill(pen);
      view.paint(pen);
      c.drawImage(pen.canvas, x, 26, view.width, view.height);
      x += view.width;
    });
    frames.push(c.getImageData(0, 0, width, height));
  }
  if (!last) stage.conductor.goStep(step);
  return frames;
}

/** @param {ImageData[]} frames all of one size @returns {Uint8Array} */
export function encode(frames) {
  const { width, height } = frames[0];
  const { palette, index } = paletteOf(frames);
  /** @type {number[]} */
  const out = [];
  const word = (/** @type {number} */ n) => out.push(n & 255, n >> 8);
  out.push(...new TextEncoder().encode("GIF89a"));
  word(width);
  word(height);
  out.push(0xf7, 0, 0, ...palette);
  out.push(0x21, 0xff, 11, ...new TextEncoder().encode("NETSCAPE2.0"), 3, 1, 0, 0, 0); // again and again
  for (const frame of frames) {
    out.push(0x21, 0xf9, 4, 0);
    word(HUNDREDTHS);
    out.push(0, 0, 0x2c, 0, 0, 0, 0);
    word(width);
    word(height);
    out.push(0, 8);
    const data = compress(index(frame));
    for (let at = 0; at < data.length; at += 255) {
      const part = data.subarray(at, at + 255);
      out.push(part.length);
      for (const byte of part) out.push(byte);
    }
    out.push(0);
  }
  out.push(0x3b);
  return Uint8Array.from(out);
}

/** @param {ImageData[]} frames the 256 commonest colours (five bits a channel), and how to find the nearest */
function paletteOf(frames) {
  const count = new Uint32Array(32768);
  const key = (/** @type {Uint8ClampedArray} */ d, /** @type {number} */ at) => ((d[at] >> 3) << 10) | ((d[at + 1] >> 3) << 5) | (d[at + 2] >> 3);
  for (const { data } of frames) for (let at = 0; at < data.length; at += 8) count[key(data, at)]++;
  const common = Array.from(count.keys()).filter((k) => count[k]).sort((a, b) => count[b] - count[a]).slice(0, 256);
  const full = (/** @type {number} */ five) => Math.round((five * 255) / 31);
  const colours = common.map((k) => [full(k >> 10), full((k >> 5) & 31), full(k & 31)]);
  const nearest = new Int16Array(32768).fill(-1);
  const find = (/** @type {number} */ k) => {
    const [r, g, b] = [full(k >> 10), full((k >> 5) & 31), full(k & 31)];
    let [best, least] = [0, Infinity];
    colours.forEach(([R, G, B], i) => {
      const far = (r - R) ** 2 + (g - G) ** 2 + (b - B) ** 2;
      if (far < least) [best, least] = [i, far];
    });
    return (nearest[k] = best);
  };
  const index = (/** @type {ImageData} */ { data }) => Uint8Array.from({ length: data.length / 4 }, (_, i) => {
    const k = key(data, 4 * i);
    return nearest[k] >= 0 ? nearest[k] : find(k);
  });
  return { palette: Uint8Array.from({ length: 768 }, (_, i) => colours[Math.floor(i / 3)]?.[i % 3] ?? 0), index };
}

/** @param {Uint8Array} pixels @returns {Uint8Array} LZW with codes of 9 to 12 bits, as GIF wants it */
function compress(pixels) {
  const [CLEAR, END] = [256, 257];
  const out = new Uint8Array(pixels.length * 2 + 64);
  let [at, bits, held, size, next] = [0, 0, 0, 9, 258];
  /** @type {Map<number, number>} */
  let codes = new Map();
  const emit = (/** @type {number} */ code) => {
    held |= code << bits;
    for (bits += size; bits >= 8; bits -= 8) {
      out[at++] = held & 255;
      held >>>= 8;
    }
  };
  emit(CLEAR);
  let run = pixels[0];
  for (let i = 1; i < pixels.length; i++) {
    const known = codes.get((run << 8) | pixels[i]);
    if (known !== undefined) {
      run = known;
      continue;
    }
    emit(run);
    if (next === 4096) {
      emit(CLEAR);
      codes = new Map();
      [size, next] = [9, 258];
    } else {
      if (next === 1 << size) size++;
      codes.set((run << 8) | pixels[i], next++);
    }
    run = pixels[i];
  }
  emit(run);
  emit(END);
  if (bits) out[at++] = held & 255;
  return out.subarray(0, at);
}
