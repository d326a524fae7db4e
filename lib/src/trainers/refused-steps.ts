import type { OptimResult, WeightedTokens } from '../engine/types.js';

/** Steps in a row that may be refused before a run stops. */
const LIMIT = 3;

/** Loss or gradient was not finite several times in a row: the run has diverged. Holds the last batch for inspection. */
export class NonFiniteError extends Error {
  override readonly name = 'NonFiniteError';
  constructor(
    readonly step: number,
    readonly batch: readonly WeightedTokens[],
  ) {
    super(
      `Loss or gradient was not finite in ${LIMIT} steps in a row, the last one step ${step}. The weights are those of the last good step. ` +
        'Lower learningRate or maxGradNorm; the batch is in `error.batch` (see `dumpBatch`).',
    );
  }
}

/** Refused steps in a row after this one; the engine has left the weights alone. Throws NonFiniteError at the third. */
export function countRefused(
  before: number,
  result: OptimResult,
  step: number,
  batch: readonly WeightedTokens[],
): number {
  if (result.stepped) return 0;
  if (before + 1 >= LIMIT) throw new NonFiniteError(step, batch);
  return before + 1;
}

/** A batch as JSON Lines, one datum a line; NaN and infinities are written as strings so that they survive. */
export function dumpBatch(batch: readonly WeightedTokens[]): string {
  const plain = (_: string, value: unknown): unknown => {
    if (ArrayBuffer.isView(value)) return Array.from(value as Float32Array | Int32Array);
    return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
  };
  return batch.map((datum) => `${JSON.stringify(datum, plain)}\n`).join('');
}
