import { beforeAll, expect, it } from 'vitest';
import { valueLoss } from 'posttrain/losses/value-loss';
import { initBackend } from 'posttrain/tensor/backend';
import { evaluate } from './evaluate.js';

beforeAll(() => initBackend({ backend: 'cpu' }));

it.each<[string, number, number | null, number, number]>([
  ['is half the squared error without clipping', 1, null, 0.5, -1],
  ['is the same while a value is within the range', 0.6, 0.2, 0.98, -1.4],
  ['stops a value that moved far towards its return', 1, 0.2, 0.845, 0],
  ['calls back one that moved away', 0, 0.2, 2, -2],
])('value loss %s', (_, value, cliprangeValue, loss, gradient) => {
  const [oldValue, valueReturn] = [0.5, 2];
  const result = evaluate(
    (values, oldValues, returns, weights) =>
      valueLoss({ values, oldValues: oldValues!, returns: returns!, weights: weights! }, cliprangeValue),
    [[value]],
    [[oldValue], [valueReturn], [1]],
  );
  expect(result.value).toBeCloseTo(loss, 5);
  expect(result.grads[0]![0]).toBeCloseTo(gradient, 5);
});
