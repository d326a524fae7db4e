import type { Datum, LogprobScorer } from '../engine/types.js';
import type { Task } from '../envs/types.js';
import { type PolicyLossSpec, reverseKLAdvantages, tokenWeights } from '../losses/index.js';
import type { EpisodeGroup } from '../rollout/index.js';
import { defineDistillationConfig, type DistillationConfig } from './distillation-config.js';
import { tokenMean } from './metrics.js';
import { optimParamsAt } from './optimizer-config.js';
import { countRefused } from './refused-steps.js';
import { agreementMetrics, requireAgreement, requireFresh, type SampledBatch } from './sampled-batch.js';
import { type SampledOptions, type SampledStep, sampledSteps } from './sampled-steps.js';
import { episodesOf, type SamplingState } from './sampling.js';
import { hasTrainedTokens } from './trained-tokens.js';

/** `engine` is the student. Rewards of `env` are logged, not learned from. */
export interface DistillationOptions<T extends Task> extends SampledOptions<T> {
  /** Scores the student's tokens; it must share the student's tokenizer. The caller disposes it. */
  readonly teacher: LogprobScorer;
  readonly config?: Partial<DistillationConfig>;
}

export type DistillationState = SamplingState;

/**
 * `metrics`: `loss`, `kl` (mean of log π_student − log π_teacher over the sampled tokens, nats: unbiased for the reverse KL of a token,
 * so single steps may be below 0), `entropy`, `grad_norm`, `learning_rate`, `sampling/…`, `step_skipped`, and those of every
 * `SampledStep`. `loss` is `kl` when `klPenaltyCoef` is 1 and `klDiscountFactor` 0.
 */
export type DistillationStep = SampledStep;

/** A single update on fresh samples: all ratios are 1, nothing is ever clipped, and the gradient is REINFORCE's. */
const loss: PolicyLossSpec = {
  name: 'policy_gradient',
  epsilon: 0.2,
  epsilonHigh: 0.2,
  delta: null,
  beta: 0,
};

/**
 * On-policy distillation: the student acts, the teacher says of every token how likely it finds it, and a policy gradient with the
 * advantages `−(log π_student − log π_teacher)` descends the reverse KL(student ‖ teacher) where the student really goes. One yield
 * per step: sample, score, update once. Mean over all sampled tokens of the step; environment tokens are not trained.
 *
 * Needs far fewer episodes than a reward, because every token is judged; the student gets no better than the teacher on these states.
 * Begin with a student that has been fine-tuned: what it never samples (to stop, say) the teacher can never praise, and a student that
 * settles on one reply before it has seen the others stays there.
 *
 * Source: Agarwal et al. 2024, arXiv 2306.13649 (GKD); "On-Policy Distillation", Thinking Machines Lab, 2025, and Tinker's cookbook.
 *
 * @throws ConfigError before the first step; LogprobMismatchError in the first; an Error when the teacher finds a token impossible;
 *   NonFiniteError after three refused updates in a row.
 */
export async function* distill<T extends Task>(
  options: DistillationOptions<T>,
): AsyncGenerator<DistillationStep, void, void> {
  const { engine, teacher } = options;
  const config = defineDistillationConfig(options.config);

  yield* sampledSteps(options, config, async (groups, state) => {
    const batch = await distillationBatch(groups, teacher, config, engine.policyVersion);
    if (!hasTrainedTokens(batch.data))
      return { metrics: { step_skipped: 1 }, updates: 0, refused: state.refused };
    const params = optimParamsAt(state.updates, config.maxSteps, config);
    const forward = await engine.forwardBackward(batch.data, loss, config.temperature);
    if (state.step === 0) requireAgreement(batch, forward, config);
    const optim = await engine.optimStep(params);
    const metrics = {
      loss: forward.loss,
      kl: batch.kl,
      grad_norm: optim.gradNorm,
      learning_rate: params.learningRate,
      step_skipped: optim.stepped ? 0 : 1,
      ...agreementMetrics(batch, forward),
    };
    const refused = countRefused(state.refused, optim, state.step + 1, batch.data);
    return { metrics, updates: optim.stepped ? 1 : 0, refused };
  });
}

interface DistillationBatch extends SampledBatch {
  /** Mean log-ratio of student to teacher over the sampled tokens. */
  readonly kl: number | undefined;
}

async function distillationBatch<T extends Task>(
  groups: readonly EpisodeGroup<T>[],
  teacher: LogprobScorer,
  { klPenaltyCoef, klDiscountFactor, temperature }: DistillationConfig,
  policyVersion: number,
): Promise<DistillationBatch> {
  const episodes = episodesOf(groups);
  episodes.forEach((episode) => requireFresh(episode, policyVersion));
  const trajectories = episodes.flatMap((episode) => episode.trajectories);
  const masks = trajectories.map(({ actionMask }) => actionMask);
  const weights = tokenWeights(masks, 'dapo', 0);
  const sequences = trajectories.map(({ tokens, actionMask }) => ({ tokens, mask: actionMask }));
  const scores = await teacher.logprobs(sequences, temperature);
  const data = trajectories.map(({ tokens, logprobs, actionMask: mask }, row): Datum => {
    const teacherLogprobs = scores[row] as Float32Array;
    requireFinite(teacherLogprobs, mask, tokens);
    const streams = { logprobs, teacherLogprobs, mask };
    const advantages = reverseKLAdvantages(streams, { klPenaltyCoef, klDiscountFactor });
    return { tokens, weights: weights[row] as Float32Array, advantages };
  });
  const logRatio = (row: number, t: number): number =>
    (trajectories[row]?.logprobs[t] ?? 0) - (scores[row]?.[t] ?? 0);
  return { data, trajectories, kl: tokenMean(weights, logRatio) };
}

/** An infinite advantage would drown all others. */
function requireFinite(teacherLogprobs: Float32Array, mask: Uint8Array, tokens: Int32Array): void {
  const t = mask.findIndex((on, position) => on === 1 && !Number.isFinite(teacherLogprobs[position]));
  if (t < 0) return;
  throw new Error(
    `The teacher gives token ${tokens[t]} at ${t} the log-probability ${teacherLogprobs[t]}, expected a finite number. Does it share the student’s tokenizer?`,
  );
}
