import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { scalarLossOf, type ScalarLossSpec } from '../losses/index.js';
import {
  type MaskedSequence,
  type Model,
  scoreValues,
  selectedValues,
  selectPositions,
} from '../model/index.js';
import { type BatchLimits, checkScalarBatch, checkValueSequences, limitsOf } from './check-batch.js';
import { defaultMicroBatchTokens, type EngineOptions } from './local.js';
import { sequencesAtOnce } from './micro-batches.js';
import {
  cutBatch,
  differentiate,
  type MicroBatch,
  type MicroStep,
  readStreams,
  sequencesOf,
} from './micro-step.js';
import type { ScalarDatum, ScalarEngine, ScalarForwardBackwardResult } from './scalar-types.js';
import { TrainedWeights } from './trained-weights.js';
import type { EngineState, OptimParams, OptimResult } from './types.js';

/**
 * The engine of a model with a scalar head, in this thread: trains it in place with the active tfjs back end.
 * The caller owns the model; `dispose` frees only what the engine added (gradients and optimizer moments).
 * ```ts
 * const critic = createScalarEngine(withScalarHead(policy));
 * for await (const step of ppo({ engine: createLocalEngine(policy), critic, tokenizer, env, tasks })) console.log(step.metrics);
 * ```
 * Throws when the model has no scalar head, or an adapter, beside which the head would not be trained.
 */
export function createScalarEngine(
  model: Model,
  { microBatchTokens = defaultMicroBatchTokens }: EngineOptions = {},
): ScalarEngine {
  requireScalarHead(model);
  return new LocalScalarEngine(model, microBatchTokens);
}

/** Throws when the model has no scalar head, or an adapter, beside which the head would not be trained. */
export function requireScalarHead(model: Model): void {
  if (!model.config.numLabels)
    throw new Error('The model has no scalar head: make one from a language model (withScalarHead).');
  if (model.adapter)
    throw new Error(
      'The model has an adapter, and its scalar head would not be trained beside it: merge it first (mergeAdapter).',
    );
}

class LocalScalarEngine implements ScalarEngine {
  readonly maxLength: number;
  readonly #limits: BatchLimits;
  readonly #trained: TrainedWeights;

  constructor(
    private readonly model: Model,
    private readonly microBatchTokens: number,
  ) {
    this.#limits = limitsOf(model.config);
    this.maxLength = this.#limits.maxLength;
    this.#trained = new TrainedWeights(model.weights);
  }

  async values(sequences: readonly MaskedSequence[]): Promise<Float32Array[]> {
    checkValueSequences(sequences, this.#limits);
    return scoreValues(this.model, sequences, {
      microBatch: sequencesAtOnce(sequences, this.microBatchTokens),
    });
  }

  scores(sequences: readonly Int32Array[]): Promise<number[]> {
    return lastValues(this, sequences);
  }

  async forwardBackward(
    batch: readonly ScalarDatum[],
    loss: ScalarLossSpec,
  ): Promise<ScalarForwardBackwardResult> {
    checkScalarBatch(batch, loss, this.#limits);
    const parts = cutScalarBatch(batch, loss, this.microBatchTokens);
    const reports = await this.#trained.learn(parts, ({ data }) => scalarStep(this.model, data, loss));
    return readValues(batch, parts, reports);
  }

  optimStep(params: OptimParams): Promise<OptimResult> {
    return this.#trained.optimStep(params);
  }

  save(): Promise<EngineState> {
    return this.#trained.save();
  }

  async load(state: EngineState): Promise<void> {
    this.#trained.load(state);
  }

  dispose(): void {
    this.#trained.dispose();
  }
}

/** The score of each whole sequence: the value after its last token. */
export async function lastValues(
  scorer: Pick<ScalarEngine, 'values'>,
  sequences: readonly Int32Array[],
): Promise<number[]> {
  const values = await scorer.values(
    sequences.map((tokens) => ({ tokens, mask: tokens.map((_, t) => (t + 1 === tokens.length ? 1 : 0)) })),
  );
  return values.map((stream) => stream.at(-1) as number);
}

/** Cuts a batch; the two sequences of a comparison stay together. */
export function cutScalarBatch(
  batch: readonly ScalarDatum[],
  loss: ScalarLossSpec,
  microBatchTokens: number,
): MicroBatch<ScalarDatum>[] {
  return cutBatch(batch, microBatchTokens, loss.name === 'bradley_terry' ? 2 : 1);
}

/** What the reports of the parts say, aligned with the batch. */
export function readValues(
  batch: readonly ScalarDatum[],
  parts: readonly MicroBatch<ScalarDatum>[],
  reports: readonly Float32Array[],
): ScalarForwardBackwardResult {
  const values = batch.map(({ tokens }) => new Float32Array(tokens.length));
  return { loss: readStreams(parts, reports, [values]), values };
}

/** Forward and backward of one micro-batch; its report is the loss, then the value of each token that counts, `[1 + N]`. */
export function scalarStep(model: Model, data: readonly ScalarDatum[], loss: ScalarLossSpec): MicroStep {
  const sequences = sequencesOf(data);
  const selection = selectPositions(sequences);
  const { rows, positions } = selection;
  const gather = (name: 'weights' | 'oldValues' | 'returns'): Tensor =>
    tf.tensor1d(Float32Array.from(rows, (row, n) => data[row]?.[name]?.[positions[n] as number] as number));
  return differentiate(model, () => {
    const values = selectedValues(model, sequences, selection);
    const value = scalarLossOf(loss, {
      values,
      weights: gather('weights'),
      ...(data[0]?.oldValues && { oldValues: gather('oldValues') }),
      ...(data[0]?.returns && { returns: gather('returns') }),
    });
    return { value, measured: [values] };
  });
}
