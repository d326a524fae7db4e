/** Forward and backward of one micro-batch: the unit of work of every engine, in this thread or another. */
import * as tf from '@tensorflow/tfjs-core';
import type { Scalar, Tensor } from '@tensorflow/tfjs-core';
import { lossOf, type LossSpec, type LossStreams } from '../losses/index.js';
import {
  type Model,
  selectedLogits,
  selectPositions,
  selectTokens,
  type TokenSelection,
  trainableWeights,
} from '../model/index.js';
import { asGraph, selectedLogprobs, valueAndGradients } from '../tensor/index.js';
import { planMicroBatches, type SequenceExtent } from './micro-batches.js';
import type { Datum, ForwardBackwardResult, WeightedTokens } from './types.js';

/** A micro-batch: which data of the batch it holds. */
export interface MicroBatch<D extends WeightedTokens = Datum> {
  readonly indices: readonly number[];
  readonly data: readonly D[];
}

export interface MicroStep {
  /** Of what is trained (`trainableWeights`), by name. The caller disposes them. */
  readonly gradients: ReadonlyMap<string, Tensor>;
  /** The loss, then what was measured: of a policy log-probability, entropy and hit of each trained token, `[1 + 3N]`. The caller disposes it. */
  readonly report: Tensor;
}

/**
 * Cuts a batch; data without a trained token are left out. The cut depends on nothing but tokens, weights and budget.
 * @param together so many data in a row are never parted, and are left out only together. 1; pairs have 2.
 */
export function cutBatch<D extends WeightedTokens>(
  batch: readonly D[],
  microBatchTokens: number,
  together = 1,
): MicroBatch<D>[] {
  const units = batch.flatMap((_, first) => {
    if (first % together !== 0) return [];
    const indices = Array.from({ length: together }, (_, n) => first + n);
    const data = indices.map((index) => batch[index] as D);
    return data.some(isTrained) ? [{ indices, data, extent: extentOf(data) }] : [];
  });
  const plan = planMicroBatches(
    units.map(({ extent }) => extent),
    microBatchTokens,
  );
  return plan.map((group) => {
    const members = group.map((n) => units[n] as (typeof units)[number]);
    return {
      indices: members.flatMap(({ indices }) => indices),
      data: members.flatMap(({ data }) => data),
    };
  });
}

/** Whether any of its tokens counts. */
export function isTrained({ weights }: WeightedTokens): boolean {
  return weights.some((weight) => weight !== 0);
}

/** A datum with what comes before its trained tokens as its prompt; several that stay together share nothing with others. */
function extentOf(data: readonly WeightedTokens[]): SequenceExtent {
  const [first, ...others] = data as [WeightedTokens, ...WeightedTokens[]];
  if (others.length > 0) {
    const longest = Math.max(...data.map(({ tokens }) => tokens.length));
    return { length: data.length * longest, promptLength: 0, prompt: '' };
  }
  const promptLength = first.weights.findIndex((weight) => weight !== 0);
  return {
    length: first.tokens.length,
    promptLength,
    prompt: first.tokens.subarray(0, promptLength).join(),
  };
}

export function microStep(
  model: Model,
  data: readonly Datum[],
  loss: LossSpec,
  temperature: number,
): MicroStep {
  const selection = selectionOf(data);
  return differentiate(model, () => {
    const targets = tf.tensor1d(selection.targets, 'int32');
    const logits = selectedLogits(model, sequencesOf(data), selection);
    const { logprobs, entropy } = selectedLogprobs(logits, targets, temperature);
    const value = lossOf(loss, { logprobs, logits, temperature, ...lossStreams(data, selection) });
    const hits = tf.cast(tf.equal(tf.argMax(logits, 1), targets), 'float32');
    return { value, measured: [logprobs, entropy, hits] };
  });
}

/** The gradients of a loss, and a report of it and of what was measured on the way. */
export function differentiate(
  model: Model,
  compute: () => { readonly value: Scalar; readonly measured: readonly Tensor[] },
): MicroStep {
  const trained = trainableWeights(model);
  let report: Tensor | undefined;
  const learn = (): Scalar => {
    const { value, measured } = compute();
    report = tf.keep(tf.concat([tf.reshape(value, [1]), ...measured]));
    return value;
  };
  const { value, gradients: byWeight } = asGraph(() => valueAndGradients(learn, [...trained.values()]));
  value.dispose();
  const gradients = new Map<string, Tensor>();
  for (const [name, weight] of trained) {
    const gradient = byWeight.get(weight);
    if (gradient !== undefined) gradients.set(name, gradient);
  }
  return { gradients, report: report as Tensor };
}

/** What the reports of a policy's parts say, aligned with the batch. */
export function readReports(
  batch: readonly Datum[],
  parts: readonly MicroBatch[],
  reports: readonly Float32Array[],
): ForwardBackwardResult {
  const logprobs = batch.map(({ tokens }) => new Float32Array(tokens.length));
  const entropies = batch.map(({ tokens }) => new Float32Array(tokens.length));
  const hits = batch.map(({ tokens }) => new Uint8Array(tokens.length));
  return { loss: readStreams(parts, reports, [logprobs, entropies, hits]), logprobs, entropies, hits };
}

/**
 * Sorts what was measured at each token that counts back into streams `[T]` aligned with the batch.
 * @param measured for each measure, in the order of the report, the streams of all data
 * @returns the loss of the whole batch
 */
export function readStreams<D extends WeightedTokens>(
  parts: readonly MicroBatch<D>[],
  reports: readonly Float32Array[],
  measured: readonly (readonly (Float32Array | Uint8Array)[])[],
): number {
  let loss = 0;
  parts.forEach(({ indices, data }, part) => {
    const values = reports[part] as Float32Array;
    loss += values[0] as number;
    const { rows, positions } = selectPositions(sequencesOf(data));
    measured.forEach((streams, kind) =>
      rows.forEach((row, n) => {
        const stream = streams[indices[row] as number] as Float32Array | Uint8Array;
        stream[positions[n] as number] = values[1 + kind * rows.length + n] as number;
      }),
    );
  });
  return loss;
}

/** The data as sequences, their weights as masks. */
export function sequencesOf(data: readonly WeightedTokens[]): { tokens: Int32Array; mask: Float32Array }[] {
  return data.map(({ tokens, weights }) => ({ tokens, mask: weights }));
}

/** Which tokens of the data count, and what they are. */
export function selectionOf(data: readonly Datum[]): TokenSelection {
  return selectTokens(sequencesOf(data));
}

/** The data's streams at the selected tokens, as tensors `[N]`; each datum is a sequence. */
export function lossStreams(
  data: readonly Datum[],
  { rows, positions, batch }: TokenSelection,
): Omit<LossStreams, 'logprobs' | 'logits' | 'temperature'> {
  const gather = (name: 'weights' | 'advantages' | 'oldLogprobs' | 'refLogprobs'): Tensor =>
    tf.tensor1d(Float32Array.from(rows, (row, n) => data[row]?.[name]?.[positions[n] as number] as number));
  const [first] = data;
  return {
    weights: gather('weights'),
    sequences: { ids: tf.tensor1d(rows, 'int32'), count: batch },
    ...(first?.advantages && { advantages: gather('advantages') }),
    ...(first?.oldLogprobs && { oldLogprobs: gather('oldLogprobs') }),
    ...(first?.refLogprobs && { refLogprobs: gather('refLogprobs') }),
    ...(first?.teacherLogprobs && { teacherLogprobs: joinRows(data, rows.length) }),
  };
}

/** The teacher's distributions of all selected tokens, `[N, V]`: a datum has a row for each of its own, in the same order. */
function joinRows(data: readonly Datum[], count: number): Tensor {
  const parts = data.map(({ teacherLogprobs }) => teacherLogprobs ?? new Float32Array());
  const joined = new Float32Array(parts.reduce((size, part) => size + part.length, 0));
  let end = 0;
  for (const part of parts) joined.set(part, (end += part.length) - part.length);
  return tf.tensor2d(joined, [count, joined.length / count]);
}
