import * as tf from '@tensorflow/tfjs-core';
import { type CustomLoss, type CustomLossResult, forwardBackwardCustom } from '../engine/custom-loss.js';
import type { Engine, LogprobScorer } from '../engine/types.js';
import { ktoLoss, ktoReferencePoint, mean, sequenceSums } from '../losses/index.js';
import { defineKTOConfig, type KTOConfig } from './kto-config.js';
import { streamMean, type Values } from './metrics.js';
import { openReference, requireReference } from './reference.js';
import { planRows, type RowState, type RowStep, rowSteps } from './row-steps.js';
import { scoreExamples, sequenceLogps } from './sequence-logps.js';
import { type Example, exampleOf } from './sft-rows.js';

/** A reply, and whether it is a good one. It ends with the stop token, or the model never learns to stop. */
export interface UnpairedPreferenceRow {
  readonly prompt: Int32Array;
  readonly completion: Int32Array;
  /** true = desirable. */
  readonly label: boolean;
}

export interface KTOOptions {
  readonly engine: Engine;
  readonly rows: readonly UnpairedPreferenceRow[];
  readonly config?: Partial<KTOConfig>;
  /** What replies are compared with; default: a frozen copy of the policy at the start. A resumed run must be given the same one. */
  readonly reference?: LogprobScorer;
  /** Where to go on: the `state` of the last step, after `engine.load`. Default: from the start. */
  readonly state?: KTOState;
  /** Stops the run between two steps. */
  readonly signal?: AbortSignal;
}

export type KTOState = RowState;

/**
 * `metrics`: TRL's `loss`, `kl`, `rewards/chosen`, `rewards/rejected`, `rewards/margins`, `logps/chosen`, `logps/rejected` (chosen =
 * desirable; absent when the batch has none), `entropy`, `truncated_rows`, and those of every `RowStep`.
 */
export type KTOStep = RowStep;

/**
 * Kahneman–Tversky optimization (Ethayarajh et al. 2024, arXiv 2402.01306, section 4): learns from thumbs up and thumbs down, without
 * pairs. One yield per optimizer step.
 *
 * A reply counts as a gain or a loss against z₀, how far the policy has moved on the whole (`kl`). It is estimated on mismatched pairs:
 * each prompt of the batch with the reply of the next row, the last with that of the first. The loss starts at ½ of the weights, since
 * all rewards and z₀ are 0.
 *
 * @throws ConfigError, NoTrainableTokensError, an Error for fewer than two rows, before the first step; NonFiniteError after three
 *   refused steps in a row.
 */
export async function* kto(options: KTOOptions): AsyncGenerator<KTOStep, void, void> {
  const { engine, rows } = options;
  const config = defineKTOConfig(options.config);
  requireReference(options.reference, options.state?.step ?? 0);
  if (rows.length < 2) {
    throw new Error(
      `KTO has ${rows.length} rows; it needs two, to estimate the KL from replies to other prompts.`,
    );
  }
  const settings = { maxLength: config.maxLength, completionOnlyLoss: true };
  rows.forEach((row, index) => exampleOf(row, index, settings));
  const plan = planRows(rows.length, config);
  const reference = await openReference(options, options.state?.step ?? 0);

  try {
    yield* rowSteps({ ...options, plan, config }, async (indices) => {
      const batch = indices.map((index) => rows[index] as UnpairedPreferenceRow);
      const [examples, mismatched] = [batch, mismatch(batch)].map((replies) =>
        replies.map((row, n) => exampleOf(row, indices[n] as number, settings)),
      ) as [Example[], Example[]];
      const refLogps = await scoreExamples(reference, [...examples, ...mismatched]);
      const referencePoint = ktoReferencePoint(
        await scoreExamples(engine, mismatched),
        refLogps.slice(batch.length),
      );
      const labels = batch.map(({ label }) => label);
      const loss = labelledLoss(labels, refLogps.slice(0, batch.length), { ...config, referencePoint });
      const forward = await forwardBackwardCustom(engine, examples, loss);
      const metrics = {
        ...ktoMetrics(forward, labels, refLogps, config),
        kl: referencePoint,
        truncated_rows: examples.filter(({ truncated }) => truncated).length,
      };
      return { data: forward.data, metrics };
    });
  } finally {
    reference.close();
  }
}

/** Each prompt with the reply of the next row, the last with that of the first: the same replies, none of them to its own prompt. */
export function mismatch<Row extends Pick<UnpairedPreferenceRow, 'prompt' | 'completion'>>(
  batch: readonly Row[],
): Pick<Row, 'prompt' | 'completion'>[] {
  return batch.map(({ prompt }, n) => ({
    prompt,
    completion: (batch[(n + 1) % batch.length] as Row).completion,
  }));
}

function labelledLoss(
  labels: readonly boolean[],
  refLogps: readonly number[],
  options: Parameters<typeof ktoLoss>[1],
): CustomLoss {
  return (logprobs, sequences) =>
    ktoLoss(
      {
        logprobs: sequenceSums(logprobs, tf.onesLike(logprobs), sequences),
        refLogprobs: tf.tensor1d([...refLogps]),
        labels: tf.tensor1d(labels.map(Number)),
        weights: tf.fill([labels.length], 1 / labels.length),
      },
      options,
    );
}

function ktoMetrics(
  forward: CustomLossResult,
  labels: readonly boolean[],
  refLogps: readonly number[],
  { beta }: KTOConfig,
): Values {
  const logps = sequenceLogps(forward.logprobs);
  const rewards = logps.map((logp, n) => beta * (logp - (refLogps[n] as number)));
  const weights = forward.data.map((datum) => datum.weights);
  const meanOf = (values: readonly number[], label: boolean): number | undefined => {
    const own = values.filter((_, n) => labels[n] === label);
    return own.length === 0 ? undefined : mean(own);
  };
  const [chosen, rejected] = [meanOf(rewards, true), meanOf(rewards, false)];
  return {
    loss: forward.loss,
    'rewards/chosen': chosen,
    'rewards/rejected': rejected,
    'rewards/margins': chosen === undefined || rejected === undefined ? undefined : chosen - rejected,
    'logps/chosen': meanOf(logps, true),
    'logps/rejected': meanOf(logps, false),
    entropy: streamMean(weights, forward.entropies),
  };
}
