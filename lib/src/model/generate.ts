/** Sampling from a model: prompts are read once, then every step adds one token to each sequence. */
import { getBackend, type Tensor } from '@tensorflow/tfjs-core';
import { eventLoopTurn } from '../event-loop.js';
import { randomStream, type RandomStream, sampleTokens } from '../tensor/index.js';
import { addTokens, disposeDecoding, readPrompts, selectSequences } from './decode.js';
import { checkBatchSize } from './batch-size.js';
import { checkSamplingParams } from './sampling.js';
import type { Model, Sample, SamplingParams } from './types.js';

/** Address of a sample's random numbers: the same key gives the same sample, whatever else is in the batch. */
export interface SampleKey {
  readonly seed: number;
  readonly purpose: string;
  readonly step: number;
  readonly index: number;
}

export interface GenerateOptions {
  /** Most sequences sampled at the same time, bounds memory (default 24 on wasm, else 64: `sequencesAtOnce`). */
  readonly batchSize?: number;
  /** Stops between two tokens; `generate` then throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called after every token step with the number of samples finished so far. */
  readonly onProgress?: (finished: number, total: number) => void;
}

/** Steps between two looks at the event loop, so that signals and timers get their turn on a synchronous back end. */
const STEPS_BETWEEN_PAUSES = 8;

/**
 * On WebAssembly an operation costs little besides its arithmetic, and attention waits for memory where the caches of all sequences are
 * larger than what a core keeps at hand: 64 sequences of `nano` took a tenth longer than 24 at a time (`npm run bench -- sampling`). Elsewhere operations have a price.
 */
const sequencesAtOnce = (): number => (getBackend() === 'wasm' ? 24 : 64);

/** Keys 0, 1, … of one step. */
export function sampleKeys(count: number, seed: number, purpose: string, step = 0): SampleKey[] {
  return Array.from({ length: count }, (_, index) => ({ seed, purpose, step, index }));
}

/**
 * Samples one continuation of each prompt. Equal prompts are read once; sequences that have ended are dropped
 * from the batch as soon as they are half of it.
 * @param prompts token ids, not empty; each prompt plus `maxNewTokens` must fit `maxPositionEmbeddings`
 * @param keys one for each prompt
 * @returns in the order of the prompts; log-probabilities are those of the distribution sampled from, which is what
 *   `sequenceLogprobs` gives at the same temperature when neither `topP` nor `topK` is set
 */
export async function generate(
  model: Model,
  prompts: readonly Int32Array[],
  params: SamplingParams,
  keys: readonly SampleKey[],
  { batchSize = sequencesAtOnce(), signal, onProgress }: GenerateOptions = {},
): Promise<Sample[]> {
  checkSamplingParams(params);
  checkBatchSize('batchSize', batchSize);
  checkPrompts(model, prompts, params, keys);
  const drafts = prompts.map((prompt, i): Draft => {
    const { seed, purpose, step, index } = keys[i]!;
    return { prompt, random: randomStream(seed, purpose, step, index), tokens: [], logprobs: [] };
  });
  const batches = Math.ceil(drafts.length / batchSize);
  // of one size, so that none is too small to be worth its operations
  const size = Math.ceil(drafts.length / batches);
  for (let start = 0; start < drafts.length; start += size)
    await completeBatch(model, drafts.slice(start, start + size), params, async (steps) => {
      onProgress?.(drafts.filter((draft) => draft.finishReason).length, drafts.length);
      if (steps % STEPS_BETWEEN_PAUSES === 0) await eventLoopTurn();
      signal?.throwIfAborted();
    });
  return drafts.map(({ tokens, logprobs, finishReason }) => ({
    tokens: Int32Array.from(tokens),
    logprobs: Float32Array.from(logprobs),
    finishReason: finishReason!,
  }));
}

/** A sample being written. */
interface Draft {
  readonly prompt: Int32Array;
  readonly random: RandomStream;
  readonly tokens: number[];
  readonly logprobs: number[];
  finishReason?: Sample['finishReason'];
}

async function completeBatch(
  model: Model,
  drafts: readonly Draft[],
  params: SamplingParams,
  afterStep: (steps: number) => Promise<void>,
): Promise<void> {
  let active = [...drafts];
  let { decoding, logits } = readPrompts(
    model,
    drafts.map(({ prompt }) => prompt),
    params.maxNewTokens,
  );
  try {
    for (let steps = 1; ; steps++) {
      await extend(active, logits, params);
      await afterStep(steps);
      const going = [...active.keys()].filter((row) => !active[row]!.finishReason);
      if (going.length === 0) return;
      if (going.length <= active.length / 2) {
        decoding = selectSequences(decoding, Int32Array.from(going));
        active = going.map((row) => active[row]!);
      }
      logits.dispose();
      logits = addTokens(
        model,
        decoding,
        Int32Array.from(active, ({ tokens }) => tokens.at(-1)!),
      );
    }
  } finally {
    logits.dispose();
    disposeDecoding(decoding);
  }
}

/** Draws the next token of every unfinished draft from its row of `logits [B, V]`. */
async function extend(drafts: readonly Draft[], logits: Tensor, params: SamplingParams): Promise<void> {
  const unfinished = drafts.flatMap(({ finishReason }, row) => (finishReason ? [] : [row]));
  const uniforms = unfinished.map((row) => drafts[row]!.random.uniform());
  const draws = await sampleTokens(logits, Int32Array.from(unfinished), uniforms, params);
  unfinished.forEach((row, i) => {
    const draft = drafts[row]!;
    const { token, logprob } = draws[i]!;
    draft.tokens.push(token);
    draft.logprobs.push(logprob);
    if (params.stopTokens.includes(token)) draft.finishReason = 'stop';
    else if (draft.tokens.length === params.maxNewTokens) draft.finishReason = 'length';
  });
}

function checkPrompts(
  model: Model,
  prompts: readonly Int32Array[],
  { maxNewTokens }: SamplingParams,
  keys: readonly SampleKey[],
): void {
  const { maxPositionEmbeddings, vocabSize } = model.config;
  if (keys.length !== prompts.length)
    throw new Error(`generate: ${prompts.length} prompts, but ${keys.length} keys; give one key for each.`);
  prompts.forEach((prompt, i) => {
    if (prompt.length === 0) throw new Error(`generate: prompt ${i} is empty; it needs at least one token.`);
    if (prompt.length + maxNewTokens > maxPositionEmbeddings)
      throw new RangeError(
        `generate: prompt ${i} has ${prompt.length} tokens; with maxNewTokens ${maxNewTokens} that exceeds the model's ${maxPositionEmbeddings}. Shorten the prompt or lower maxNewTokens.`,
      );
    const wrong = prompt.find((id) => !(id >= 0 && id < vocabSize));
    if (wrong !== undefined)
      throw new RangeError(
        `generate: prompt ${i} has token ${wrong}; the model knows 0 to ${vocabSize - 1}.`,
      );
  });
}
