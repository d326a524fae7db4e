/** The smallest things that can be trained: a model of a few thousand weights, a tokenizer of letters, a world that counts them. */
import { createModel, type Model, type ModelConfig } from 'posttrain/model';
import { chatTokens, type Tokenizer } from 'posttrain/text';
import type { Environment, StepResult, Task } from 'posttrain/envs/types';

const letters = 'abcdefg ';
export const vocabulary: readonly string[] = [...chatTokens, ...letters];

export const tinyConfig: ModelConfig = {
  modelType: 'llama',
  vocabSize: vocabulary.length,
  hiddenSize: 16,
  intermediateSize: 32,
  numHiddenLayers: 2,
  numAttentionHeads: 2,
  numKeyValueHeads: 1,
  headDim: 8,
  maxPositionEmbeddings: 64,
  ropeTheta: 10_000,
  rmsNormEps: 1e-6,
  tieWordEmbeddings: true,
};

export const tinyModel = (seed = 7): Model => createModel(tinyConfig, seed);

/** One token a letter. Other characters become spaces. */
export const letterTokenizer: Tokenizer = {
  vocabSize: vocabulary.length,
  encode: (text) =>
    Int32Array.from(text, (letter) => chatTokens.length + Math.max(0, letters.indexOf(letter))),
  decode: (ids) => Array.from(ids, (id) => vocabulary[id] ?? '').join(''),
  tokenId: (token) => {
    const id = vocabulary.indexOf(token);
    return id < 0 ? undefined : id;
  },
  toJSON: () => '{}',
};

export interface LetterTask extends Task {
  readonly request: string;
}

export const letterTask = (id: string, request: string, split = 'train'): LetterTask => ({
  id,
  request,
  split,
});

/** Single turn; the reward is computed from the reply. */
export function letterWorld(reward: (reply: string, task: LetterTask) => number): Environment<LetterTask> {
  return {
    name: 'letters',
    start: (task) => ({
      initialObservation: () => task.request,
      step: (reply): StepResult => {
        const value = reward(reply, task);
        const metrics = { success: value >= 1 ? 1 : 0, length: reply.length };
        return { reward: value, episodeDone: true, nextObservation: null, stopReason: 'completed', metrics };
      },
    }),
  };
}

/** Six letters a are worth 1; letters in the names of special tokens do not count. */
export const shareOfA = (reply: string): number => {
  const plain = reply.replaceAll(/<[^>]*>/g, '');
  return Math.min(6, [...plain].filter((letter) => letter === 'a').length) / 6;
};

/** Weights and moments by name, as plain arrays that can be compared bit for bit. */
export const bits = (state: {
  readonly weights: ReadonlyMap<string, { readonly data: Float32Array }>;
}): unknown =>
  [...state.weights].map(([name, { data }]) => [
    name,
    Array.from(new Int32Array(data.buffer, data.byteOffset, data.length)),
  ]);
