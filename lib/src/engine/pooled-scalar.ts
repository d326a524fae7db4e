/** The engine of a model with a scalar head on several cores: the same bits as that of one thread. */
import type { ScalarLossSpec } from '../losses/index.js';
import type { MaskedSequence, Model } from '../model/index.js';
import { type BatchLimits, checkScalarBatch, checkValueSequences, limitsOf } from './check-batch.js';
import { defaultMicroBatchTokens } from './local.js';
import { sequencesAtOnce } from './micro-batches.js';
import type { PooledEngineOptions } from './pooled.js';
import { chunks, PooledWeights } from './pooled-weights.js';
import { cutScalarBatch, lastValues, readValues, requireScalarHead } from './scalar.js';
import type { ScalarDatum, ScalarEngine, ScalarForwardBackwardResult } from './scalar-types.js';
import type { EngineState, OptimParams, OptimResult } from './types.js';
import type { StartWorker } from './worker-port.js';

/** Computes with workers on the active tfjs back end; `model` is trained in place. */
export class PooledScalarEngine implements ScalarEngine {
  readonly maxLength: number;
  private readonly microBatchTokens: number;
  readonly #limits: BatchLimits;
  readonly #pooled: PooledWeights;

  constructor(
    model: Model,
    { workers, microBatchTokens = defaultMicroBatchTokens }: PooledEngineOptions,
    start: StartWorker,
  ) {
    requireScalarHead(model);
    this.microBatchTokens = microBatchTokens;
    this.#limits = limitsOf(model.config);
    this.maxLength = this.#limits.maxLength;
    this.#pooled = new PooledWeights(model, workers, start);
  }

  async values(sequences: readonly MaskedSequence[]): Promise<Float32Array[]> {
    checkValueSequences(sequences, this.#limits);
    const tasks = chunks(sequences, sequencesAtOnce(sequences, this.microBatchTokens)).map((part) => ({
      verb: 'values' as const,
      sequences: part,
    }));
    return (await this.#pooled.runAll<'values'>(await this.#pooled.published(), tasks)).flat();
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
    const reports = await this.#pooled.learn(parts, ({ data }, gradients) => ({
      verb: 'scalarStep',
      data,
      loss,
      gradients,
    }));
    return readValues(batch, parts, reports);
  }

  optimStep(params: OptimParams): Promise<OptimResult> {
    return this.#pooled.optimStep(params);
  }

  save(): Promise<EngineState> {
    return this.#pooled.save();
  }

  async load(state: EngineState): Promise<void> {
    this.#pooled.load(state);
  }

  dispose(): void {
    this.#pooled.dispose();
  }
}
