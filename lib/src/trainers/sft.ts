import type { Datum, Engine } from '../engine/types.js';
import { tokenWeights } from '../losses/index.js';
import { tokenMean } from './metrics.js';
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
    const data = batchOf(examples);
    const forward = await engine.forwardBackward(data, { name: 'cross_entropy' });
    const weights = data.map((datum) => datum.weights);
    const metrics = {
      loss: forward.loss,
      mean_token_accuracy: tokenMean(weights, (row, t) => forward.hits[row]?.[t] ?? 0),
      entropy: tokenMean(weights, (row, t) => forward.entropies[row]?.[t] ?? 0),
      truncated_rows: examples.filter(({ truncated }) => truncated).length,
    };
    return { data, metrics };
  });
}

function batchOf(examples: readonly Example[]): Datum[] {
  const weights = tokenWeights(
    examples.map(({ mask }) => mask),
    'dapo',
    0,
  );
  return examples.map(({ tokens }, index) => ({ tokens, weights: weights[index] as Float32Array }));
}
