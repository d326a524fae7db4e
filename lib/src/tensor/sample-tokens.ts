import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { requireShape } from './checks.js';
import { isFused } from './dispatch.js';
import { type Draw, drawToken, type DrawTokenOptions, NOT_FINITE } from './draw-token.js';

/**
 * Draws the next token of some rows of logits, as `drawToken` does from their probabilities. Where the back end has a kernel
 * for it, nothing but the tokens and their log-probabilities leaves its memory.
 * @param logits `[B, V]`; -Infinity excludes a token
 * @param rows the rows to draw from, each in [0, B)
 * @param uniforms one number in [0, 1) for each of `rows`
 * @throws when the logits of a row are not finite
 */
export async function sampleTokens(
  logits: Tensor,
  rows: Int32Array,
  uniforms: readonly number[],
  options: DrawTokenOptions,
): Promise<Draw[]> {
  requireShape('logits', logits, [null, null]);
  if (uniforms.length !== rows.length)
    throw new Error(`sampleTokens: ${rows.length} rows, but ${uniforms.length} uniforms; give one for each.`);
  const wrong = rows.find((row) => !(row >= 0 && row < (logits.shape[0] as number)));
  if (wrong !== undefined) throw new RangeError(`rows must lie in [0, ${logits.shape[0]}), got ${wrong}`);
  return isFused('SampleTokens')
    ? fusedSampleTokens(logits, rows, uniforms, options)
    : composedSampleTokens(logits, rows, uniforms, options);
}

async function fusedSampleTokens(
  logits: Tensor,
  rows: Int32Array,
  uniforms: readonly number[],
  { temperature, topK = 0, topP = 1 }: DrawTokenOptions,
): Promise<Draw[]> {
  const outputs = tf.tidy(() => {
    const attributes = { temperature, topK, topP, uniforms: [...uniforms] };
    const inputs = { logits, rows: tf.tensor1d(rows, 'int32') };
    return tf.engine().runKernel<Tensor[]>('SampleTokens', inputs, attributes);
  });
  const [tokens, logprobs] = await Promise.all(outputs.map((output) => output.data()));
  tf.dispose(outputs);
  if (tokens?.includes(-1)) throw new Error(NOT_FINITE);
  return Array.from(rows, (_, i) => ({ token: tokens?.[i] as number, logprob: logprobs?.[i] as number }));
}

export async function composedSampleTokens(
  logits: Tensor,
  rows: Int32Array,
  uniforms: readonly number[],
  options: DrawTokenOptions,
): Promise<Draw[]> {
  const vocab = logits.shape[1] as number;
  const probabilities = nextTokenProbabilities(logits, options.temperature);
  const values = await probabilities.data<'float32'>();
  probabilities.dispose();
  return Array.from(rows, (row, i) => {
    const { token, logprob } = drawToken(
      values.subarray(row * vocab, (row + 1) * vocab),
      options,
      uniforms[i] as number,
    );
    return { token, logprob: Math.fround(logprob) };
  });
}

/**
 * Probabilities of the next token, before `topK` and `topP`.
 * @param logits `[B, V]`
 * @param temperature 0 (greedy) counts as 1
 * @returns `[B, V]`
 */
export function nextTokenProbabilities(logits: Tensor, temperature: number): Tensor {
  return tf.tidy(() => tf.softmax(temperature === 0 ? logits : tf.div(logits, temperature)));
}
