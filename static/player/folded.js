// The columns of a schedule, from the differences that core/figures/folded.py left of them.

/** @typedef {import("./trace.js").Columns} Columns */
/**
 * @typedef {object} Folded
 * @property {Columns} size how many transfers each step has
 * @property {Uint8Array} again bit k: in this step, column k differs from the step before as that one did from its own
 */
/**
 * The columns; step s owns transfers step_ptr[s] .. step_ptr[s+1]-1. `start` and `took` are in ticks.
 * @typedef {object} Unfolded
 * @property {Uint32Array} step_ptr @property {Columns} src @property {Columns} dst @property {Columns} chunk @property {Columns} [into]
 * @property {Columns} [count] @property {Uint8Array} op @property {Columns} [start] @property {Columns} [took]
 */

/**
 * @param {Object<string, number>} modulus of each column, in the order of the bits
 * @param {Folded} kept it also holds what is left of each column, by name
 * @returns {Unfolded}
 */
export function unfold(modulus, kept) {
  const step_ptr = new Uint32Array(kept.size.length + 1);
  kept.size.forEach((many, s) => { step_ptr[s + 1] = step_ptr[s] + many; });
  const left = /** @type {Record<string, Columns>} */ (/** @type {unknown} */ (kept));
  const columns = Object.entries(modulus).map(([name, top], bit) => [name, column(left[name], top, bit, step_ptr, kept.again)]);
  return /** @type {Unfolded} */ ({ ...Object.fromEntries(columns), step_ptr });
}

/** @param {Columns} kept @param {number} top all numbers are below it @param {number} bit @param {Uint32Array} stepPtr @param {Uint8Array} again */
function column(kept, top, bit, stepPtr, again) {
  const Kind = /** @type {Uint32ArrayConstructor} */ (kept.constructor);
  const numbers = new Kind(stepPtr[again.length]);
  let change = new Uint32Array(64); // from the step before to this one
  let [still, at] = [true, 0];
  for (let s = 0; s < again.length; s++) {
    const [first, last] = [stepPtr[s], stepPtr[s + 1]];
    const many = last - first;
    const follows = s > 0 && first - stepPtr[s - 1] === many;
    if (!((again[s] >> bit) & 1)) {
      if (change.length < many) change = new Uint32Array(2 * many);
      still = true;
      for (let k = 0, sum = 0; k < many; k++) {
        sum += kept[at++];
        if (sum >= top) sum -= top;
        change[k] = sum;
        if (sum) still = false;
      }
    }
    if (follows && still) numbers.copyWithin(first, first - many, first);
    else if (!follows) numbers.set(change.subarray(0, many), first);
    else {
      for (let i = first, k = 0; i < last; i++, k++) {
        const sum = numbers[i - many] + change[k];
        numbers[i] = sum < top ? sum : sum - top;
      }
    }
  }
  return numbers;
}

/**
 * Seconds, from ticks that are counted from the first start in each step.
 * @param {number} tick seconds @param {Float32Array} later each step than the one before, in seconds @param {Columns} stepPtr @param {Columns} after @param {Columns} took
 * @returns {{start: Float32Array, end: Float32Array}}
 */
export function inSeconds(tick, later, stepPtr, after, took) {
  const [start, end] = [new Float32Array(after.length), new Float32Array(after.length)];
  let begun = 0;
  later.forEach((seconds, s) => {
    begun += seconds;
    for (let i = stepPtr[s]; i < stepPtr[s + 1]; i++) {
      start[i] = begun + tick * after[i];
      end[i] = begun + tick * (after[i] + took[i]);
    }
  });
  return { start, end };
}
