/** Our own sizes, from scratch. */
import type { ModelConfig } from './types.js';

const shared = {
  modelType: 'llama',
  headDim: 32,
  maxPositionEmbeddings: 1024,
  ropeTheta: 10_000,
  rmsNormEps: 1e-5,
  tieWordEmbeddings: true,
  padTokenId: 0,
  eosTokenId: 1,
} as const;

/** About 1 M parameters with 2,048 tokens: trains in minutes on a laptop's CPU. */
export function nano(vocabSize: number): ModelConfig {
  return {
    ...shared,
    vocabSize,
    hiddenSize: 128,
    intermediateSize: 320,
    numHiddenLayers: 4,
    numAttentionHeads: 4,
    numKeyValueHeads: 4,
  };
}

/** About 10 M parameters with 4,096 tokens: for a GPU, or a patient CPU. */
export function small(vocabSize: number): ModelConfig {
  return {
    ...shared,
    vocabSize,
    hiddenSize: 320,
    intermediateSize: 832,
    numHiddenLayers: 8,
    numAttentionHeads: 10,
    numKeyValueHeads: 5,
  };
}

export const presets: {
  readonly nano: (vocabSize: number) => ModelConfig;
  readonly small: (vocabSize: number) => ModelConfig;
} = { nano, small };
