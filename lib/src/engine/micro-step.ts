/** Forward and backward of one micro-batch: the unit of work of every engine, in this thread or another. */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { lossOf, type LossSpec, type LossStreams } from '../losses/index.js';
import {
  type Model,
  selectedLogits,
  selectTokens,
  type TokenSelection,
  trainableWeights,
} from '../model/index.js';
import { selectedLogprobs, valueAndGradients } from '../tensor/index.js';
import { planMicroBatches, type SequenceExtent } from './micro-batches.js';
import type { Datum, ForwardBackwardResult } from './types.js';

/** A micro-batch: which data of the batch it holds. */
export interface MicroBatch {
  readonly indices: readonly number[];
  readonly data: readonly Datum[];
}

export interface MicroStep {
  /** Of what is trained (`trainableWeights`), by name. The caller disposes them. */
  readonly gradients: ReadonlyMap<string, Tensor>;
  /** `[1 + 3N]`: the loss, then log-probability, entropy and hit of each trained token. The caller disposes it. */
  readonly report: Tensor;
}

/** Cuts a batch; data without a trained token are left out. The cut depends on nothing but tokens, weights and budget. */
export function cutBatch(batch: readonly Datum[], microBatchTokens: number): MicroBatch[] {
  const trained = batch.flatMap((datum, index) => {
    const promptLength = datum.weights.findIndex((weight) => weight !== 0);
    return promptLength < 0 ? [] : [{ index, datum, extent: extentOf(datum, promptLength) }];
  });
  const plan = planMicroBatches(
    trained.map(({ extent }) => extent),
    microBatchTokens,
  );
  return plan.map((group) => {
    const members = group.map((n) => trained[n] as (typeof trained)[number]);
    return { indices: members.map(({ index }) => index), data: members.map(({ datum }) => datum) };
  });
}

function extentOf({ tokens }: Datum, promptLength: number): SequenceExtent {
  return { length: tokens.length, promptLength, prompt: tokens.subarray(0, promptLength).join() };
}

export function microStep(
  model: Model,
  data: readonly Datum[],
  loss: LossSpec,
  temperature: number,
): MicroStep {
  const selection = selectionOf(data);
  const trained = trainableWeights(model);
  let report: Tensor | undefined;
  const { value, gradients: byWeight } = valueAndGradients(() => {
    const targets = tf.tensor1d(selection.targets, 'int32');
    const logits = selectedLogits(model, sequencesOf(data), selection);
    const { logprobs, entropy } = selectedLogprobs(logits, targets, temperature);
    const value = lossOf(loss, { logprobs, ...lossStreams(data, selection) });
    const hits = tf.cast(tf.equal(tf.argMax(logits, 1), targets), 'float32');
    report = tf.keep(tf.concat([tf.reshape(value, [1]), logprobs, entropy, hits]));
    return value;
  }, [...trained.values()]);
  value.dispose();
  const gradients = new Map<string, Tensor>();
  for (const [name, weight] of trained) {
    const gradient = byWeight.get(weight);
    if (gradient !== undefined) gradients.set(name, gradient);
  }
  return { gradients, report: report as Tensor };
}

/** Sorts the numbers of all reports back into streams aligned with the batch. */
export function readReports(
  batch: readonly Datum[],
  parts: readonly MicroBatch[],
  reports: readonly Float32Array[],
): ForwardBackwardResult {
  const logprobs = batch.map(({ tokens }) => new Float32Array(tokens.length));
  const entropies = batch.map(({ tokens }) => new Float32Array(tokens.length));
  const hits = batch.map(({ tokens }) => new Uint8Array(tokens.length));
  let loss = 0;
  parts.forEach(({ indices, data }, part) => {
    const values = reports[part] as Float32Array;
    loss += values[0] as number;
    const { rows, positions } = selectionOf(data);
    [logprobs, entropies, hits].forEach((streams, kind) =>
      rows.forEach((row, n) => {
        const stream = streams[indices[row] as number] as Float32Array | Uint8Array;
        stream[positions[n] as number] = values[1 + kind * rows.length + n] as number;
      }),
    );
  });
  return { loss, logprobs, entropies, hits };
}

function sequencesOf(data: readonly Datum[]): { tokens: Int32Array; mask: Float32Array }[] {
  return data.map(({ tokens, weights }) => ({ tokens, mask: weights }));
}

function selectionOf(data: readonly Datum[]): TokenSelection {
  return selectTokens(sequencesOf(data));
}

/** The data's streams at the selected tokens, as tensors `[N]`; each datum is a sequence. */
function lossStreams(
  data: readonly Datum[],
  { rows, positions, batch }: TokenSelection,
): Omit<LossStreams, 'logprobs'> {
  const gather = (name: 'weights' | 'advantages' | 'oldLogprobs' | 'refLogprobs'): Tensor =>
    tf.tensor1d(Float32Array.from(rows, (row, n) => data[row]?.[name]?.[positions[n] as number] as number));
  const [first] = data;
  return {
    weights: gather('weights'),
    sequences: { ids: tf.tensor1d(rows, 'int32'), count: batch },
    ...(first?.advantages && { advantages: gather('advantages') }),
    ...(first?.oldLogprobs && { oldLogprobs: gather('oldLogprobs') }),
    ...(first?.refLogprobs && { refLogprobs: gather('refLogprobs') }),
  };
}
