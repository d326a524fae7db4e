import { batchAdvantages, combineRewards, groupAdvantages } from './advantages.js';

/**
 * GDPO (TRL: `multi_objective_aggregation='normalize_then_sum'`): each reward function is normalised in its group before
 * the weighted sum, so that a reward on a small scale counts as much as one on a large scale; the sums are then normalised over
 * the batch. `null` = the reward does not apply to the sample; a sample to which none applies gets 0 and stays out of all means.
 *
 * @param groups rewards `[groups][samples][reward functions]`
 * @param weights one for each reward function
 * @returns advantages `[groups][samples]`
 *
 * Source: arXiv 2601.05242.
 */
export function normalizeThenSum(
  groups: readonly (readonly (readonly (number | null)[])[])[],
  weights: readonly number[],
): number[][] {
  const sums = groups.map((samples) => combineRewards(normalizedColumns(samples, weights.length), weights));
  const advantages = [...batchAdvantages(sums.flat())];
  return sums.map(({ length }) => advantages.splice(0, length));
}

function normalizedColumns(
  samples: readonly (readonly (number | null)[])[],
  functions: number,
): (number | null)[][] {
  const columns = Array.from({ length: functions }, (_, f) => samples.map((sample) => sample[f] ?? null));
  const { advantages } = groupAdvantages(columns);
  return samples.map((sample, s) =>
    columns.map((_, f) => ((sample[f] ?? null) === null ? null : (advantages[f]?.[s] as number))),
  );
}
