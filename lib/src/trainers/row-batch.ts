/** Texts as the engine trains on them, every token of the batch weighing the same. */
import type { Datum, ForwardBackwardResult } from '../engine/types.js';
import { tokenWeights } from '../losses/index.js';
import { streamMean, type Values } from './metrics.js';

/** One datum for each text. */
export function meanOverTokens(
  texts: readonly { readonly tokens: Int32Array; readonly mask: Uint8Array }[],
): Datum[] {
  const masks = texts.map(({ mask }) => mask);
  const weights = tokenWeights(masks, 'dapo', 0);
  return texts.map(({ tokens }, index) => ({ tokens, weights: weights[index] as Float32Array }));
}

/** How likely the policy was to write the texts itself. */
export function imitationMetrics(data: readonly Datum[], { hits, entropies }: ForwardBackwardResult): Values {
  const weights = data.map((datum) => datum.weights);
  return {
    mean_token_accuracy: streamMean(weights, hits),
    entropy: streamMean(weights, entropies),
  };
}
