import * as tf from '@tensorflow/tfjs-core';
import { type CustomLoss, type CustomLossResult, forwardBackwardCustom } from '../engine/custom-loss.js';
import type { Engine, LogprobScorer } from '../engine/types.js';
import { eventLoopTurn } from '../event-loop.js';
import { dpoLoss, mean, sequenceSums } from '../losses/index.js';
import { defineDPOConfig, type DPOConfig } from './dpo-config.js';
import { streamMean, type Values } from './metrics.js';
import { countTruncated, type Pair, pairOf, type PreferenceRow } from './preference-rows.js';
import { requireReference } from './reference.js';
import { planRows, type RowPlan, type RowState, type RowStep, rowSteps } from './row-steps.js';
import { scoreExamples, sequenceLogps } from './sequence-logps.js';
import type { Example } from './sft-rows.js';

export interface DPOOptions {
  readonly engine: Engine;
  readonly rows: readonly PreferenceRow[];
  readonly config?: Partial<DPOConfig>;
  /**
   * What replies are compared with; default: the policy at the start. It scores each pair once, before the first step, so no second
   * model is held in memory. A resumed run must be given the same one.
   */
  readonly reference?: LogprobScorer;
  /** Where to go on: the `state` of the last step, after `engine.load`. Default: from the start. */
  readonly state?: DPOState;
  /** Stops the run between two steps. */
  readonly signal?: AbortSignal;
}

export type DPOState = RowState;

/**
 * `metrics`: TRL's `loss`, `rewards/chosen`, `rewards/rejected`, `rewards/accuracies`, `rewards/margins`, `logps/chosen`,
 * `logps/rejected`, `entropy`, `mean_token_accuracy` (of the chosen replies), `truncated_rows`, and those of every `RowStep`.
 */
export type DPOStep = RowStep;

/**
 * Direct preference optimization (Rafailov et al. 2023, arXiv 2305.18290, eq. 7): makes preferred replies likelier *relative to* the
 * others, held to the reference by `beta`; no reward model, no sampling. One yield per optimizer step.
 *
 * The loss starts at ln 2 (`sigmoid`), with margins 0 and `rewards/accuracies` 0: ties count as wrong. Only the margin is trained, so
 * `logps/chosen` and `logps/rejected` may fall together; that is no error, but replies that are in no pair gain what they lose.
 *
 * @throws ConfigError, NoTrainableTokensError, an Error for a pair of equal replies, before the first step; NonFiniteError after three
 *   refused steps in a row.
 */
export async function* dpo(options: DPOOptions): AsyncGenerator<DPOStep, void, void> {
  const { engine, rows, signal } = options;
  const config = defineDPOConfig(options.config);
  requireReference(options.reference, options.state?.step ?? 0);
  const pairs = rows.map((row, index) => pairOf(row, index, config));
  const plan = planRows(rows.length, config);
  const reference = await scorePairs(options.reference ?? engine, pairs, plan, config.batchSize, signal);

  yield* rowSteps({ ...options, plan, config }, async (indices) => {
    const batch = indices.map((index) => pairs[index] as Pair);
    const examples = [...batch.map(({ chosen }) => chosen), ...batch.map(({ rejected }) => rejected)];
    const refLogps = (['chosen', 'rejected'] as const).flatMap((side) =>
      indices.map((index) => (reference.get(index) as PairLogps)[side]),
    );
    const forward = await forwardBackwardCustom(engine, examples, pairLoss(examples, refLogps, config));
    const metrics = { ...dpoMetrics(forward, refLogps, config), truncated_rows: countTruncated(batch) };
    return { data: forward.data, metrics };
  });
}

interface PairLogps {
  readonly chosen: number;
  readonly rejected: number;
}

/** What the reference thinks of every pair the run will visit. In the order of the rows, so that a resumed run gets the same bits. */
async function scorePairs(
  scorer: LogprobScorer,
  pairs: readonly Pair[],
  plan: RowPlan,
  atOnce: number,
  signal: AbortSignal | undefined,
): Promise<Map<number, PairLogps>> {
  const steps = Array.from({ length: plan.totalSteps }, (_, step) => plan.rowsAt(step));
  const visited = [...new Set(steps.flat())].sort((a, b) => a - b);
  const logps = new Map<number, PairLogps>();
  for (let first = 0; first < visited.length && !signal?.aborted; first += atOnce) {
    const indices = visited.slice(first, first + atOnce);
    const scores = await scoreExamples(
      scorer,
      indices.flatMap((index) => [(pairs[index] as Pair).chosen, (pairs[index] as Pair).rejected]),
    );
    indices.forEach((index, n) => {
      const [chosen, rejected] = [scores[2 * n] as number, scores[2 * n + 1] as number];
      if (!Number.isFinite(chosen + rejected)) {
        throw new Error(
          `Row ${index}: the reference gives its replies log-probabilities ${chosen} and ${rejected}, expected finite numbers. Are its weights sound, and is its tokenizer the policy’s?`,
        );
      }
      logps.set(index, { chosen, rejected });
    });
    await eventLoopTurn();
  }
  return logps;
}

/**
 * `dpoLoss` of log-probabilities whose first half of sequences is chosen, whose second half rejected. IPO compares means over tokens,
 * the form its authors confirmed to TRL; the others compare sums.
 */
function pairLoss(examples: readonly Example[], refLogps: readonly number[], config: DPOConfig): CustomLoss {
  const pairs = examples.length / 2;
  const shares = examples.map(({ mask }) =>
    config.lossType === 'ipo' ? 1 / mask.reduce((count, on) => count + on, 0) : 1,
  );
  return (logprobs, sequences) => {
    const share = tf.tensor1d(shares);
    const policy = tf.mul(sequenceSums(logprobs, tf.onesLike(logprobs), sequences), share);
    const reference = tf.mul(tf.tensor1d([...refLogps]), share);
    return dpoLoss(
      {
        chosenLogprobs: tf.slice(policy, [0], [pairs]),
        rejectedLogprobs: tf.slice(policy, [pairs], [pairs]),
        refChosenLogprobs: tf.slice(reference, [0], [pairs]),
        refRejectedLogprobs: tf.slice(reference, [pairs], [pairs]),
        weights: tf.fill([pairs], 1 / pairs),
      },
      config,
    );
  };
}

function dpoMetrics(forward: CustomLossResult, refLogps: readonly number[], { beta }: DPOConfig): Values {
  const logps = sequenceLogps(forward.logprobs);
  const rewards = logps.map((logp, n) => beta * (logp - (refLogps[n] as number)));
  const pairs = logps.length / 2;
  const [chosen, rejected] = [rewards.slice(0, pairs), rewards.slice(pairs)];
  const weights = forward.data.map((datum) => datum.weights);
  return {
    loss: forward.loss,
    'rewards/chosen': mean(chosen),
    'rewards/rejected': mean(rejected),
    'rewards/accuracies': mean(chosen.map((reward, n) => (reward > (rejected[n] as number) ? 1 : 0))),
    'rewards/margins': mean(chosen) - mean(rejected),
    'logps/chosen': mean(logps.slice(0, pairs)),
    'logps/rejected': mean(logps.slice(pairs)),
    entropy: streamMean(weights, forward.entropies),
    mean_token_accuracy: streamMean(weights.slice(0, pairs), forward.hits),
  };
}
