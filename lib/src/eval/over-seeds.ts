/** One number measured once per seed. */
export interface OverSeeds {
  readonly seeds: number;
  readonly mean: number;
  /** 95 % interval of the mean (Student's t); as wide as it is because seeds are few. Absent for a single seed. */
  readonly low?: number;
  readonly high?: number;
  readonly min: number;
  readonly max: number;
}

/** 97.5 % quantiles of Student's t distribution for 1, 2, … degrees of freedom. */
const T_975 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262] as const;
const Z_975 = 1.96;

/** Throws when there are no values. */
export function overSeeds(values: readonly number[]): OverSeeds {
  const seeds = values.length;
  if (seeds === 0) throw new RangeError('A mean over seeds needs at least one value.');
  const mean = values.reduce((sum, v) => sum + v, 0) / seeds;
  const range = { seeds, mean, min: Math.min(...values), max: Math.max(...values) };
  if (seeds === 1) return range;
  const variance = values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (seeds - 1);
  const half = (T_975[seeds - 2] ?? Z_975) * Math.sqrt(variance / seeds);
  return { ...range, low: mean - half, high: mean + half };
}
