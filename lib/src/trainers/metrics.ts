import { mean } from '../losses/index.js';

/** Numbers of one step by TRL's names. A key is absent when nothing was measured; values are always finite. */
export type Metrics = Readonly<Record<string, number>>;

/** What a step measured, before it is known to be finite; `undefined` = not measured. */
export type Values = Readonly<Record<string, number | undefined>>;

/** Keeps finite values; each other becomes `nonfinite/<key>` = 1, so that no NaN ever reaches a log. */
export function finiteMetrics(values: Values): Metrics {
  const metrics: Record<string, number> = {};
  for (const [key, value] of Object.entries(values)) {
    if (value === undefined) continue;
    if (Number.isFinite(value)) metrics[key] = value;
    else metrics[`nonfinite/${key}`] = 1;
  }
  return metrics;
}

/** Arithmetic mean of what was measured; `undefined` when nothing was. */
export function meanOfKnown(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : mean(known);
}

/** Mean of measured streams `[T]` over the tokens whose weight is not 0; `undefined` when there are none, or nothing was measured. */
export function streamMean(
  weights: readonly Float32Array[],
  streams: readonly ArrayLike<number>[] | undefined,
): number | undefined {
  return streams && tokenMean(weights, (sequence, token) => streams[sequence]?.[token] ?? 0);
}

/** Mean of a per-token stream over the tokens whose weight is not 0; `undefined` when there are none. */
export function tokenMean(
  weights: readonly Float32Array[],
  value: (sequence: number, token: number) => number,
): number | undefined {
  let sum = 0;
  let tokens = 0;
  weights.forEach((stream, sequence) =>
    stream.forEach((weight, token) => {
      if (weight === 0) return;
      sum += value(sequence, token);
      tokens += 1;
    }),
  );
  return tokens === 0 ? undefined : sum / tokens;
}
