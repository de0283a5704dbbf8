// A GIF file, picture by picture: 256 colours for all, only what changed, compressed as GIF89a prescribes.

const SHADES = 32768; // colours of five bits a channel
const key = (/** @type {Uint8ClampedArray} */ d, /** @type {number} */ at) => ((d[at] >> 3) << 10) | ((d[at + 1] >> 3) << 5) | (d[at + 2] >> 3);
const full = (/** @type {number} */ five) => Math.round((five * 255) / 31);

/** The 256 commonest colours of the pictures seen, and which of them is nearest to any other. */
export class Palette {
  constructor() {
    this.count = new Uint32Array(SHADES);
    this.sum = new Float64Array(3 * SHADES); // of the true colours, so that the commonest come out as they are
    this.nearest = new Int16Array(SHADES).fill(-1);
    /** @type {number[][]} */
    this.colours = [];
  }

  /** @param {ImageData} picture */
  see({ data }) {
    for (let at = 0; at < data.length; at += 4) {
      const k = key(data, at);
      this.count[k]++;
      for (let channel = 0; channel < 3; channel++) this.sum[3 * k + channel] += data[at + channel];
    }
  }

  settle() {
    const common = Array.from(this.count.keys()).filter((k) => this.count[k]).sort((a, b) => this.count[b] - this.count[a]).slice(0, 256);
    this.colours = common.map((k) => [0, 1, 2].map((channel) => Math.round(this.sum[3 * k + channel] / this.count[k])));
  }

  /** @returns {Uint8Array} red, green, blue of 256 colours */
  bytes() {
    return Uint8Array.from({ length: 768 }, (_, i) => this.colours[Math.floor(i / 3)]?.[i % 3] ?? 0);
  }

  /** @param {ImageData} picture @returns {Uint8Array} the colour of every pixel, by number */
  index({ data }) {
    const found = new Uint8Array(data.length / 4);
    for (let i = 0; i < found.length; i++) {
      const k = key(data, 4 * i);
      found[i] = this.nearest[k] >= 0 ? this.nearest[k] : this.find(k);
    }
    return found;
  }

  /** @param {number} k @returns {number} */
  find(k) {
    const [r, g, b] = [full(k >> 10), full((k >> 5) & 31), full(k & 31)];
    let [best, least] = [0, Infinity];
    this.colours.forEach(([R, G, B], i) => {
      const far = (r - R) ** 2 + (g - G) ** 2 + (b - B) ** 2;
      if (far < least) [best, least] = [i, far];
    });
    return (this.nearest[k] = best);
  }
}

export class Writer {
  /** @param {Palette} palette settled */
  constructor(palette) {
    this.palette = palette;
    /** @type {Uint8Array[]} */
    this.parts = [];
    /** @type {Uint8Array|null} */
    this.before = null;
  }

  /** @param {ImageData} picture all of one size @param {number} seconds how long it is seen */
  add(picture, seconds) {
    const { width, height } = picture;
    if (!this.before) {
      this.parts.push(new TextEncoder().encode("GIF89a"), Uint8Array.of(...word(width), ...word(height), 0xf7, 0, 0), this.palette.bytes());
      this.parts.push(Uint8Array.of(0x21, 0xff, 11), new TextEncoder().encode("NETSCAPE2.0"), Uint8Array.of(3, 1, 0, 0, 0)); // again and again
    }
    const pixels = this.palette.index(picture);
    const [x0, y0, x1, y1] = this.before ? changed(this.before, pixels, width) : [0, 0, width, height];
    this.before = pixels;
    const inside = new Uint8Array((x1 - x0) * (y1 - y0));
    for (let y = y0; y < y1; y++) inside.set(pixels.subarray(y * width + x0, y * width + x1), (y - y0) * (x1 - x0));
    this.parts.push(Uint8Array.of(0x21, 0xf9, 4, 4, ...word(Math.round(100 * seconds)), 0, 0)); // 4: leave it there for the next
    this.parts.push(Uint8Array.of(0x2c, ...word(x0), ...word(y0), ...word(x1 - x0), ...word(y1 - y0), 0, 8));
    const data = compress(inside);
    for (let at = 0; at < data.length; at += 255) this.parts.push(Uint8Array.of(Math.min(255, data.length - at)), data.subarray(at, at + 255));
    this.parts.push(Uint8Array.of(0));
  }

  /** @returns {Blob} the file */
  blob() {
    return new Blob([.../** @type {BlobPart[]} */ (this.parts), Uint8Array.of(0x3b)], { type: "image/gif" });
  }
}

/** @param {number} n @returns {[number, number]} low byte first */
const word = (n) => [n & 255, n >> 8];

/** @param {Uint8Array} before @param {Uint8Array} now @param {number} width @returns {[number, number, number, number]} the rectangle that changed, one pixel if nothing did */
function changed(before, now, width) {
  let [x0, y0, x1, y1] = [width, -1, 0, 0];
  for (let i = 0; i < now.length; i++) {
    if (now[i] === before[i]) continue;
    const [x, y] = [i % width, Math.floor(i / width)];
    if (y0 < 0) y0 = y;
    [x0, x1, y1] = [Math.min(x0, x), Math.max(x1, x + 1), y + 1];
  }
  return y0 < 0 ? [0, 0, 1, 1] : [x0, y0, x1, y1];
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
