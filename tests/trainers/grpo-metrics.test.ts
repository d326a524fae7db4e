import { expect, it } from 'vitest';
import { defineGRPOConfig } from 'posttrain/trainers';
import type { SampledBatch } from 'posttrain/trainers/sampled-batch';
import { clipRatios } from 'posttrain/trainers/grpo-metrics';

it('counts a token as clipped only where its gradient is: above for A > 0, below for A < 0 (C15)', () => {
  const tokens = [
    { ratio: 1.3, advantage: 1, weight: 0.1 },
    { ratio: 1.3, advantage: -1, weight: 0.1 },
    { ratio: 0.7, advantage: 1, weight: 0.1 },
    { ratio: 0.7, advantage: -1, weight: 0.1 },
    { ratio: 1.25, advantage: 1, weight: 0.1 },
    { ratio: 9, advantage: 1, weight: 0 },
  ];
  const stream = (of: (token: (typeof tokens)[number]) => number): Float32Array =>
    Float32Array.from(tokens, of);
  const datum = {
    tokens: new Int32Array(tokens.length),
    weights: stream(({ weight }) => weight),
    advantages: stream(({ advantage }) => advantage),
  };
  const batch: SampledBatch = { data: [datum], trajectories: [] };
  const logprobs = [stream(({ ratio }) => Math.log(ratio))];
  const config = defineGRPOConfig({ epsilon: 0.2, epsilonHigh: 0.28 });
  expect(clipRatios(batch, logprobs, [new Float32Array(tokens.length)], config)).toEqual({
    low: 1 / 5,
    high: 1 / 5,
    region: 2 / 5,
  });
});
