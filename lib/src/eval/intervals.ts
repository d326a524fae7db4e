/** A share with the range that holds its true value with 95 % confidence. */
export interface Proportion {
  readonly successes: number;
  readonly trials: number;
  /** `successes / trials`; 0 of 0 trials. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** 97.5 % quantile of the standard normal distribution. */
const Z_95 = 1.959963984540054;

/**
 * Wilson's score interval: the centre is pulled towards ½ and the range never leaves [0, 1], so that 0 of 20 or 20 of 20
 * still get an honest width (E. B. Wilson, JASA 22, 1927).
 *
 * `centre = (p̂ + z²/2n) / (1 + z²/n)`, `half-width = z/(1 + z²/n) · √(p̂(1−p̂)/n + z²/4n²)`.
 *
 * @throws RangeError unless `0 ≤ successes ≤ trials`, both finite.
 */
export function wilsonInterval(successes: number, trials: number, z: number = Z_95): Proportion {
  if (!(successes >= 0 && successes <= trials && Number.isFinite(trials))) {
    throw new RangeError(`Expected 0 ≤ successes ≤ trials, got ${successes} of ${trials}.`);
  }
  if (trials === 0) return { successes, trials, value: 0, low: 0, high: 1 };
  const share = successes / trials;
  const shrink = 1 + (z * z) / trials;
  const centre = (share + (z * z) / (2 * trials)) / shrink;
  const half = (z / shrink) * Math.sqrt((share * (1 - share)) / trials + (z * z) / (4 * trials * trials));
  return {
    successes,
    trials,
    value: share,
    low: successes === 0 ? 0 : centre - half,
    high: successes === trials ? 1 : centre + half,
  };
}
