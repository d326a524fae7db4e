/** Attention of one new token a row on WebGPU: the cache is written in place, then a workgroup a head reads it once. */
import type { TensorInfo } from '@tensorflow/tfjs-core';
import { sizeOf } from '../kernel.js';
import { like } from './device.js';
import { launch, launchEach, type Program, reads, readsInts, REDUCTIONS, updates, writes } from './launch.js';

/** Positions looked at together, one a lane; then the lanes share out the features. */
const WIDTH = 64;

const attend = (headDim: number): Program => ({
  name: `DecodeAttention ${headDim}`,
  width: WIDTH,
  declarations: `
    const FEATURES = ${headDim}u;
    const OWN = ${Math.ceil(headDim / WIDTH)}u;
    var<workgroup> weights: array<f32, WIDTH>;
    ${REDUCTIONS}`,
  body: `
    let head = group % size.heads;
    let batch = group / size.heads;
    let cache = (batch * size.keyValueHeads + head * size.keyValueHeads / size.heads) * size.capacity;
    let length = u32(lengths[batch]) + 1u;
    var mixture: array<f32, OWN>;
    var largest = -1e30;
    var sum = 0.0;
    for (var first = 0u; first < length; first += WIDTH) {
      let isSeen = first + lane < length;
      var score = -1e30;
      if (isSeen) {
        score = 0.0;
        for (var d = 0u; d < FEATURES; d++) {
          score += q[group * FEATURES + d] * keys[(cache + first + lane) * FEATURES + d];
        }
        score *= size.scale;
      }
      let larger = max(largest, largestOfLanes(score, lane));
      let kept = exp(largest - larger);
      let weight = select(0.0, exp(score - larger), isSeen);
      largest = larger;
      sum = sum * kept + sumOfLanes(weight, lane);
      weights[lane] = weight;
      workgroupBarrier();
      for (var own = 0u; own < OWN; own++) {
        let d = own * WIDTH + lane;
        if (d < FEATURES) {
          mixture[own] *= kept;
          for (var j = 0u; j < min(WIDTH, length - first); j++) {
            mixture[own] += weights[j] * values[(cache + first + j) * FEATURES + d];
          }
        }
      }
      workgroupBarrier();
    }
    for (var own = 0u; own < OWN; own++) {
      let d = own * WIDTH + lane;
      if (d < FEATURES) { attended[group * FEATURES + d] = mixture[own] / sum; }
    }`,
});

export function decodeAttention(
  inputs: Record<'q' | 'k' | 'v' | 'keys' | 'values' | 'lengths', TensorInfo>,
): TensorInfo {
  const { q, k, v, keys, values, lengths } = inputs;
  const [batch, keyValueHeads, capacity, headDim] = keys.shape as [number, number, number, number];
  launchEach(
    'DecodeAttention, cache',
    `
    let vector = i / size.headDim;
    let slot = vector * size.capacity + u32(lengths[vector / size.keyValueHeads]);
    keys[slot * size.headDim + i % size.headDim] = k[i];
    values[slot * size.headDim + i % size.headDim] = v[i];`,
    sizeOf(k),
    { k: reads(k), v: reads(v), lengths: readsInts(lengths), keys: updates(keys), values: updates(values) },
    { counts: { headDim, keyValueHeads, capacity } },
  );
  const attended = like(q);
  const heads = q.shape[1] as number;
  launch(
    attend(headDim),
    batch * heads,
    {
      q: reads(q),
      keys: reads(keys),
      values: reads(values),
      lengths: readsInts(lengths),
      attended: writes(attended),
    },
    { counts: { heads, keyValueHeads, capacity }, floats: { scale: 1 / Math.sqrt(headDim) } },
  );
  return attended;
}
