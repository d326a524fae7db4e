import type { Datum, Engine } from '../engine/types.js';
import { eventLoopTurn } from '../event-loop.js';
import { tokenWeights } from '../losses/index.js';
import { dataOrder } from './data-order.js';
import { finiteMetrics, type Metrics, tokenMean } from './metrics.js';
import { optimParamsAt } from './optimizer-config.js';
import { countRefused } from './refused-steps.js';
import { defineSFTConfig, type SFTConfig } from './sft-config.js';
import { type Example, exampleOf, type SFTRow } from './sft-rows.js';

export interface SFTOptions {
  readonly engine: Engine;
  readonly rows: readonly SFTRow[];
  readonly config?: Partial<SFTConfig>;
  /** Where to go on: the `state` of the last step, after `engine.load`. Default: from the start. */
  readonly state?: SFTState;
  /** Stops the run between two steps. */
  readonly signal?: AbortSignal;
}

/** All that `sft` needs to go on, beside the engine's own state. Plain data. */
export interface SFTState {
  /** Steps done. */
  readonly step: number;
  /** Optimizer steps taken; less than `step` when some were refused. */
  readonly updates: number;
  /** Tokens seen. */
  readonly numTokens: number;
  /** Refused steps in a row. */
  readonly refused: number;
}

export interface SFTStep {
  /** 1-based. */
  readonly step: number;
  readonly totalSteps: number;
  /** `loss`, `mean_token_accuracy`, `entropy`, `grad_norm`, `learning_rate`, `num_tokens`, `epoch`, `step_skipped`, `truncated_rows`. */
  readonly metrics: Metrics;
  /** Seconds; apart from `metrics`, because no two runs share them. */
  readonly timing: { readonly step_time: number };
  readonly state: SFTState;
}

const start: SFTState = { step: 0, updates: 0, numTokens: 0, refused: 0 };

/**
 * Supervised fine-tuning, and pretraining: raises the log-probability of given tokens. One yield per optimizer step.
 *
 * The loss is the mean over all trained tokens of the batch. A step whose loss or gradient is not finite is refused (weights
 * unchanged, `step_skipped` 1); three in a row throw NonFiniteError.
 *
 * @throws ConfigError, NoTrainableTokensError before the first step.
 */
export async function* sft(options: SFTOptions): AsyncGenerator<SFTStep, void, void> {
  const { engine, rows, signal } = options;
  const config = defineSFTConfig(options.config);
  if (rows.length === 0) throw new Error('SFT needs at least one row.');
  rows.forEach((row, index) => exampleOf(row, index, config));

  const stepsPerEpoch = Math.ceil(rows.length / config.batchSize);
  const totalSteps = config.maxSteps ?? Math.ceil(config.numTrainEpochs * stepsPerEpoch);
  const order = dataOrder(rows.length, config.seed, config.shuffleDataset);
  let state = options.state ?? start;

  while (state.step < totalSteps && !signal?.aborted) {
    const started = performance.now();
    const first = state.step * config.batchSize;
    const examples = Array.from({ length: config.batchSize }, (_, offset) => {
      const index = order(first + offset);
      return exampleOf(rows[index] as SFTRow, index, config);
    });
    const batch = batchOf(examples);
    const params = optimParamsAt(state.updates, totalSteps, config);

    const forward = await engine.forwardBackward(batch, { name: 'cross_entropy' });
    const optim = await engine.optimStep(params);

    state = {
      step: state.step + 1,
      updates: state.updates + (optim.stepped ? 1 : 0),
      numTokens: state.numTokens + batch.reduce((sum, { tokens }) => sum + tokens.length, 0),
      refused: countRefused(state.refused, optim, state.step + 1, batch),
    };
    const weights = batch.map((datum) => datum.weights);
    const metrics = finiteMetrics({
      loss: forward.loss,
      mean_token_accuracy: tokenMean(weights, (row, t) => forward.hits[row]?.[t] ?? 0),
      entropy: tokenMean(weights, (row, t) => forward.entropies[row]?.[t] ?? 0),
      grad_norm: optim.gradNorm,
      learning_rate: params.learningRate,
      num_tokens: state.numTokens,
      epoch: (state.step * config.batchSize) / rows.length,
      step_skipped: optim.stepped ? 0 : 1,
      truncated_rows: examples.filter(({ truncated }) => truncated).length,
    });
    // before the step is told, so that whoever is told it knows whether to stop
    await eventLoopTurn();
    yield {
      step: state.step,
      totalSteps,
      metrics,
      timing: { step_time: (performance.now() - started) / 1000 },
      state,
    };
  }
}

function batchOf(examples: readonly Example[]): Datum[] {
  const weights = tokenWeights(
    examples.map(({ mask }) => mask),
    'dapo',
    0,
  );
  return examples.map(({ tokens }, index) => ({ tokens, weights: weights[index] as Float32Array }));
}
