/** The gradient of causal attention on WebGPU, which computes the weights anew: FlashAttention's algorithm 4. */
import type { TensorInfo } from '@tensorflow/tfjs-core';
import {
  at,
  type AttentionInputs,
  attentionProgram,
  FOR_EACH_BLOCK_OF_KEYS,
  FOR_EACH_SEEN_KEY,
  type Layout,
  layoutOf,
  LOAD_KEYS,
  sizesOf,
  TILE,
} from './attention-layout.js';
import { like, makeOutput, release } from './device.js';
import { launch, type Program, reads, readsInts, writes } from './launch.js';

/** `stats [2, B, H, T]`: the log of each query's sum of weights, and what its output and that one's gradient have in common. */
const statistics: Program = {
  name: 'CausalAttentionGradient, statistics',
  width: TILE,
  body: `
    let i = group * WIDTH + lane;
    if (i >= size.queries) { return; }
    let position = i % size.length;
    let head = (i / size.length) % size.heads;
    let batch = i / (size.length * size.heads);
    let origin = ((batch * size.length + position) * size.heads + head) * size.headDim;
    var sum = 0.0;
    for (var d = 0u; d < size.headDim; d++) { sum += attended[origin + d] * dy[origin + d]; }
    stats[i] = lse[i];
    stats[size.queries + i] = sum;`,
};

const queryGradient = (layout: Layout): Program =>
  attentionProgram(
    'CausalAttentionGradient, queries',
    layout,
    `
    let here = ${at('min(position, size.length - 1u)', 'heads', 'head')};
    let row = (batch * size.heads + head) * size.length + min(position, size.length - 1u);
    let logSum = stats[row];
    let overlap = stats[size.queries + row];
    var query: Vector;
    var slope: Vector;
    var sum: Vector;
    if (isReal) {
      for (var i = 0u; i < ELEMENTS; i++) {
        query[i] = q[here + i] * size.scale;
        slope[i] = dy[here + i];
      }
    }
    ${FOR_EACH_BLOCK_OF_KEYS} {
      ${LOAD_KEYS}
      ${FOR_EACH_SEEN_KEY} {
        var score = 0.0;
        var change = 0.0;
        for (var i = 0u; i < ELEMENTS; i++) {
          score += product(query[i], left[j * ELEMENTS + i]);
          change += product(slope[i], right[j * ELEMENTS + i]);
        }
        let push = exp(score - logSum) * (change - overlap);
        for (var i = 0u; i < ELEMENTS; i++) { sum[i] += push * left[j * ELEMENTS + i]; }
      }
    }
    if (position < size.length) {
      for (var i = 0u; i < ELEMENTS; i++) { dq[here + i] = sum[i] * size.scale; }
    }`,
  );

/** A key is seen by every query after it, of each head that shares it. */
const keyGradient = (layout: Layout): Program =>
  attentionProgram(
    'CausalAttentionGradient, keys and values',
    layout,
    `
    let here = ${at('min(position, size.length - 1u)', 'keyValueHeads', 'head')};
    let sharing = size.heads / size.keyValueHeads;
    var key: Vector;
    var value: Vector;
    var keySum: Vector;
    var valueSum: Vector;
    if (isReal) {
      for (var i = 0u; i < ELEMENTS; i++) {
        key[i] = k[here + i] * size.scale;
        value[i] = v[here + i];
      }
    }
    for (var queryHead = head * sharing; queryHead < (head + 1u) * sharing; queryHead++) {
      for (var first = tile * WIDTH; first < size.length; first += BLOCK) {
        workgroupBarrier();
        for (var i = lane; i < BLOCK * ELEMENTS; i += WIDTH) {
          let other = first + i / ELEMENTS;
          if (other < size.length) {
            let origin = ${at('other', 'heads', 'queryHead')} + i % ELEMENTS;
            left[i] = q[origin];
            right[i] = dy[origin];
          }
        }
        workgroupBarrier();
        let unseeing = max(position, first) - first;
        for (var j = unseeing; isReal && j < min(BLOCK, size.length - first); j++) {
          let row = (batch * size.heads + queryHead) * size.length + first + j;
          var score = 0.0;
          var change = 0.0;
          for (var i = 0u; i < ELEMENTS; i++) {
            score += product(key[i], left[j * ELEMENTS + i]);
            change += product(value[i], right[j * ELEMENTS + i]);
          }
          let weight = exp(score - stats[row]);
          let push = weight * (change - stats[size.queries + row]);
          for (var i = 0u; i < ELEMENTS; i++) {
            keySum[i] += push * left[j * ELEMENTS + i];
            valueSum[i] += weight * right[j * ELEMENTS + i];
          }
        }
      }
    }
    if (position < size.length) {
      for (var i = 0u; i < ELEMENTS; i++) {
        dk[here + i] = keySum[i] * size.scale;
        dv[here + i] = valueSum[i];
      }
    }`,
  );

export function causalAttentionGradient(
  inputs: AttentionInputs & Record<'dy' | 'out' | 'lse', TensorInfo>,
): [dq: TensorInfo, dk: TensorInfo, dv: TensorInfo] {
  const { q, k, v, starts, dy, out, lse } = inputs;
  const { batch, headDim, counts, floats } = sizesOf(inputs);
  const layout = layoutOf(headDim);
  const [dq, dk, dv] = [like(q), like(k), like(v)];
  const stats = makeOutput([2, counts.queries]);
  launch(
    statistics,
    Math.ceil(counts.queries / TILE),
    { attended: reads(out), dy: reads(dy), lse: reads(lse), stats: writes(stats) },
    { counts: { ...counts, headDim } },
  );
  const common = {
    q: reads(q, layout.element),
    k: reads(k, layout.element),
    v: reads(v, layout.element),
    starts: readsInts(starts),
    stats: reads(stats),
    dy: reads(dy, layout.element),
  };
  launch(
    queryGradient(layout),
    batch * counts.heads * counts.tiles,
    { ...common, dq: writes(dq, layout.element) },
    { counts: { ...counts, tileHeads: counts.heads }, floats },
  );
  launch(
    keyGradient(layout),
    batch * counts.keyValueHeads * counts.tiles,
    { ...common, dk: writes(dk, layout.element), dv: writes(dv, layout.element) },
    { counts: { ...counts, tileHeads: counts.keyValueHeads }, floats },
  );
  release(stats);
  return [dq, dk, dv];
}
