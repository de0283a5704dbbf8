// Which slots share one square: a card of a few rows stays readable, however many chunks there are.

import { COMPLETE, FAULT } from "./replay.js";

/** @typedef {import("./trace.js").Trace} Trace */
/** @typedef {import("./replay.js").Replay} Replay */
/**
 * @typedef {object} Bins
 * @property {number} per slots in one square, except perhaps the last
 * @property {number} chunks of the trace: the slots after them are scratch and have squares of their own
 * @property {number} region squares for the chunks @property {number} count squares in all
 */

const FEWEST = 5; // squares left when the chunks divide evenly; with fewer, better an uneven last one

/** @param {Pick<Trace, "chunks"|"slots">} trace @param {number} most squares @returns {Bins} as few slots in a square as that allows */
export function binsOf({ chunks, slots }, most) {
  const regions = slots / chunks;
  const room = Math.max(1, Math.floor(most / regions));
  const least = Math.ceil(chunks / room);
  let per = least;
  while (chunks % per && chunks / per >= FEWEST) per++;
  if (chunks % per) per = least;
  const region = Math.ceil(chunks / per);
  return { per, chunks, region, count: region * regions };
}

/** @param {Bins} bins @param {number} slot @returns {number} its square */
export const binOf = ({ per, chunks, region }, slot) => Math.floor(slot / chunks) * region + Math.floor((slot % chunks) / per);

/** @param {Bins} bins @param {number} bin @returns {[number, number]} its first slot, and the one after its last */
export function slotsOf({ per, chunks, region }, bin) {
  const start = Math.floor(bin / region) * chunks;
  const first = (bin % region) * per;
  return [start + first, start + Math.min(chunks, first + per)];
}

/** @param {Replay} replay @param {number} v @param {Bins} bins @param {number} bin @returns {number} as Replay.level, of all slots in a square together */
export function binLevel(replay, v, bins, bin) {
  const [first, last] = slotsOf(bins, bin);
  if (last - first === 1) return replay.level(v, first);
  let [sum, complete] = [0, true];
  for (let slot = first; slot < last; slot++) {
    const level = replay.level(v, slot);
    if (level === FAULT) return FAULT;
    complete &&= level === COMPLETE;
    sum += Math.min(1, level);
  }
  return complete ? COMPLETE : Math.min(0.999, sum / (last - first));
}
