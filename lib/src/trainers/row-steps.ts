/** The loop of every trainer that learns from a fixed set of rows. */
import type { Engine, OptimResult, WeightedTokens } from '../engine/types.js';
import { eventLoopTurn } from '../event-loop.js';
import { dataOrder } from './data-order.js';
import { finiteMetrics, type Metrics, type Values } from './metrics.js';
import { optimParamsAt } from './optimizer-config.js';
import { countRefused } from './refused-steps.js';
import type { RowConfig } from './row-config.js';
import { hasTrainedTokens } from './trained-tokens.js';

/** All that a trainer of rows needs to go on, beside the engine's own state. Plain data. */
export interface RowState {
  /** Steps done. */
  readonly step: number;
  /** Optimizer steps taken; less than `step` when some were refused. */
  readonly updates: number;
  /** Tokens seen. */
  readonly numTokens: number;
  /** Refused steps in a row. */
  readonly refused: number;
}

/** One optimizer step of a trainer of rows. */
export interface RowStep {
  /** 1-based. */
  readonly step: number;
  readonly totalSteps: number;
  /** What the trainer measured, and `grad_norm`, `learning_rate`, `num_tokens`, `epoch`, `step_skipped`. */
  readonly metrics: Metrics;
  /** Seconds; apart from `metrics`, because no two runs share them. */
  readonly timing: { readonly step_time: number };
  readonly state: RowState;
}

/** Which rows a run visits, step by step; depends on nothing but the number of rows and the settings. */
export interface RowPlan {
  readonly totalSteps: number;
  /** Passes over the rows after so many steps. */
  readonly epochsAfter: (steps: number) => number;
  /** Indices of the rows of a step, 0-based; as many as `batchSize`. */
  readonly rowsAt: (step: number) => number[];
}

/** @throws Error when there are no rows. */
export function planRows(count: number, config: RowConfig): RowPlan {
  if (count === 0) throw new Error('Training needs at least one row.');
  const { batchSize, numTrainEpochs, maxSteps } = config;
  const order = dataOrder(count, config.seed, config.shuffleDataset);
  return {
    totalSteps: maxSteps ?? Math.ceil(numTrainEpochs * Math.ceil(count / batchSize)),
    epochsAfter: (steps) => (steps * batchSize) / count,
    rowsAt: (step) => Array.from({ length: batchSize }, (_, offset) => order(step * batchSize + offset)),
  };
}

export interface RowRun {
  readonly engine: Pick<Engine, 'optimStep'>;
  readonly plan: RowPlan;
  readonly config: RowConfig;
  readonly state?: RowState;
  readonly signal?: AbortSignal;
}

/** What one batch of rows came to; its gradient is in the engine. */
export interface RowBatch {
  readonly data: readonly WeightedTokens[];
  readonly metrics: Values;
}

const start: RowState = { step: 0, updates: 0, numTokens: 0, refused: 0 };

/**
 * One optimizer step after another on the rows of `plan`; `learn` gets the indices of a batch and adds its gradient to the engine's.
 * A batch without any gradient changes nothing and reports `step_skipped` 1. One whose loss or gradient is not finite is refused
 * (weights unchanged, `step_skipped` 1); three in a row throw NonFiniteError.
 */
export async function* rowSteps(
  { engine, plan, config, state: resumed, signal }: RowRun,
  learn: (rows: readonly number[]) => Promise<RowBatch>,
): AsyncGenerator<RowStep, void, void> {
  const { totalSteps } = plan;
  let state = resumed ?? start;
  while (state.step < totalSteps && !signal?.aborted) {
    const started = performance.now();
    const { data, metrics } = await learn(plan.rowsAt(state.step));
    const params = optimParamsAt(state.updates, totalSteps, config);
    const optim: OptimResult | undefined = hasTrainedTokens(data)
      ? await engine.optimStep(params)
      : undefined;
    state = {
      step: state.step + 1,
      updates: state.updates + (optim?.stepped ? 1 : 0),
      numTokens: state.numTokens + data.reduce((sum, { tokens }) => sum + tokens.length, 0),
      refused: optim === undefined ? state.refused : countRefused(state.refused, optim, state.step + 1, data),
    };
    const values = finiteMetrics({
      ...metrics,
      grad_norm: optim?.gradNorm,
      learning_rate: params.learningRate,
      num_tokens: state.numTokens,
      epoch: plan.epochsAfter(state.step),
      step_skipped: optim?.stepped ? 0 : 1,
    });
    // before the step is told, so that whoever is told it knows whether to stop
    await eventLoopTurn();
    yield {
      step: state.step,
      totalSteps,
      metrics: values,
      timing: { step_time: (performance.now() - started) / 1000 },
      state,
    };
  }
}
