import { beforeAll, describe, expect, it } from 'vitest';
import { dpoLoss, type DPOLossType } from 'posttrain/losses/preference';
import { initBackend } from 'posttrain/tensor/backend';
import { evaluate, type Evaluation } from './evaluate.js';

beforeAll(() => initBackend({ backend: 'cpu' }));

/** One pair whose log-ratios to the reference are `chosen` and `rejected`. */
const dpo = (
  [chosen, rejected]: readonly [number, number],
  lossType: DPOLossType,
  beta: number,
  labelSmoothing = 0,
): Evaluation =>
  evaluate(
    (chosenLogprobs, rejectedLogprobs, refChosen, refRejected, weights) =>
      dpoLoss(
        {
          chosenLogprobs,
          rejectedLogprobs: rejectedLogprobs!,
          refChosenLogprobs: refChosen!,
          refRejectedLogprobs: refRejected!,
          weights: weights!,
        },
        { beta, lossType, labelSmoothing },
      ),
    [[chosen - 20], [rejected - 30]],
    [[-20], [-30], [1]],
  );

describe('DPO', () => {
  it('starts at ln 2, pushing both replies apart by β/2', () => {
    const { value, grads } = dpo([0, 0], 'sigmoid', 0.1);
    expect(value).toBeCloseTo(Math.LN2, 6);
    expect(grads[0]![0]).toBeCloseTo(-0.05, 6);
    expect(grads[1]![0]).toBeCloseTo(0.05, 6);
  });

  it('has gradient −β σ(−βΔ) on the chosen and its opposite on the rejected reply', () => {
    const { grads } = dpo([1.5, -0.5], 'sigmoid', 0.5);
    const expected = -0.5 / (1 + Math.exp(1));
    expect(grads[0]![0]).toBeCloseTo(expected, 6);
    expect(grads[1]![0]).toBeCloseTo(-expected, 6);
  });

  it.each<[DPOLossType, number, number, number, number]>([
    ['sigmoid', 0.5, 0, 0.313262, -0.134471],
    ['sigmoid', 0.5, 0.1, 0.413262, -0.084471],
    ['ipo', 0.25, 0, 0, 0],
    ['ipo', 0.5, 0, 1, 2],
    ['hinge', 0.25, 0, 0.5, -0.25],
    ['hinge', 1, 0, 0, 0],
  ])(
    '%s, beta %d, smoothing %d, has its closed form at margin 2',
    (lossType, beta, smoothing, loss, gradient) => {
      const { value, grads } = dpo([1.5, -0.5], lossType, beta, smoothing);
      expect(value).toBeCloseTo(loss, 5);
      expect(grads[0]![0]).toBeCloseTo(gradient, 5);
    },
  );

  it('sees only the margin: both log-probabilities may fall', () =>
    expect(dpo([-3, -5], 'sigmoid', 0.5).value).toBeCloseTo(dpo([1.5, -0.5], 'sigmoid', 0.5).value, 5));

  it('is finite however large the margin', () => {
    expect(dpo([-1000, 1000], 'sigmoid', 1).value).toBe(2000);
    expect(dpo([1000, -1000], 'sigmoid', 1).value).toBeCloseTo(0, 6);
  });
});
