/** What the optimizer needs on WebGPU: AdamW in place, and the sum of squares for clipping. */
import type { TensorInfo } from '@tensorflow/tfjs-core';
import type { AdamWOptions } from '../adamw.js';
import { sizeOf } from '../kernel.js';
import { isUnshared, like, makeOutput, release, share } from './device.js';
import { launch, launchEach, type Program, reads, REDUCTIONS, updates, writes } from './launch.js';

/** The tensor itself where it may be overwritten; where a clone looks on, a copy, and the clone keeps the old values. */
function successor(tensor: TensorInfo): TensorInfo {
  if (isUnshared(tensor)) return share(tensor);
  const copy = like(tensor);
  const bindings = { original: reads(tensor), copy: writes(copy) };
  launchEach('Copy', 'copy[i] = original[i];', sizeOf(tensor), bindings);
  return copy;
}

export function adamW(
  inputs: Record<'param' | 'grad' | 'm' | 'v', TensorInfo>,
  { lr, beta1, beta2, eps, weightDecay, step, gradScale }: Required<AdamWOptions>,
): [param: TensorInfo, m: TensorInfo, v: TensorInfo] {
  const [param, m, v] = [successor(inputs.param), successor(inputs.m), successor(inputs.v)];
  launchEach(
    'AdamW',
    `
    let scaled = grad[i] * size.gradScale;
    m[i] = size.beta1 * m[i] + size.keep1 * scaled;
    v[i] = size.beta2 * v[i] + size.keep2 * scaled * scaled;
    param[i] = param[i] * size.decay - size.rate * m[i] / (sqrt(v[i] * size.correction) + size.eps);`,
    sizeOf(param),
    { grad: reads(inputs.grad), param: updates(param), m: updates(m), v: updates(v) },
    {
      floats: {
        gradScale,
        beta1,
        keep1: 1 - beta1,
        beta2,
        keep2: 1 - beta2,
        decay: 1 - lr * weightDecay,
        rate: lr / (1 - beta1 ** step),
        correction: 1 / (1 - beta2 ** step),
        eps,
      },
    },
  );
  return [param, m, v];
}

/** Each workgroup adds up a stripe: with one group a sum, with several the parts of one. */
const sum = (name: string, term: string): Program => ({
  name,
  declarations: REDUCTIONS,
  body: `
    var sum = 0.0;
    for (var i = group * WIDTH + lane; i < size.elements; i += size.groups * WIDTH) { sum += ${term}; }
    let total = sumOfLanes(sum, lane);
    if (lane == 0u) { sums[group] = total; }`,
});
const squares = sum('SumOfSquares, by stripes', 'x[i] * x[i]');
const stripes = sum('SumOfSquares', 'x[i]');

/** Enough workgroups to fill a large GPU, few enough for one to add up what they leave. */
const STRIPES = 1024;

export function sumOfSquares(x: TensorInfo): TensorInfo {
  const elements = sizeOf(x);
  const groups = Math.min(STRIPES, Math.ceil(elements / 256));
  const [parts, total] = [makeOutput([groups]), makeOutput([])];
  launch(squares, groups, { x: reads(x), sums: writes(parts) }, { counts: { elements } });
  launch(stripes, 1, { x: reads(parts), sums: writes(total) }, { counts: { elements: groups } });
  release(parts);
  return total;
}
