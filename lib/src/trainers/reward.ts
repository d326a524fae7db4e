import type { ScalarDatum, ScalarEngine } from '../engine/scalar-types.js';
import { mean } from '../losses/index.js';
import type { Values } from './metrics.js';
import { countTruncated, type Pair, pairOf, type PreferenceRow } from './preference-rows.js';
import { defineRewardConfig, type RewardConfig } from './reward-config.js';
import { planRows, type RowState, type RowStep, rowSteps } from './row-steps.js';
import type { Example } from './sft-rows.js';

export interface RewardOptions {
  /** Of the reward model: a language model with a scalar head (`withScalarHead`). */
  readonly engine: ScalarEngine;
  readonly rows: readonly PreferenceRow[];
  readonly config?: Partial<RewardConfig>;
  /** Where to go on: the `state` of the last step, after `engine.load`. Default: from the start. */
  readonly state?: RewardState;
  /** Stops the run between two steps. */
  readonly signal?: AbortSignal;
}

export type RewardState = RowState;

/**
 * `metrics`: TRL's `loss`, `accuracy`, `margin`, `min_reward`, `mean_reward`, `max_reward`, and `truncated_rows` and those of every
 * `RowStep`.
 */
export type RewardStep = RowStep;

/**
 * Reward modelling: learns to score replies from comparisons, as Bradley and Terry have it, `P(chosen) = σ(r_chosen − r_rejected)`. The
 * score of a reply is the value after its last token. One yield per optimizer step.
 *
 * A new head says 0 of everything, so the loss starts at ln 2, and `accuracy` at 0: ties count as wrong. Noisy labels bound the
 * accuracy; only that on held-out pairs tells whether the model is good.
 * ```ts
 * const rewardModel = createScalarEngine(withScalarHead(policy));
 * for await (const step of reward({ engine: rewardModel, rows })) console.log(step.metrics);
 * for await (const step of grpo({ engine, tokenizer, env, tasks, rewardFunction: rewardFromModel(rewardModel) })) …
 * ```
 * Source: Ouyang et al. 2022, arXiv 2203.02155, eq. 1; TRL's `RewardTrainer` (which leaves out pairs that are too long; here they are
 * cut).
 *
 * @throws ConfigError, NoTrainableTokensError, an Error for a pair of equal replies, before the first step; NonFiniteError after three
 *   refused steps in a row.
 */
export async function* reward(options: RewardOptions): AsyncGenerator<RewardStep, void, void> {
  const { engine, rows } = options;
  const config = defineRewardConfig(options.config);
  const { centerRewardsCoefficient } = config;
  const pairs = rows.map((row, index) => pairOf(row, index, config));
  const plan = planRows(rows.length, config);

  yield* rowSteps({ ...options, plan, config }, async (indices) => {
    const batch = indices.map((index) => pairs[index] as Pair);
    const data = batch.flatMap(({ chosen, rejected }) => [chosen, rejected].map(scored(1 / batch.length)));
    const { loss, values } = await engine.forwardBackward(data, {
      name: 'bradley_terry',
      centerRewardsCoefficient,
    });
    const scores = values.map((stream) => stream.at(-1) as number);
    return { data, metrics: { loss, ...scoreMetrics(scores), truncated_rows: countTruncated(batch) } };
  });
}

/** A sequence of which the last token counts, with a weight. */
function scored(weight: number): (example: Example) => ScalarDatum {
  return ({ tokens }) => {
    const weights = new Float32Array(tokens.length);
    weights[tokens.length - 1] = weight;
    return { tokens, weights };
  };
}

/** @param scores of chosen and rejected replies by turns */
function scoreMetrics(scores: readonly number[]): Values {
  const chosen = scores.filter((_, n) => n % 2 === 0);
  const margins = chosen.map((score, pair) => score - (scores[2 * pair + 1] as number));
  return {
    accuracy: mean(margins.map((margin) => (margin > 0 ? 1 : 0))),
    margin: mean(margins),
    min_reward: Math.min(...scores),
    mean_reward: mean(scores),
    max_reward: Math.max(...scores),
  };
}
