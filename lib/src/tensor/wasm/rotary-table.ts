/** Cosines and sines of every position, computed once for each head size and base. */
import { fillRotaryTable, rotaryTableKey, rotaryTableRows, type RotaryTheta } from '../rotary.js';
import { allocate, floatsAt, release } from './heap.js';
import type { Address } from './exports.js';

/** Two tables of `[rows, Dh / 2]`, one behind the other. */
interface RotaryTable {
  readonly cosines: Address;
  readonly sines: Address;
  readonly rows: number;
}

const tables = new Map<string, RotaryTable>();

function fillTable(headDim: number, theta: RotaryTheta, rows: number): RotaryTable {
  const half = headDim / 2;
  const cosines = allocate(2 * rows * half * 4);
  const sines = cosines + rows * half * 4;
  fillRotaryTable(floatsAt(cosines, rows * half), floatsAt(sines, rows * half), headDim, theta);
  return { cosines, sines, rows };
}

/** A table that holds positions up to `position`. */
export function rotaryTable(headDim: number, theta: RotaryTheta, position: number): RotaryTable {
  const key = rotaryTableKey(headDim, theta);
  const known = tables.get(key);
  if (known && known.rows > position) return known;
  const table = fillTable(headDim, theta, rotaryTableRows(position));
  tables.set(key, table);
  if (known) release(known.cosines);
  return table;
}
