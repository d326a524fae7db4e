import type { Engine } from '../engine/types.js';
import { imitationMetrics, meanOverTokens } from './row-batch.js';
import { planRows, type RowState, type RowStep, rowSteps } from './row-steps.js';
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

export type SFTState = RowState;

/** `metrics`: `loss`, `mean_token_accuracy`, `entropy`, `truncated_rows`, and those of every `RowStep`. */
export type SFTStep = RowStep;

/**
 * Supervised fine-tuning, and pretraining: raises the log-probability of given tokens. One yield per optimizer step.
 *
 * The loss is the mean over all trained tokens of the batch. A step whose loss or gradient is not finite is refused (weights
 * unchanged, `step_skipped` 1); three in a row throw NonFiniteError.
 *
 * @throws ConfigError, NoTrainableTokensError before the first step.
 */
export async function* sft(options: SFTOptions): AsyncGenerator<SFTStep, void, void> {
  const { engine, rows } = options;
  const config = defineSFTConfig(options.config);
  const example = (index: number): Example => exampleOf(rows[index] as SFTRow, index, config);
  rows.forEach((_, index) => example(index));
  const plan = planRows(rows.length, config);

  yield* rowSteps({ ...options, plan, config }, async (indices) => {
    const examples = indices.map(example);
    const data = meanOverTokens(examples);
    const forward = await engine.forwardBackward(data, { name: 'cross_entropy' });
    const metrics = {
      loss: forward.loss,
      ...imitationMetrics(data, forward),
      truncated_rows: examples.filter(({ truncated }) => truncated).length,
    };
    return { data, metrics };
  });
}
