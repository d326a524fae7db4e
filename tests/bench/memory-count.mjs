// What a training step must hold, counted by hand in bytes: every term a buffer that someone who wrote the step in C would have.
import { parameterCount } from '../../lib/dist/model/index.js';

const FLOAT = 4;

/** Numbers that a layer keeps for its backward pass, a token. */
function keptByLayer({ hiddenSize, intermediateSize, numAttentionHeads, numKeyValueHeads, headDim }) {
  const input = hiddenSize;
  const normedInput = hiddenSize;
  const query = numAttentionHeads * headDim;
  const keyAndValue = 2 * numKeyValueHeads * headDim;
  const logSumExp = numAttentionHeads;
  const attended = numAttentionHeads * headDim;
  const afterAttention = hiddenSize;
  const normedAfterAttention = hiddenSize;
  const gateAndUp = 2 * intermediateSize;
  const activated = intermediateSize;
  return (
    input +
    normedInput +
    query +
    keyAndValue +
    logSumExp +
    attended +
    afterAttention +
    normedAfterAttention +
    gateAndUp +
    activated
  );
}

/**
 * @param positions that go through the layers at once
 * @param predicting positions of them that meet the vocabulary
 */
export function bytesByHand(config, positions, predicting = positions) {
  const { numHiddenLayers, hiddenSize, vocabSize } = config;
  const parameters = parameterCount(config);
  const layers = numHiddenLayers * keptByLayer(config) * positions;
  const lastHidden = hiddenSize * positions;
  const lastNormed = hiddenSize * predicting;
  const logits = vocabSize * predicting;
  return {
    weights: FLOAT * parameters,
    gradients: FLOAT * parameters,
    optimizer: FLOAT * 2 * parameters,
    activations: FLOAT * (layers + lastHidden + lastNormed + logits),
  };
}
