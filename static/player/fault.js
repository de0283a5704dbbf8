// What the proof found wrong, as the header tells it.

/**
 * One transfer to blame (number `transfer`) or one that is missing (null).
 * @typedef {{transfer: number|null, step: number, src: number, dst: number, strong: boolean}} Mark
 */
/** @typedef {{step: number|null, sentence: string, marks: Mark[], cells: Array<[number, number, number]>}} Fault cells: vertex, slot, step */

/** @typedef {{step: number|null, sentence: string, faults: number, transfers: number[], hops: number[][], cells: Fault["cells"]}} Told */

/**
 * @param {Told|undefined} told
 * @param {Pick<import("./trace.js").Trace, "stepPtr"|"src"|"dst">} trace @returns {Fault|null}
 */
export function faultOf(told, trace) {
  if (!told) return null;
  const blamed = told.transfers.map((i) => ({ transfer: i, step: trace.stepPtr.findIndex((first) => first > i) - 1, src: trace.src[i], dst: trace.dst[i] }));
  const missing = told.hops.map(([step, src, dst]) => ({ transfer: null, step, src, dst }));
  // any one of them would do, the first most likely, unless the proof knows that there are several mistakes
  const marks = [...blamed, ...missing].map((mark, k) => ({ ...mark, strong: k === 0 || told.faults > 1 }));
  return { step: told.step, sentence: told.sentence, marks, cells: told.cells };
}
