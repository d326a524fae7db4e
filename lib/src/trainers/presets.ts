/**
 * The algorithms that `grpo` can be, as settings: spread one into a config and go on from there. A preset sets what defines its
 * algorithm and nothing else; learning rate, batch size and lengths are the task's.
 */
import type { GRPOConfig } from './grpo-config.js';

export type GRPOPreset = Readonly<Partial<GRPOConfig>>;

/**
 * GRPO as it was published (Shao et al. 2024, DeepSeekMath, arXiv 2402.03300). The trainer's defaults are TRL's later ones: no
 * penalty, every token the same weight.
 *
 * - `baseline`, `scaleRewards`: a reward counts by how many standard deviations it is above its group's mean (§4.1.2)
 * - `lossType`: a mean over each reply, then over replies (eq. 3)
 * - `epsilon`: PPO's clip range
 * - `beta`: the k3 penalty towards the initial policy stands in the loss (eq. 4); 0.04 is the paper's
 */
export const grpo: GRPOPreset = Object.freeze<GRPOPreset>({
  baseline: 'group',
  scaleRewards: 'group',
  lossType: 'grpo',
  epsilon: 0.2,
  beta: 0.04,
});

/**
 * DAPO (Yu et al. 2025, arXiv 2503.14476): GRPO for long chains of thought.
 *
 * - `baseline`, `scaleRewards`: as GRPO
 * - `beta`: no penalty, a policy that learns to reason is meant to leave its start (§2.3)
 * - `epsilon`, `epsilonHigh`: clip-higher, rare tokens have room to grow (eq. 10)
 * - `filterZeroStdGroups`: dynamic sampling, until every group carries signal (eq. 11)
 * - `lossType`: every token weighs the same, so long replies are not let off lightly (eq. 12)
 * - `maskTruncatedCompletions`: overlong filtering, a reply that was cut teaches nothing (§3.4)
 * - `softPunishCache`: soft overlong punishment over the last fifth of `maxCompletionLength` (eq. 13); change both together
 */
export const dapo: GRPOPreset = Object.freeze<GRPOPreset>({
  baseline: 'group',
  scaleRewards: 'group',
  lossType: 'dapo',
  epsilon: 0.2,
  epsilonHigh: 0.28,
  beta: 0,
  filterZeroStdGroups: 'resample',
  maskTruncatedCompletions: true,
  maxCompletionLength: 512,
  softPunishCache: 102,
});

/**
 * Dr. GRPO (Liu et al. 2025, arXiv 2503.20783), "GRPO done right": both divisions that bias GRPO's gradient are taken out.
 *
 * - `baseline`, `epsilon`: as GRPO
 * - `scaleRewards`: no standard deviation, which lets very easy and very hard tasks weigh more
 * - `lossType`: a constant in place of each reply's length, which punishes long wrong replies less per token
 * - `beta`: no penalty; a reward by rules needs none
 */
export const drGrpo: GRPOPreset = Object.freeze<GRPOPreset>({
  baseline: 'group',
  scaleRewards: 'none',
  lossType: 'dr_grpo',
  epsilon: 0.2,
  beta: 0,
});

/**
 * RLOO (Ahmadian et al. 2024, arXiv 2402.14740): REINFORCE whose baseline is the mean of the *other* samples of the task, so that it is
 * unbiased.
 *
 * - `numGenerations`: the paper's larger k
 * - `baseline`, `scaleRewards`: leave one out, divide by nothing
 * - `lossType`: a reply is one action, its log-probability the *sum* over its tokens (up to a constant)
 * - `numIterations`: one update, on-policy, where no ratio can be clipped
 * - `beta`: TRL's 0.05. The penalty is k3 in the loss; paper and TRL subtract it from the reward
 */
export const rloo: GRPOPreset = Object.freeze<GRPOPreset>({
  numGenerations: 4,
  baseline: 'leave_one_out',
  scaleRewards: 'none',
  lossType: 'dr_grpo',
  numIterations: 1,
  beta: 0.05,
});

/**
 * REINFORCE (Williams 1992) with the mean reward of the batch as its baseline. `baseline: 'none'` is the original.
 *
 * - `numGenerations`, `promptsPerStep`: one sample of each task, and as many samples as the trainer's default groups hold
 * - `baseline`, `scaleRewards`: the mean over tasks, divide by nothing; a hard task looks like a bad sample
 * - `lossType`: the log-probability of a reply is the sum over its tokens (up to a constant)
 * - `numIterations`: one update, on-policy, where no ratio can be clipped
 * - `beta`: no penalty
 */
export const reinforce: GRPOPreset = Object.freeze<GRPOPreset>({
  numGenerations: 1,
  promptsPerStep: 128,
  baseline: 'batch',
  scaleRewards: 'none',
  lossType: 'dr_grpo',
  numIterations: 1,
  beta: 0,
});

/**
 * RLVP, reinforcement learning from verifiable penalties (arXiv 2607.07435): reward the outcome, penalise the path. For environments
 * that report `violations` and `discharges` of every reply.
 *
 * - `baseline`, `scaleRewards`: the mean of the group, divided by nothing
 * - `lossType`: every token the same, so that each channel is divided by its own number of tokens
 * - `epsilon`: PPO's clip range
 * - `beta`: no penalty towards the start; the habits to be lost are there
 * - `channels`: a violation costs the outcome, and the tokens of its turn most of all
 * - `lambda`, `processCredit`: a violation costs half an outcome, a duty done is worth as much
 */
export const rlvp: GRPOPreset = Object.freeze<GRPOPreset>({
  baseline: 'group',
  scaleRewards: 'none',
  lossType: 'dapo',
  epsilon: 0.2,
  beta: 0,
  channels: 'hybrid',
  lambda: 0.5,
  processCredit: 0.5,
});
