/**
 * How much better than expected was each sample? Rewards come in groups (the samples of one task in one step); `null` is
 * "could not be scored": such a sample stays out of every mean and gets advantage 0.
 */

/** What the centred reward is divided by: the group's standard deviation, the batch's, or nothing (Dr. GRPO). */
export type ScaleRewards = 'group' | 'batch' | 'none';

export interface GroupAdvantages {
  /** Same shape as the rewards. */
  readonly advantages: readonly (readonly number[])[];
  /** Sample standard deviation (N − 1) of each group's rewards; 0 for fewer than two scored samples. */
  readonly stds: readonly number[];
  /** Groups without any signal: their standard deviation is below the threshold, their advantages exactly 0. */
  readonly constant: readonly boolean[];
}

/** TRL's floor, added to the standard deviation it divides by. */
const STD_FLOOR = 1e-4;

const scored = (rewards: readonly (number | null)[]): number[] => rewards.filter((reward) => reward !== null);

/** Arithmetic mean; 0 of nothing. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Sample standard deviation, with N − 1; 0 for fewer than two values. */
export function standardDeviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1));
}

/**
 * GRPO: `A = (R − mean of the group) / (std + 1e-4)`, the std over N − 1 (TRL's convention; DeepSeekMath, arXiv 2402.03300,
 * writes the population's).
 *
 * A group whose std is below `zeroStdThreshold` has equal rewards up to rounding: dividing by it would make advantages
 * out of noise, so they are exactly 0. Pass 0 to match TRL.
 */
export function groupAdvantages(
  groups: readonly (readonly (number | null)[])[],
  scaleRewards: ScaleRewards = 'group',
  zeroStdThreshold = 1e-3,
): GroupAdvantages {
  const stds = groups.map((group) => standardDeviation(scored(group)));
  const constant = stds.map((std) => std === 0 || std < zeroStdThreshold);
  const batchStd = standardDeviation(scored(groups.flat()));
  const advantages = groups.map((group, index) => {
    const baseline = mean(scored(group));
    const scale = { group: (stds[index] ?? 0) + STD_FLOOR, batch: batchStd + STD_FLOOR, none: 1 }[
      scaleRewards
    ];
    return group.map((reward) => (reward === null || constant[index] ? 0 : (reward - baseline) / scale));
  });
  return { advantages, stds, constant };
}

/**
 * RLOO: `A = R − mean of the group's other samples` (arXiv 2402.14740), the unbiased baseline.
 * A sample without scored companions gets 0.
 */
export function leaveOneOutAdvantages(groups: readonly (readonly (number | null)[])[]): number[][] {
  return groups.map((group) => {
    const rewards = scored(group);
    const total = rewards.reduce((sum, reward) => sum + reward, 0);
    return group.map((reward) =>
      reward === null || rewards.length < 2 ? 0 : reward - (total - reward) / (rewards.length - 1),
    );
  });
}

/**
 * REINFORCE with a baseline: `A = R − b` (Williams 1992), unbiased for any `b` that does not depend on the sample itself,
 * such as the mean of earlier batches. With `b = 0` it is plain REINFORCE. An unscorable sample gets 0.
 */
export function baselineAdvantages(rewards: readonly (number | null)[], baseline: number): number[] {
  return rewards.map((reward) => (reward === null ? 0 : reward - baseline));
}

/**
 * The whole batch as one group: `A = R − mean of the batch`, divided by `std + 1e-4` of the batch unless `scaleRewards` is
 * `'none'`. For tasks that were sampled once each; hard tasks then look like bad samples (REINFORCE++, arXiv 2501.03262).
 */
export function batchAdvantages(
  rewards: readonly (number | null)[],
  scaleRewards: Exclude<ScaleRewards, 'group'> = 'batch',
): readonly number[] {
  return groupAdvantages([rewards], scaleRewards).advantages[0] as readonly number[];
}

/**
 * One reward a sample out of several: the weighted sum of those that apply. `null` = this reward does not apply to the
 * sample; a sample to which none applies is `null` itself.
 *
 * @param rewards `[samples][reward functions]`
 * @param weights one for each reward function
 */
export function combineRewards(
  rewards: readonly (readonly (number | null)[])[],
  weights: readonly number[],
): (number | null)[] {
  return rewards.map((row) =>
    row.every((reward) => reward === null)
      ? null
      : row.reduce<number>((sum, reward, column) => sum + (reward ?? 0) * (weights[column] ?? 0), 0),
  );
}
