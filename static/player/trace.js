// What the server sends, turned into typed arrays that every other module reads.

import { faultOf } from "./fault.js";
import { linksOf } from "./links.js";
import { inSeconds, unfold } from "./folded.js";

/**
 * A trace: a schedule and when its transfers happen. Entry i of each column is transfer i.
 * A vertex is a rank (0 .. ranks-1) or a switch (numbered after them); a slot is a chunk or, from `chunks` on, scratch.
 * @typedef {object} Trace
 * @property {string} id names this content
 * @property {string} name @property {string} title @property {string} collective @property {string} origin
 * @property {string} source the algorithm's text
 * @property {number} ranks @property {number} vertices @property {number} chunks @property {number} slots
 * @property {number} steps @property {number} nbytes
 * @property {Array<[string, number, number]>} phases name, first step, last step + 1
 * @property {Columns} stepPtr step s owns transfers stepPtr[s] .. stepPtr[s+1]-1
 * @property {Columns} src @property {Columns} dst @property {Columns} chunk @property {Columns} into
 * @property {Columns|null} count null: one chunk each
 * @property {Uint8Array} op ADD or COPY
 * @property {Float32Array|null} start seconds, one per transfer; null when steps are uniform
 * @property {Float32Array|null} end
 * @property {Float64Array} stepStart seconds, first start in each step @property {Float64Array} stepEnd last end
 * @property {Uint8Array} own 1 where a rank starts with its input, [ranks * chunks]
 * @property {Uint8Array} needs 1 where a rank must end complete
 * @property {Uint32Array} total contributions that make each chunk complete, [chunks]
 * @property {Columns|null} group the node or row of each rank
 * @property {Int32Array|number[]|null} lines the line of `source` that makes each step
 * @property {boolean} linked is the step kept in the page's address?
 * @property {boolean} lockstep does everybody wait for the slowest of a step?
 * @property {number} grid columns, if the ranks talk as in a grid; else 0
 * @property {string} groupName what such a group is called
 * @property {Columns|null} pod what several groups stand in together, for each rank @property {string} podName what that is called
 * @property {import("./links.js").Links|null} links the network that was chosen
 * @property {import("./fault.js").Fault|null} fault what the proof found wrong
 * @property {Trace|null} ghost another trace, to be shown beside this one
 */
/** @typedef {Uint8Array|Uint16Array|Uint32Array} Columns */
/**
 * What the header says of a trace for the player, as core/figures/player.py writes it.
 * @typedef {object} Header
 * @property {string} kind @property {string} name @property {string} title @property {string} collective @property {string} origin
 * @property {string} source @property {string} group_name @property {string} [pod_name] @property {{network: string, classes: string[], longest: number}} [links]
 * @property {number} world_size @property {number} num_vertices @property {number} num_chunks @property {number} num_buffers
 * @property {number} nbytes @property {number} grid @property {boolean} lockstep @property {boolean} linked
 * @property {Object<string, number>} modulus @property {number} tick see folded.js @property {Trace["phases"]} phases @property {import("./fault.js").Told} [fault]
 * @property {Array<[string, keyof typeof TYPES, number, number]>} arrays name, type, first byte, entries
 */
/**
 * The arrays of such a trace, where step_ptr and the columns are not yet unfolded; which are optional, says core/figures/player.py.
 * @typedef {object} Arrays
 * @property {Columns} step_ptr @property {Columns} src @property {Columns} dst @property {Columns} chunk @property {Columns} [into]
 * @property {Columns} [count] @property {Uint8Array} op @property {Float32Array} [start] @property {Float32Array} [end]
 * @property {Float32Array} [gap] @property {Float32Array} [length] @property {Uint8Array} [own] @property {Uint8Array} [needs]
 * @property {Columns} size @property {Uint8Array} again @property {Float32Array} [later] @property {Columns} [group] @property {Columns} [pod]
 * @property {Columns} [pair] @property {Columns} [pair_class] @property {Columns} [ways] @property {Float32Array} [capacity] @property {Int32Array} [line] @property {Uint8Array} [ghost]
 */

export const COPY = 0;
export const ADD = 1;

const TYPES = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, i4: Int32Array, f4: Float32Array, f8: Float64Array };

/**
 * The header and arrays of a container: gzip( "ARL1" | u32 length | JSON | arrays ), as core/container.py writes it.
 * @param {Uint8Array} bytes
 * @returns {Promise<{header: Header, arrays: Arrays}>}
 */
export async function unpack(bytes) {
  const stream = new Blob([/** @type {BlobPart} */ (bytes)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const raw = await new Response(stream).arrayBuffer();
  const text = new TextDecoder();
  if (text.decode(new Uint8Array(raw, 0, 4)) !== "ARL1") throw new Error("these bytes are not a trace");
  const length = new DataView(raw).getUint32(4, true);
  const header = /** @type {Header} */ (JSON.parse(text.decode(new Uint8Array(raw, 8, length))));
  const arrays = header.arrays.map(([name, type, place, size]) => [name, new TYPES[type](raw, 8 + length + place, size)]);
  return { header, arrays: /** @type {Arrays} */ (Object.fromEntries(arrays)) };
}

/** @param {Uint8Array} bytes the gzip trailer: checksum and length @returns {string} */
export function identityOf(bytes) {
  return Array.from(bytes.subarray(-8), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {Uint8Array} bytes @returns {Promise<Trace>} */
export async function readTrace(bytes) {
  const { header, arrays: kept } = await unpack(bytes);
  if (header.kind !== "player") throw new Error(`these bytes hold a ${header.kind}, not a trace for the player`);
  const { start: after, took, ...columns } = unfold(header.modulus, kept);
  const times = kept.later && after && took ? inSeconds(header.tick, kept.later, columns.step_ptr, after, took) : {};
  const arrays = { ...kept, ...columns, ...times };
  const cells = header.world_size * header.num_chunks;
  const own = arrays.own ? bits(arrays.own, cells) : new Uint8Array(cells).fill(1);
  const trace = {
    id: identityOf(bytes), name: header.name, title: header.title, collective: header.collective,
    origin: header.origin, source: header.source, nbytes: header.nbytes,
    ranks: header.world_size, vertices: header.num_vertices, chunks: header.num_chunks,
    slots: header.num_chunks * header.num_buffers, steps: arrays.step_ptr.length - 1, phases: header.phases,
    stepPtr: arrays.step_ptr, src: arrays.src, dst: arrays.dst, chunk: arrays.chunk,
    into: arrays.into ?? arrays.chunk, count: arrays.count ?? null, op: arrays.op,
    start: arrays.start ?? null, end: arrays.end ?? null, ...stepTimes(arrays),
    own, needs: arrays.needs ? bits(arrays.needs, cells) : new Uint8Array(cells).fill(1),
    total: totals(own, header.world_size, header.num_chunks), group: arrays.group ?? null, groupName: header.group_name,
    pod: arrays.pod ?? null, podName: header.pod_name ?? "", links: linksOf(header, arrays), grid: header.grid, lockstep: header.lockstep, lines: arrays.line ?? null, linked: header.linked,
    fault: faultOf(header.fault, { stepPtr: arrays.step_ptr, src: arrays.src, dst: arrays.dst }),
    ghost: arrays.ghost ? await readTrace(arrays.ghost) : null,
  };
  return trace;
}

/** @param {Uint8Array} packed @param {number} length */
function bits(packed, length) {
  return Uint8Array.from({ length }, (_, i) => (packed[i >> 3] >> (i & 7)) & 1);
}

/** @param {Uint8Array} own @param {number} ranks @param {number} chunks */
function totals(own, ranks, chunks) {
  const total = new Uint32Array(chunks);
  for (let r = 0; r < ranks; r++) for (let c = 0; c < chunks; c++) total[c] += own[r * chunks + c];
  return total;
}

/** @param {Arrays} arrays @returns {{stepStart: Float64Array, stepEnd: Float64Array}} */
function stepTimes({ step_ptr, gap, length, start, end }) {
  const steps = step_ptr.length - 1;
  const stepStart = new Float64Array(steps);
  const stepEnd = new Float64Array(steps);
  let now = 0;
  for (let s = 0; s < steps; s++) {
    if (gap && length) {
      stepStart[s] = now + gap[s];
      stepEnd[s] = now = stepStart[s] + length[s];
      continue;
    }
    stepStart[s] = stepEnd[s] = now;
    for (let i = step_ptr[s]; start && end && i < step_ptr[s + 1]; i++) {
      stepStart[s] = i === step_ptr[s] ? start[i] : Math.min(stepStart[s], start[i]);
      stepEnd[s] = Math.max(stepEnd[s], end[i]);
    }
    now = stepEnd[s];
  }
  return { stepStart, stepEnd };
}

/** @param {Trace} trace @param {number} i @returns {number} how many chunks transfer i carries */
export const countOf = (trace, i) => (trace.count ? trace.count[i] : 1);

/** @param {Trace} trace @returns {number} how many chunks all transfers carry together */
export function movesOf(trace) {
  if (!trace.count) return trace.src.length;
  let sum = 0;
  for (const n of trace.count) sum += n;
  return sum;
}

/** @param {Trace} trace @param {number} i @param {number} s its step @returns {[number, number]} seconds */
export const timesOf = (trace, i, s) =>
  trace.start && trace.end ? [trace.start[i], trace.end[i]] : [trace.stepStart[s], trace.stepEnd[s]];

/** @param {Trace} trace @param {number} s @returns {string} */
export const phaseOf = (trace, s) => trace.phases.find(([, first, last]) => s >= first && s < last)?.[0] ?? "";

/** @param {Trace} trace @param {number} v @returns {string} */
export const vertexName = (trace, v) => (v < trace.ranks ? `rank ${v}` : `switch ${v - trace.ranks}`);

/** @param {Trace} trace @returns {number} seconds from the first start to the last end */
export const seconds = (trace) => trace.stepEnd.reduce((most, end) => Math.max(most, end), 0);
