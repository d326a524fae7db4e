import { beforeAll, describe, expect, it } from 'vitest';
import { bradleyTerryLoss } from 'posttrain/losses/bradley-terry';
import { initBackend } from 'posttrain/tensor/backend';
import { evaluate, type Evaluation } from './evaluate.js';

beforeAll(() => initBackend({ backend: 'cpu' }));

const bradleyTerry = (chosen: number, rejected: number, centering: number | null): Evaluation =>
  evaluate(
    (chosenRewards, rejectedRewards, weights) =>
      bradleyTerryLoss({ chosenRewards, rejectedRewards: rejectedRewards!, weights: weights! }, centering),
    [[chosen], [rejected]],
    [[1]],
  );

describe('Bradley–Terry', () => {
  it('is ln 2 for equal scores and −log σ of the difference otherwise', () => {
    expect(bradleyTerry(3, 3, null).value).toBeCloseTo(Math.LN2, 6);
    const { value, grads } = bradleyTerry(1, 0, null);
    expect(value).toBeCloseTo(0.313262, 6);
    expect(grads[0]![0]).toBeCloseTo(-0.268941, 6);
    expect(grads[1]![0]).toBeCloseTo(0.268941, 6);
  });

  it('does not see a constant added to all rewards', () => {
    expect(bradleyTerry(6, 5, null)).toEqual(bradleyTerry(1, 0, null));
  });

  it('sees it with centering, which pulls the sum of both towards 0', () => {
    const { value, grads } = bradleyTerry(1, 0, 0.01);
    expect(value).toBeCloseTo(0.313262 + 0.01, 6);
    expect(grads[0]![0]).toBeCloseTo(-0.268941 + 0.02, 6);
    expect(grads[1]![0]).toBeCloseTo(0.268941 + 0.02, 6);
    expect(bradleyTerry(6, 5, 0.01).value).toBeCloseTo(0.313262 + 1.21, 5);
  });
});
