import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { requireIndices, requireShape } from './checks.js';
import { fusedOr } from './dispatch.js';

/**
 * Rows of a table by id; the gradient adds each output row's gradient to the row it came from.
 * @param table `[V, D]`
 * @param ids `[...]` int32 in [0, V); anything else throws
 * @returns `[..., D]`
 */
export function embedding(table: Tensor, ids: Tensor): Tensor {
  requireShape('table', table, [null, null]);
  requireIndices('ids', ids, table.shape[0] as number);
  return fusedOr('Embedding', { table, ids }, {}, () => composedEmbedding(table, ids));
}

export function composedEmbedding(table: Tensor, ids: Tensor): Tensor {
  return tf.gather(table, ids as tf.Tensor1D);
}
