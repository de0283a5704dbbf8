// Numbers for the ranks to add up: small whole ones, gradients of a tiny model, or the reader's own.

/** @typedef {import("./trace.js").Trace} Trace */
/** @typedef {(rank: number, chunk: number) => number} Input */

export const KINDS = /** @type {const} */ ({ none: "chunk numbers", small: "small whole numbers", gradients: "gradients of a tiny model", own: "your own numbers" });

/** @type {Input} the same for everybody, different enough to be recognised in a sum */
const small = (rank, chunk) => ((rank * 5 + chunk * 3) % 9) + 1;

/**
 * The gradients of a line fit y = w . x by least squares: rank r holds four points, chunk c is the slope of weight c.
 * @param {Trace} trace @returns {Input}
 */
function gradients({ chunks }) {
  const x = (/** @type {number} */ point, /** @type {number} */ c) => Math.sin(point * 1.7 + c * 2.3);
  return (rank, chunk) => {
    let sum = 0;
    for (let point = 4 * rank; point < 4 * rank + 4; point++) {
      let y = 0;
      for (let c = 0; c < Math.min(chunks, 16); c++) y += x(point, c) * Math.cos(c); // what the weights should give; they start at 0
      sum += -2 * y * x(point, chunk);
    }
    return Math.round(sum * 10) / 40;
  };
}

/**
 * The reader's numbers: a line for each rank, a number for each chunk; missing ones are 0, a single one is for all chunks.
 * @param {string} text @returns {{input: Input|null, trouble: string}}
 */
function own(text) {
  const lines = text.split("\n").map((line) => line.trim()).filter(Boolean);
  if (!lines.length) return { input: null, trouble: "Write a line of numbers for each rank." };
  const table = lines.map((line) => line.split(/[\s,;]+/).filter(Boolean).map(Number));
  for (const [k, row] of table.entries()) {
    const bad = row.findIndex((n) => !Number.isFinite(n));
    if (bad >= 0) return { input: null, trouble: `Line ${k + 1}: number ${bad + 1} cannot be read. Use numbers such as 3 or -0.5.` };
  }
  return { input: (rank, chunk) => (table[rank]?.length === 1 ? table[rank][0] : table[rank]?.[chunk]) ?? 0, trouble: "" };
}

/**
 * @param {keyof typeof KINDS} kind @param {string} text the reader's own numbers
 * @returns {{make: ((trace: Trace) => Input)|null, trouble: string, values: string}} values: how a link says it
 */
export function numbersOf(kind, text) {
  if (kind === "none") return { make: null, trouble: "", values: "none" };
  if (kind !== "own") return { make: kind === "gradients" ? gradients : () => small, trouble: "", values: kind };
  const { input, trouble } = own(text);
  return input ? { make: () => input, trouble, values: text } : { make: null, trouble, values: "none" };
}

/** @param {string} values as a link says it @returns {[keyof typeof KINDS, string]} as numbersOf takes it */
export function numbersIn(values) {
  const kind = /** @type {Array<keyof typeof KINDS>} */ (Object.keys(KINDS)).find((one) => one === values && one !== "own");
  return kind ? [kind, ""] : ["own", values];
}

/** @param {number} value @returns {string} at most five characters where possible */
export function show(value) {
  if (Number.isInteger(value) && Math.abs(value) < 1e5) return `${value}`;
  return Math.abs(value) >= 1e5 ? value.toExponential(1) : `${Number(value.toPrecision(3))}`;
}
