/** What holds for every loss (C5, C6, C6b): masked places do not count, and order does not matter, bit for bit. */
import * as tf from '@tensorflow/tfjs-core';
import * as fc from 'fast-check';
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
  sequenceRatioLoss,
  tokenEntropies,
  valueLoss,
  weightedSum,
} from 'posttrain/losses';
import { initBackend } from 'posttrain/tensor';
import { evaluate, type Values } from './evaluate.js';
import { testedBackends } from '../tensor/backends.js';

type T = tf.Tensor;
interface Case {
  /** How many of the columns, from the first, are differentiated. */
  readonly differentiable: number;
  /** What a column holds at each place: a number, or a row of V. */
  readonly columns: readonly ('stream' | 'table')[];
  readonly loss: (weights: T, ...columns: T[]) => T;
}

/** Two sequences, tokens taking turns, so that both have masked and unmasked ones. */
const twoSequences = (weights: T) => ({
  ids: tf.mod(tf.range(0, weights.size, 1, 'int32'), 2),
  count: 2,
});

const losses: Record<string, Case> = {
  cispo: {
    differentiable: 1,
    columns: ['stream', 'stream', 'stream'],
    loss: (weights, logprobs, oldLogprobs, advantages) =>
      cispoLoss({ logprobs: logprobs!, oldLogprobs: oldLogprobs!, advantages: advantages!, weights }, 1.5),
  },
  gspo: {
    differentiable: 1,
    columns: ['stream', 'stream', 'stream'],
    loss: (weights, logprobs, oldLogprobs, advantages) =>
      sequenceRatioLoss(
        { logprobs: logprobs!, oldLogprobs: oldLogprobs!, advantages: advantages!, weights },
        twoSequences(weights),
        { epsilon: 0.2, epsilonHigh: 0.3, delta: null },
      ),
  },
  ...Object.fromEntries(
    (['k1', 'k2', 'k3'] satisfies KLEstimator[]).map((estimator): [string, Case] => [
      estimator,
      {
        differentiable: 1,
        columns: ['stream', 'stream'],
        loss: (weights, logprobs, refLogprobs) =>
          weightedSum(
            klPenalty({ logprobs: logprobs!, refLogprobs: refLogprobs!, weights }, estimator),
            weights,
          ),
      },
    ]),
  ),
  value: {
    differentiable: 1,
    columns: ['stream', 'stream', 'stream'],
    loss: (weights, values, oldValues, returns) =>
      valueLoss({ values: values!, oldValues: oldValues!, returns: returns!, weights }, 0.2),
  },
  entropy: {
    differentiable: 1,
    columns: ['table'],
    loss: (weights, logits) => weightedSum(tokenEntropies(logits!, weights), weights),
  },
  ...Object.fromEntries(
    [0, 0.3, 1].map((beta): [string, Case] => [
      `generalised JSD, beta ${beta}`,
      {
        differentiable: 1,
        columns: ['table', 'table'],
        loss: (weights, studentLogits, teacherLogits) =>
          weightedSum(
            generalizedJSD({ studentLogits: studentLogits!, teacherLogits: teacherLogits!, weights }, beta),
            weights,
          ),
      },
    ]),
  ),
  ...Object.fromEntries(
    (['sigmoid', 'ipo', 'hinge'] satisfies DPOLossType[]).map((lossType): [string, Case] => [
      `DPO ${lossType}`,
      {
        differentiable: 2,
        columns: ['stream', 'stream', 'stream', 'stream'],
        loss: (weights, chosen, rejected, refChosen, refRejected) =>
          dpoLoss(
            {
              chosenLogprobs: chosen!,
              rejectedLogprobs: rejected!,
              refChosenLogprobs: refChosen!,
              refRejectedLogprobs: refRejected!,
              weights,
            },
            { beta: 0.5, lossType, labelSmoothing: 0.1 },
          ),
      },
    ]),
  ),
  kto: {
    differentiable: 1,
    columns: ['stream', 'stream', 'stream'],
    loss: (weights, logprobs, refLogprobs, labels) =>
      ktoLoss(
        { logprobs: logprobs!, refLogprobs: refLogprobs!, labels: tf.step(labels!), weights },
        { beta: 0.5, desirableWeight: 1, undesirableWeight: 2, referencePoint: 0.1 },
      ),
  },
  'Bradley–Terry': {
    differentiable: 2,
    columns: ['stream', 'stream'],
    loss: (weights, chosenRewards, rejectedRewards) =>
      bradleyTerryLoss({ chosenRewards: chosenRewards!, rejectedRewards: rejectedRewards!, weights }, 0.1),
  },
};

const V = 3;
interface Place {
  readonly counts: boolean;
  /** V numbers for each of up to four columns. */
  readonly honest: number[];
  /** What stands there instead when the place is masked and the case soiled. */
  readonly rubbish: number;
}
const places = fc.array(
  fc.record<Place>({
    counts: fc.boolean(),
    honest: fc.array(fc.float({ min: -4, max: 4, noNaN: true }), { minLength: 4 * V, maxLength: 4 * V }),
    rubbish: fc.constantFrom(NaN, Infinity, -Infinity, 200, -1e30),
  }),
  { minLength: 1, maxLength: 6 },
);

/** Value and gradients, each gradient by place; −0 counts as 0. */
function run({ differentiable, columns, loss }: Case, rows: readonly Place[], soiled: boolean) {
  const streams = columns.map((kind, column) =>
    rows.map(({ counts, honest, rubbish }) => {
      const row = honest.slice(column * V, column * V + V).map((x) => (soiled && !counts ? rubbish : x));
      return kind === 'table' ? row : row[0]!;
    }),
  ) as Values[];
  const { value, grads } = evaluate(
    (...tensors) => loss(tensors.at(-1)!, ...tensors.slice(0, -1)),
    streams.slice(0, differentiable),
    [...streams.slice(differentiable), rows.map(({ counts }) => (counts ? 0.5 : 0))],
  );
  const byPlace = (grad: readonly number[]): number[][] => {
    const width = grad.length / rows.length;
    return rows.map((_, i) => grad.slice(i * width, i * width + width).map((g) => g + 0));
  };
  return { value, grads: grads.map(byPlace) };
}

describe.each(testedBackends)('on %s', (backend) => {
  beforeAll(() => initBackend({ backend }));

  it.each(Object.entries(losses))('%s ignores whatever stands at masked places', (_, loss) => {
    fc.assert(
      fc.property(places, (rows) => {
        const clean = run(loss, rows, false);
        expect(Number.isFinite(clean.value)).toBe(true);
        expect(run(loss, rows, true)).toEqual(clean);
        for (const grad of clean.grads)
          rows.forEach(({ counts }, i) => counts || expect(new Set(grad[i])).toEqual(new Set([0])));
      }),
      { numRuns: 40 },
    );
  });

  const placeByPlace = Object.entries(losses).filter(([name]) => name !== 'gspo');
  it.each(placeByPlace)('%s moves its gradients along when places are permuted', (_, loss) => {
    fc.assert(
      fc.property(places, (rows) => {
        const reversed = run(loss, [...rows].reverse(), false).grads.map((grad) => grad.reverse());
        // TensorFlow computes what fills no vector with another exponential
        const same = (value: number): unknown =>
          backend === 'tensorflow' ? expect.closeTo(value, 6) : value;
        expect(reversed.flat(2)).toEqual(run(loss, rows, false).grads.flat(2).map(same));
      }),
      { numRuns: 20 },
    );
  });
});
