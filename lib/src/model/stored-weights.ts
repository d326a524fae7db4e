/** Weights on their way between a model and a safetensors file. */
import type { Variable } from '@tensorflow/tfjs-core';
import type { NamedTensor } from './safetensors.js';

/** What a model or an adapter consists of, and what its files are called. */
export interface StoredLayout {
  readonly shapes: ReadonlyMap<string, readonly number[]>;
  readonly config: string;
  readonly weights: string;
}

/** The values of weights by name. Throws when one is not finite. */
export async function storedWeights(
  weights: ReadonlyMap<string, Variable>,
): Promise<Map<string, NamedTensor>> {
  const tensors = new Map<string, NamedTensor>();
  for (const [name, variable] of weights)
    tensors.set(name, { shape: variable.shape, data: finite(name, await variable.data<'float32'>()) });
  return tensors;
}

/** Throws when a weight is missing, unknown, of another shape or not finite. */
export function checkStored(
  tensors: ReadonlyMap<string, NamedTensor>,
  { shapes, config, weights }: StoredLayout,
): void {
  for (const [name, shape] of shapes) {
    const found = tensors.get(name);
    if (!found) throw new Error(`${weights} lacks ${name}; its ${config} asks for it.`);
    if (found.shape.join() !== shape.join())
      throw new Error(
        `${name} is [${found.shape.join(', ')}]; its ${config} asks for [${shape.join(', ')}].`,
      );
    finite(name, found.data);
  }
  const unknown = [...tensors.keys()].find((name) => !shapes.has(name));
  if (unknown !== undefined)
    throw new Error(`${weights} has ${unknown}, which a model of this ${config} does not use.`);
}

function finite(name: string, data: Float32Array): Float32Array {
  const bad = data.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0)
    throw new Error(`${name} holds ${data[bad]} at position ${bad}; go back to an earlier checkpoint.`);
  return data;
}
