// Floating-point operations of a decoder, a multiply-add counting two. Only matrix products and attention are counted: norms,
// activations and rotations are below two in a hundred of it.

/** Numbers in the matrices that every token passes, without the output projection. */
function layerWeights({ hiddenSize, intermediateSize, numHiddenLayers, headDim, ...heads }) {
  const attention = 2 * (heads.numAttentionHeads + heads.numKeyValueHeads) * headDim * hiddenSize;
  return numHiddenLayers * (attention + 3 * hiddenSize * intermediateSize);
}

/** One product over all pairs of a position and one that it sees; attention has two forward and five backward. */
function attentionProduct({ numHiddenLayers, numAttentionHeads, headDim }, sequences, from, to) {
  const pairs = (sequences * (to * (to + 1) - from * (from + 1))) / 2;
  return 2 * numHiddenLayers * numAttentionHeads * headDim * pairs;
}

const outputWeights = ({ vocabSize, hiddenSize }) => vocabSize * hiddenSize;

/**
 * Forward and backward of `sequences` × `length` positions, of which `predicting` in all meet the vocabulary. `distinct` of them are
 * no repetition of a beginning that another sequence has too: all that the matrices need to see.
 */
export function trainingFlops(
  config,
  sequences,
  length,
  { predicting = sequences * length, distinct = sequences * length } = {},
) {
  const products = layerWeights(config) * distinct + outputWeights(config) * predicting;
  return 6 * products + (2 + 5) * attentionProduct(config, sequences, 0, length);
}

/** Reading `distinct` prompts once and adding `newTokens` to each of `sequences` with a key-value cache. */
export function samplingFlops(config, { sequences, distinct = sequences, promptLength, newTokens }) {
  const read = layerWeights(config) * distinct * promptLength;
  // The last token is sampled and never read.
  const added =
    layerWeights(config) * sequences * (newTokens - 1) + outputWeights(config) * sequences * newTokens;
  const attention =
    attentionProduct(config, distinct, 0, promptLength) +
    attentionProduct(config, sequences, promptLength, promptLength + newTokens - 1);
  return 2 * (read + added) + 2 * attention;
}
