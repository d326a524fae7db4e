import { randomStream } from '../tensor/random.js';

/** Difference of two checkpoints on the same tasks, with a 95 % interval. */
export interface Comparison {
  readonly tasks: number;
  /** Mean of `after − before`. */
  readonly difference: number;
  readonly low: number;
  readonly high: number;
  /** The interval excludes 0. */
  readonly significant: boolean;
}

/**
 * Paired bootstrap: tasks differ far more from each other than checkpoints do, so the *differences* per task are resampled
 * (B. Efron 1979; percentile interval).
 *
 * @param before score of each task, e.g. its mean success over samples
 * @param after score of the same tasks in the same order
 * @throws RangeError when lengths differ, there are no tasks, or a score is not finite.
 */
export function pairedBootstrap(
  before: readonly number[],
  after: readonly number[],
  options: { readonly seed?: number; readonly resamples?: number } = {},
): Comparison {
  const { seed = 42, resamples = 2000 } = options;
  if (before.length !== after.length || before.length === 0) {
    throw new RangeError(
      `A paired comparison needs the same tasks on both sides, got ${before.length} and ${after.length}.`,
    );
  }
  const differences = before.map((score, task) => (after[task] as number) - score);
  if (!differences.every(Number.isFinite)) throw new RangeError('A paired comparison needs finite scores.');
  const random = randomStream(seed, 'eval/bootstrap');
  const means = new Float64Array(resamples);
  for (let resample = 0; resample < resamples; resample += 1) {
    let sum = 0;
    for (let draw = 0; draw < differences.length; draw += 1)
      sum += differences[random.int(differences.length)] as number;
    means[resample] = sum / differences.length;
  }
  means.sort();
  const low = quantile(means, 0.025);
  const high = quantile(means, 0.975);
  const difference = differences.reduce((sum, value) => sum + value, 0) / differences.length;
  return { tasks: differences.length, difference, low, high, significant: low > 0 || high < 0 };
}

/** Linear interpolation between the two nearest of the ascending values (numpy's default). */
function quantile(ascending: Float64Array, share: number): number {
  const position = share * (ascending.length - 1);
  const below = Math.floor(position);
  const lower = ascending[below] as number;
  const upper = ascending[Math.min(below + 1, ascending.length - 1)] as number;
  return lower + (upper - lower) * (position - below);
}
