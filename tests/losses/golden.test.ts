/** Losses and gradients equal PyTorch's (golden.py) within 1e-5 of the largest number of their kind. */
import { readFileSync } from 'node:fs';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  bradleyTerryLoss,
  cispoLoss,
  type DPOLossType,
  dpoLoss,
  generalizedJSD,
  type KLEstimator,
  klPenalty,
  ktoLoss,
  type LossType,
  sequenceMeans,
  sequenceRatioLoss,
  type Sequences,
  sequenceSums,
  tokenEntropies,
  tokenWeights,
  valueLoss,
  weightedSum,
} from 'posttrain/losses';
import { initBackend } from 'posttrain/tensor';
import { testedBackends } from '../tensor/backends.js';
import { allValuesOf } from '../values.js';

type Stream =
  | 'logprobs'
  | 'old'
  | 'ref'
  | 'advantages'
  | 'values'
  | 'oldValues'
  | 'returns'
  | 'studentLogits'
  | 'teacherLogits'
  | 'chosenRewards'
  | 'rejectedRewards';
type Golden = Record<Stream | 'mask' | 'labels', number[]> & {
  readonly B: number;
  readonly T: number;
  readonly V: number;
  readonly cases: Readonly<Record<string, { readonly loss: number; readonly grad: number[] }>>;
};
const golden = JSON.parse(readFileSync(new URL('./golden.json', import.meta.url), 'utf8')) as Golden;
const { B, T, V } = golden;

function expectClose(actual: readonly number[], expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length);
  const scale = Math.max(...expected.map(Math.abs));
  actual.forEach((value, i) => expect(Math.abs(value - expected[i]!)).toBeLessThan(1e-5 * scale));
}

async function expectGolden(name: string, stream: Stream, loss: (x: tf.Tensor) => tf.Tensor): Promise<void> {
  const [value, gradient] = await allValuesOf(() => {
    const { value, grad } = tf.valueAndGrad((x: tf.Tensor) => tf.sum(loss(x)))(tf.tensor1d(golden[stream]));
    return [value, grad];
  });
  const expected = golden.cases[name]!;
  expectClose([...value!], [expected.loss]);
  expectClose([...gradient!], expected.grad);
}

const stream = (name: Stream): tf.Tensor => tf.tensor1d(golden[name]);
const table = (x: tf.Tensor): tf.Tensor => tf.reshape(x, [B * T, V]);

function weights(lossType: LossType): tf.Tensor {
  const masks = Array.from({ length: B }, (_, b) => Uint8Array.from(golden.mask.slice(b * T, b * T + T)));
  return tf.tensor1d(tokenWeights(masks, lossType, T).flatMap((row) => [...row]));
}

/** The B sequences of the streams. */
function sequences(): Sequences {
  const ids = Array.from({ length: B * T }, (_, n) => Math.floor(n / T));
  return { ids: tf.tensor1d(ids, 'int32'), count: B };
}

describe.each(testedBackends)('on %s', (backend) => {
  beforeAll(() => initBackend({ backend }));

  it('cispo', () =>
    expectGolden('cispo', 'logprobs', (logprobs) =>
      cispoLoss(
        { logprobs, oldLogprobs: stream('old'), advantages: stream('advantages'), weights: weights('dapo') },
        1.3,
      ),
    ));

  it.each<LossType>(['dapo', 'grpo'])('gspo, %s', (lossType) =>
    expectGolden(`gspo, ${lossType}`, 'logprobs', (logprobs) =>
      sequenceRatioLoss(
        {
          logprobs,
          oldLogprobs: stream('old'),
          advantages: stream('advantages'),
          weights: weights(lossType),
        },
        sequences(),
        { epsilon: 0.1, epsilonHigh: 0.2, delta: null },
      ),
    ),
  );

  it.each<KLEstimator>(['k1', 'k2', 'k3'])('%s', (estimator) =>
    expectGolden(estimator, 'logprobs', (logprobs) => {
      const streams = { logprobs, refLogprobs: stream('ref'), weights: weights('dapo') };
      return weightedSum(klPenalty(streams, estimator), streams.weights);
    }),
  );

  it.each([
    ['value, clipped', 0.2],
    ['value', null],
  ])('%s', (name, cliprangeValue) =>
    expectGolden(name, 'values', (values) =>
      valueLoss(
        {
          values,
          oldValues: stream('oldValues'),
          returns: stream('returns'),
          weights: weights('dapo'),
        },
        cliprangeValue,
      ),
    ),
  );

  it('entropy', () =>
    expectGolden('entropy', 'studentLogits', (logits) =>
      weightedSum(tokenEntropies(table(logits), weights('dapo'), 0.7), weights('dapo')),
    ));

  it.each([0, 0.1, 0.5, 1])('generalised JSD, beta %d', (beta) =>
    expectGolden(`jsd ${beta}`, 'studentLogits', (logits) => {
      const streams = {
        studentLogits: table(logits),
        teacherLogits: table(stream('teacherLogits')),
        weights: weights('dapo'),
      };
      return weightedSum(generalizedJSD(streams, beta, 0.9), streams.weights);
    }),
  );

  it.each<[string, DPOLossType, number]>([
    ['dpo sigmoid', 'sigmoid', 0],
    ['dpo sigmoid, smoothed', 'sigmoid', 0.1],
    ['dpo hinge', 'hinge', 0],
    ['dpo ipo', 'ipo', 0],
  ])('%s', (name, lossType, labelSmoothing) =>
    expectGolden(name, 'logprobs', (logprobs) => {
      const total = lossType === 'ipo' ? sequenceMeans : sequenceSums;
      const [chosenLogprobs, rejectedLogprobs, refChosenLogprobs, refRejectedLogprobs] = [
        logprobs,
        stream('ref'),
      ].flatMap((x) => tf.split(total(x, weights('dapo'), sequences()), 2)) as [
        tf.Tensor,
        tf.Tensor,
        tf.Tensor,
        tf.Tensor,
      ];
      const pairs = { chosenLogprobs, rejectedLogprobs, refChosenLogprobs, refRejectedLogprobs };
      return dpoLoss({ ...pairs, weights: tf.fill([B / 2], 2 / B) }, { beta: 0.3, lossType, labelSmoothing });
    }),
  );

  it('kto', () =>
    expectGolden('kto', 'logprobs', (logprobs) =>
      ktoLoss(
        {
          logprobs: sequenceSums(logprobs, weights('dapo'), sequences()),
          refLogprobs: sequenceSums(stream('ref'), weights('dapo'), sequences()),
          labels: tf.tensor1d(golden.labels),
          weights: tf.fill([B], 1 / B),
        },
        { beta: 0.3, desirableWeight: 1.5, undesirableWeight: 0.8, referencePoint: 0.25 },
      ),
    ));

  it.each([
    ['bradley-terry', null],
    ['bradley-terry, centered', 0.05],
  ])('%s', (name, centerRewardsCoefficient) =>
    expectGolden(name, 'chosenRewards', (chosenRewards) =>
      bradleyTerryLoss(
        { chosenRewards, rejectedRewards: stream('rejectedRewards'), weights: tf.fill([B], 1 / B) },
        centerRewardsCoefficient,
      ),
    ),
  );
});
