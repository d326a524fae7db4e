import * as tf from '@tensorflow/tfjs-core';
import type { Variable } from '@tensorflow/tfjs-core';
import type { NamedArray } from './types.js';

/** Copies of all values, as they are now. */
export async function snapshotVariables(
  variables: ReadonlyMap<string, Variable>,
): Promise<Map<string, NamedArray>> {
  const copies = new Map<string, NamedArray>();
  for (const [name, variable] of variables) {
    copies.set(name, { shape: variable.shape.slice(), data: Float32Array.from(await variable.data()) });
  }
  return copies;
}

/** Throws when a saved name or shape is missing, unknown or different. */
export function requireFit(
  variables: ReadonlyMap<string, Variable>,
  saved: ReadonlyMap<string, NamedArray>,
): void {
  const unknown = [...saved.keys()].find((name) => !variables.has(name));
  if (unknown !== undefined) {
    throw new Error(
      `The checkpoint holds \`${unknown}\`, which is not trained here. Was it saved from a model with the same adapter, or without one?`,
    );
  }
  for (const [name, variable] of variables) {
    const shape = saved.get(name)?.shape.join(' × ');
    const expected = variable.shape.join(' × ');
    if (shape === expected) continue;
    throw new Error(
      `The checkpoint does not fit this model: \`${name}\` is ${shape ?? 'missing'}, expected ${expected}. Was it saved from a model of the same config?`,
    );
  }
}

/** Writes saved values, which must fit, into their variables. */
export function restoreVariables(
  variables: ReadonlyMap<string, Variable>,
  saved: ReadonlyMap<string, NamedArray>,
): void {
  for (const [name, variable] of variables) {
    const { data, shape } = saved.get(name) as NamedArray;
    const value = tf.tensor(Float32Array.from(data), shape as number[], 'float32');
    variable.assign(value);
    value.dispose();
  }
}
