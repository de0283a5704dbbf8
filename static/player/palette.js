// Colours: the tokens come from core/figures/theme.py; here they meet the page's own theme.

/**
 * Colours by what they mean.
 * @typedef {"background"|"surface"|"ink"|"muted"|"line"|"faint"|"reduce"|"copy"|"done"|"fault"|"switch"} Role
 * @typedef {"reduce_text"|"copy_text"|"done_text"|"fault_text"|"switch_text"|"on_packet"|"empty"} RoleOfWords
 * @typedef {Record<Role|RoleOfWords, string> & {amount: string[]}} Tokens
 * @typedef {{light: Tokens, dark: Tokens}} Themes
 * @typedef {Tokens & {dark: boolean, font: string}} Theme those of the page as it is now
 */

const FEW = 16; // with more ranks the first contributions get more of the scale: it goes by the square root
const STOPS = 13;

/**
 * Which tokens fit the page, by how bright its background is; they are also put on the host as --arl-NAME.
 * @param {HTMLElement} host @param {Themes} themes @param {number} [ranks] how many contributions the amounts go up to
 * @returns {Theme}
 */
export function themeOf(host, themes, ranks = 2) {
  const style = getComputedStyle(host);
  const background = style.getPropertyValue("--st-background-color").trim() || "#ffffff";
  const dark = luminance(background) < 0.2;
  const tokens = { ...(dark ? themes.dark : themes.light) };
  const read = { background, surface: "--st-secondary-background-color", ink: "--st-text-color" };
  tokens.background = background;
  for (const name of /** @type {const} */ (["surface", "ink"])) tokens[name] = style.getPropertyValue(read[name]).trim() || tokens[name];
  for (const [name, colour] of Object.entries(tokens)) if (typeof colour === "string") host.style.setProperty(`--arl-${name.replace("_", "-")}`, colour);
  const amount = ranks > FEW ? Array.from({ length: STOPS }, (_, k) => mix(tokens.amount, Math.sqrt(k / (STOPS - 1)))) : tokens.amount;
  return { ...tokens, amount, dark, font: style.getPropertyValue("--st-font").trim() || "sans-serif" };
}

/** @param {string} colour #rgb, #rrggbb or rgb(...) @returns {[number, number, number]} 0 .. 255 */
function channels(colour) {
  if (colour.startsWith("#")) {
    const digits = colour.length < 6 ? [...colour.slice(1, 4)].map((d) => d + d) : colour.slice(1, 7).match(/../g) ?? [];
    return /** @type {[number, number, number]} */ (digits.map((d) => parseInt(d, 16)));
  }
  return /** @type {[number, number, number]} */ ((colour.match(/[\d.]+/g) ?? [255, 255, 255]).slice(0, 3).map(Number));
}

/** @param {string} colour @returns {number} relative luminance, 0 black to 1 white */
export function luminance(colour) {
  const [r, g, b] = channels(colour).map((v) => (v <= 10 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** @param {number} lightness @param {number} chroma @param {number} hue degrees @returns {string} #rrggbb (Ottosson's OKLCH) */
function oklch(lightness, chroma, hue) {
  const [a, b] = [chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180)];
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const encode = (/** @type {number} */ v) => (v <= 0.0031308 ? 12.92 * Math.max(v, 0) : 1.055 * Math.min(v, 1) ** (1 / 2.4) - 0.055);
  return "#" + [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ].map((v) => Math.round(255 * encode(v)).toString(16).padStart(2, "0")).join("");
}

/** @param {number} rank @param {number} ranks @param {boolean} dark @returns {string} the hue of one contributor */
export const contributor = (rank, ranks, dark) => oklch(dark ? 0.74 : 0.62, 0.14, (25 + (360 * rank) / ranks) % 360);

/**
 * Plotly's colour scale for Replay.level(): 0 empty, amounts up to 1, then COMPLETE and FAULT as hard jumps.
 * @param {Tokens} tokens @returns {Array<[number, string]>}
 */
export function levelScale(tokens) {
  const top = 1.5;
  const last = tokens.amount.length - 1;
  const amount = tokens.amount.map((colour, k) => /** @type {[number, string]} */ ([(0.0005 + (k / last) * 1.05) / top, colour]));
  return [[0, tokens.empty], [0.0004 / top, tokens.empty], ...amount, [1.06 / top, tokens.done], [1.35 / top, tokens.done], [1.36 / top, tokens.fault], [1, tokens.fault]];
}

/** @param {number} level @param {Tokens} tokens @returns {string} the same colours one by one, for the canvas */
export function levelColour(level, tokens) {
  if (level <= 0) return tokens.empty;
  if (level > 1.35) return tokens.fault;
  if (level > 1) return tokens.done;
  return mix(tokens.amount, level);
}

/** @param {string[]} colours evenly spaced from 0 to 1 @param {number} part @returns {string} the colour between them */
function mix(colours, part) {
  const at = part * (colours.length - 1);
  const k = Math.min(colours.length - 2, Math.floor(at));
  const [from, to] = [channels(colours[k]), channels(colours[k + 1])];
  return `rgb(${from.map((v, i) => Math.round(v + (to[i] - v) * (at - k))).join(",")})`;
}
