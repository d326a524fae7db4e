/** The rotary embedding on WebGPU. WGSL's own sine is too coarse (2⁻¹¹ is allowed), so a table is made here. */
import type { TensorInfo } from '@tensorflow/tfjs-core';
import { sizeOf } from '../kernel.js';
import {
  fillRotaryTable,
  type RotaryAttributes,
  rotaryTableKey,
  rotaryTableRows,
  type RotaryTheta,
} from '../rotary.js';
import { gpu, like, makeOutput, release } from './device.js';
import { launchEach, reads, readsInts, writes } from './launch.js';

/** Cosines and sines of every position, `[rows, Dh / 2]` each. */
interface RotaryTable {
  readonly cosines: TensorInfo;
  readonly sines: TensorInfo;
  readonly rows: number;
}

const tables = new WeakMap<object, Map<string, RotaryTable>>();

function makeTable(headDim: number, theta: RotaryTheta, rows: number): RotaryTable {
  const half = headDim / 2;
  const [cosines, sines] = [new Float32Array(rows * half), new Float32Array(rows * half)];
  fillRotaryTable(cosines, sines, headDim, theta);
  return { cosines: makeOutput([rows, half], cosines), sines: makeOutput([rows, half], sines), rows };
}

/** A table that holds positions up to `last`, kept for the next call. */
function tableFor(headDim: number, { theta, last }: RotaryAttributes): RotaryTable {
  const { device } = gpu();
  const known = tables.get(device) ?? new Map<string, RotaryTable>();
  tables.set(device, known);
  const key = rotaryTableKey(headDim, theta);
  const old = known.get(key);
  if (old && old.rows > last) return old;
  const table = makeTable(headDim, theta, rotaryTableRows(last));
  known.set(key, table);
  if (old) release(old.cosines, old.sines);
  return table;
}

/** @param direction 1 turns, -1 turns back, which is the gradient */
export function rotate(
  x: TensorInfo,
  positions: TensorInfo,
  attributes: RotaryAttributes,
  direction: 1 | -1,
): TensorInfo {
  if (attributes.last < 0)
    throw new Error('rotary: positions were computed on the GPU; make them from numbers');
  const [, , heads, headDim] = x.shape as [number, number, number, number];
  const { cosines, sines } = tableFor(headDim, attributes);
  const turned = like(x);
  launchEach(
    'Rotary',
    `
    let pair = i % size.pairs;
    let vector = i / size.pairs;
    let entry = u32(positions[vector / size.heads]) * size.pairs + pair;
    let first = vector * 2u * size.pairs + pair;
    let second = first + size.pairs;
    let cosine = cosines[entry];
    let sine = sines[entry] * size.direction;
    turned[first] = x[first] * cosine - x[second] * sine;
    turned[second] = x[second] * cosine + x[first] * sine;`,
    sizeOf(x) / 2,
    {
      x: reads(x),
      positions: readsInts(positions),
      cosines: reads(cosines),
      sines: reads(sines),
      turned: writes(turned),
    },
    { counts: { pairs: headDim / 2, heads }, floats: { direction } },
  );
  return turned;
}
