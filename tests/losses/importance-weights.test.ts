import { describe, expect, it } from 'vitest';
import { type ImportanceSamplingMode, importanceWeights } from 'posttrain/losses/importance-weights';

describe('importance weights', () => {
  const weights = (logRatios: number[], mode: ImportanceSamplingMode) => [
    ...importanceWeights(
      {
        trainerLogprobs: Float32Array.from([...logRatios, NaN]),
        samplerLogprobs: new Float32Array(logRatios.length + 1),
        mask: Uint8Array.from([...logRatios.map(() => 1), 0]),
      },
      mode,
      3,
    ),
  ];
  const all = (value: number, length: number) => Array.from({ length }, () => expect.closeTo(value, 4));
  const mismatched = [0.2, 0.2, 0.2, 0.2, 0.2, 0.2];

  it.each<[ImportanceSamplingMode, number]>([
    ['token_truncate', 1.2214],
    ['token_mask', 1.2214],
    ['sequence_truncate', 3],
    ['sequence_mask', 0],
  ])('%s of six small mismatches, e^1.2 together (B3)', (mode, expected) =>
    expect(weights(mismatched, mode)).toEqual([...all(expected, 6), 0]),
  );

  it('bounds or drops single tokens', () => {
    expect(weights([2, -1], 'token_truncate')).toEqual([3, expect.closeTo(0.3679, 4), 0]);
    expect(weights([2, -1], 'token_mask')).toEqual([0, expect.closeTo(0.3679, 4), 0]);
  });

  it('is 1 where sampler and trainer agree', () => {
    for (const mode of ['token_truncate', 'sequence_mask'] as const)
      expect(weights([0, 0], mode)).toEqual([1, 1, 0]);
  });
});
